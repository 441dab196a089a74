//! Leaves out registers that only pass integers on. Integers are equal if one of them turns out to be a pointer; a register of
//! which nothing else is said is a pointer exactly if one of those is that it is equal to, and then they are all one. So they can be told to
//! be equal without it.

use super::constraints::{CalleeTerm, Constraints, Effects, Term, TermId};
use super::simplification::Renaming;
use rustc_hash::FxHashSet;

/// The same without such registers.
pub(super) fn without_go_betweens(mut said: Constraints) -> Constraints {
    let hosts = Hosts::new(&said);
    let mut places = vec![NOWHERE; said.terms.len()];
    let mut kept = Vec::with_capacity(said.terms.len());
    for (index, term) in said.terms.iter().enumerate() {
        if hosts.is_kept[index] {
            places[index] = TermId(kept.len() as u32);
            kept.push(*term);
        }
    }
    let mut aliases = Vec::with_capacity(said.aliases.len());
    for (index, term) in said.terms.iter().enumerate() {
        if let (Term::Register(local), false) = (term, hosts.is_kept[index]) {
            aliases.push((*local, TermId(index as u32)));
        }
    }
    aliases.append(&mut said.aliases);
    // What is equal to nothing is no pointer, as is what nobody mentions.
    aliases.retain_mut(|(_, term)| match hosts.host(*term) {
        Some(host) => {
            *term = host;
            true
        }
        None => false,
    });
    let mut known = FxHashSet::default();
    said.equal_if_pointer = hosts.pairs(&said.equal_if_pointer);
    said.equal_if_pointer.retain(|(left, right)| {
        left != right && known.insert((*left.min(right), *left.max(right)))
    });
    said.aliases = aliases;
    for term in &mut kept {
        *term = match *term {
            Term::Content(inner) => Term::Content(places[inner.0 as usize]),
            Term::Address(inner) => Term::Address(places[inner.0 as usize]),
            Term::Pointer(inner, number) => Term::Pointer(places[inner.0 as usize], number),
            Term::Target(inner) => Term::Target(places[inner.0 as usize]),
            Term::Field(inner, label) => Term::Field(places[inner.0 as usize], label),
            other => other,
        };
    }
    said.terms = kept;
    let renaming = Renaming(&places);
    renaming.rename(&mut said);
    renaming.each(said.aliases.iter_mut().map(|(_, term)| term));
    renaming.pairs(&mut said.equal_if_pointer);
    said
}

/// The place of a term that is left out, at which nobody looks.
const NOWHERE: TermId = TermId(u32::MAX);

/// What stands for the registers that are left out.
struct Hosts {
    is_kept: Vec<bool>,
    /// Registers that hang together, by one of them.
    groups: Vec<u32>,
    /// By group: what it is equal to.
    hosts: Vec<Option<TermId>>,
}

impl Hosts {
    fn new(said: &Constraints) -> Hosts {
        let mut is_kept: Vec<bool> = said
            .terms
            .iter()
            .map(|term| !matches!(term, Term::Register(_) | Term::Unknown(_)))
            .collect();
        said.each_mention(&mut |term| is_kept[term.0 as usize] = true);
        let mut hosts = Hosts {
            groups: (0..is_kept.len() as u32).collect(),
            hosts: vec![None; is_kept.len()],
            is_kept,
        };
        for (left, right) in &said.equal_if_pointer {
            let [one, other] = [left, right].map(|term| hosts.is_kept[term.0 as usize]);
            if !one && !other {
                let (left, right) = (hosts.group(left.0), hosts.group(right.0));
                hosts.groups[left.max(right) as usize] = left.min(right);
            }
        }
        for (left, right) in &said.equal_if_pointer {
            for (one, other) in [(left, right), (right, left)] {
                if !hosts.is_kept[one.0 as usize] && hosts.is_kept[other.0 as usize] {
                    let group = hosts.group(one.0) as usize;
                    hosts.hosts[group].get_or_insert(*other);
                }
            }
        }
        hosts
    }

    fn group(&self, mut term: u32) -> u32 {
        while self.groups[term as usize] != term {
            term = self.groups[term as usize];
        }
        term
    }

    /// What stands for a term, if it can be a pointer.
    fn host(&self, term: TermId) -> Option<TermId> {
        match self.is_kept[term.0 as usize] {
            true => Some(term),
            false => self.hosts[self.group(term.0) as usize],
        }
    }

    /// What is equal if one is a pointer, without those that are left out.
    fn pairs(&self, pairs: &[(TermId, TermId)]) -> Vec<(TermId, TermId)> {
        let pairs = pairs.iter();
        pairs
            .filter_map(|(left, right)| Some((self.host(*left)?, self.host(*right)?)))
            .collect()
    }
}

impl Constraints {
    /// All terms of which something is said, but for being equal if one is a pointer and for being what a register is.
    fn each_mention(&self, mention: &mut dyn FnMut(TermId)) {
        for term in &self.terms {
            match term {
                Term::Content(inner)
                | Term::Address(inner)
                | Term::Pointer(inner, _)
                | Term::Target(inner)
                | Term::Field(inner, _) => mention(*inner),
                _ => {}
            }
        }
        for (left, right) in &self.equal {
            mention(*left);
            mention(*right);
        }
        for container in &self.containers {
            mention(container.inner);
            mention(container.outer);
        }
        let cells = self.shifted.iter().chain(&self.spread).chain(&self.taken);
        let cells = cells.chain(self.collapsed.iter().map(|(cell, _)| cell));
        let cells = cells.chain(self.union_leaves.iter().map(|(cell, ..)| cell));
        let cells = cells.chain(self.first_words.iter().map(|(cell, _)| cell));
        cells.for_each(|cell| mention(*cell));
        let passed = self.formals.iter().chain(&self.result);
        for call in &self.calls {
            if let CalleeTerm::Indirect(value) = call.callee {
                mention(value);
            }
            if let Some(model) = &call.model {
                model.effects.each_mention(mention);
            }
        }
        let calls = self.calls.iter();
        let arguments = calls.flat_map(|call| call.arguments.iter().chain(&call.result));
        let values = passed
            .chain(arguments)
            .filter_map(|argument| argument.value);
        values.for_each(&mut *mention);
        self.effects.each_mention(mention);
    }
}

impl Effects {
    fn each_mention(&self, mention: &mut dyn FnMut(TermId)) {
        for (left, right) in self.equal.iter().chain(&self.equal_if_pointer) {
            mention(*left);
            mention(*right);
        }
        for (function, arguments) in &self.callbacks {
            mention(*function);
            let values = arguments.iter().filter_map(|argument| argument.value);
            values.for_each(&mut *mention);
        }
        self.shared.iter().for_each(|value| mention(*value));
    }
}
