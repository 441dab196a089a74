//! Where a run begins that is to show a race: with `main`, or with the functions that the two threads begin with, called by
//! a harness.

use super::checked::Checked;
use crate::race_options::{Entries, RaceOptions};
use racelens_analysis::host::Start;
use racelens_analysis::ir::{FunctionRef, Ty};
use racelens_analysis::races::Race;
use racelens_analysis::threads::{RootId, RootKind};
use std::collections::BTreeSet;

/// So many beginnings are tried for one race.
const MOST_BEGINNINGS: usize = 3;

/// Finds beginnings.
pub(super) struct Beginnings<'b, 'c> {
    pub checked: &'b Checked<'c>,
    pub options: &'b RaceOptions,
    /// Where the program begins.
    pub entry: &'b str,
    /// Functions that the user wants to run as threads instead.
    pub named: &'b [String],
}

impl Beginnings<'_, '_> {
    /// What the user asked for, or else what fits the race: the beginnings of its pairs of threads.
    pub fn of_race(&self, race: &Race) -> Result<Vec<Start>, String> {
        if !self.named.is_empty() {
            return Ok(vec![self.of_named()?]);
        }
        let mut starts: Vec<Start> = Vec::new();
        for pair in &race.pairs {
            let start = self.of_roots(pair.first_root, pair.second_root);
            if !starts.contains(&start) && starts.len() < MOST_BEGINNINGS {
                starts.push(start);
            }
        }
        Ok(starts)
    }

    /// The beginning for whatever may fail: everything that can run.
    pub fn of_assertions(&self) -> Result<Start, String> {
        if !self.named.is_empty() {
            return self.of_named();
        }
        let contexts = &self.checked.program().contexts;
        let mut functions = Vec::new();
        let mut has_main = false;
        for root in &contexts.roots {
            match root.kind {
                RootKind::Main => has_main = true,
                RootKind::Exported | RootKind::Named => {
                    functions.push(self.checked.name_of(root.entry));
                }
                RootKind::Started { .. } => {}
            }
        }
        if has_main || functions.is_empty() || self.options.entries == Entries::Threads {
            return Ok(Start::Function(self.entry.to_owned()));
        }
        // Two threads each, because a function may get in its own way.
        let twice = [functions.clone(), functions].concat();
        Ok(self.threads(twice))
    }

    /// The threads that the user names.
    pub fn of_named(&self) -> Result<Start, String> {
        let functions: Result<Vec<FunctionRef>, String> =
            self.named.iter().map(|name| self.function(name)).collect();
        Ok(self.threads(functions?))
    }

    /// Every two functions that other files can call, and each with itself.
    pub fn of_pairs(&self) -> Vec<Start> {
        let roots = self.checked.program().contexts.roots.iter();
        let exported = roots.filter(|root| root.kind == RootKind::Exported);
        let functions: Vec<FunctionRef> = exported
            .map(|root| self.checked.name_of(root.entry))
            .collect();
        let mut starts = Vec::new();
        for (number, first) in functions.iter().enumerate() {
            for second in &functions[number..] {
                if !self.never_parallel(*first, *second) {
                    starts.push(self.threads(vec![*first, *second]));
                }
            }
        }
        starts
    }

    fn never_parallel(&self, one: FunctionRef, other: FunctionRef) -> bool {
        let (one, other) = (one.name.as_str(), other.name.as_str());
        let mut pairs = self.options.never_parallel.iter();
        pairs.any(|(first, second)| {
            (first == one && second == other) || (first == other && second == one)
        })
    }

    fn function(&self, name: &str) -> Result<FunctionRef, String> {
        let functions = &self.checked.program().functions;
        let names = functions
            .ids()
            .map(|id| functions.body(id).function.declared());
        let named: BTreeSet<FunctionRef> = names
            .filter(|function| function.name.as_str() == name)
            .collect();
        match named.len() {
            1 => Ok(named.into_iter().next().unwrap_or_else(|| self.main())),
            0 => Err(format!(
                "there is no function `{name}` that could be analysed\n  help: check its spelling"
            )),
            _ => Err(format!(
                "several functions are called `{name}`\n  help: analyse only the files of one program"
            )),
        }
    }

    fn main(&self) -> FunctionRef {
        FunctionRef {
            name: self.entry.into(),
            scope: racelens_analysis::ir::GlobalScope::External,
        }
    }

    fn of_roots(&self, first: RootId, second: RootId) -> Start {
        let (first, second) = (self.outermost(first), self.outermost(second));
        match (first, second) {
            (Some(first), Some(second)) if first != self.main() || second != self.main() => {
                self.threads(vec![first, second])
            }
            _ => Start::Function(self.entry.to_owned()),
        }
    }

    /// The function that somebody outside calls so that the thread runs.
    fn outermost(&self, root: RootId) -> Option<FunctionRef> {
        let contexts = &self.checked.program().contexts;
        let mut seen = BTreeSet::from([root]);
        let mut work = vec![root];
        while let Some(root) = work.pop() {
            let found = contexts.root(root);
            match found.kind {
                RootKind::Main => return Some(self.main()),
                RootKind::Exported | RootKind::Named => {
                    return Some(self.checked.name_of(found.entry));
                }
                RootKind::Started { .. } => {
                    let parents = found.parents.iter().rev();
                    work.extend(parents.filter(|parent| seen.insert(**parent)));
                }
            }
        }
        None
    }

    fn threads(&self, functions: Vec<FunctionRef>) -> Start {
        let named = |name: &String| {
            let mut functions = functions.iter();
            functions
                .find(|function| function.name.as_str() == name)
                .copied()
        };
        let apart = self.options.never_parallel.iter();
        let apart = apart.filter_map(|(one, other)| Some((named(one)?, named(other)?)));
        Start::Threads {
            apart: apart.collect(),
            functions,
        }
    }

    /// What a harness assumes about the callers of the functions.
    pub fn assumptions(&self, start: &Start) -> Vec<String> {
        let Start::Threads { functions, apart } = start else {
            return Vec::new();
        };
        let names: Vec<String> = functions
            .iter()
            .map(|it| format!("`{}`", it.name))
            .collect();
        let mut told = vec![format!(
            "{} are called by a thread each",
            names.join(" and ")
        )];
        for (one, other) in apart {
            told.push(format!(
                "`{}` and `{}` never run at the same time",
                one.name, other.name
            ));
        }
        let checked = &self.checked.program().functions;
        let bodies = checked.ids().map(|id| checked.body(id));
        let bodies = bodies.filter(|body| functions.contains(&body.function.declared()));
        let parameters: Vec<Ty> = bodies
            .flat_map(|body| &body.locals[..body.parameters])
            .map(|parameter| parameter.ty.decayed())
            .collect();
        let pointees: Vec<&Ty> = parameters.iter().filter_map(Ty::pointee).collect();
        let is_number = |ty: &&&Ty| ty.is_integer() || ty.is_float();
        if pointees.iter().any(|ty| ty.record().is_some()) {
            told.push(
                "pointers to the same struct point to the same object; objects are filled with zeros and with pointers to \
                 objects of other structs"
                    .to_owned(),
            );
        }
        if pointees.iter().any(|ty| is_number(&ty)) {
            told.push(
                "pointers to numbers and characters point to memory of the thread's own, which is filled with zeros"
                    .to_owned(),
            );
        }
        if pointees
            .iter()
            .any(|ty| ty.record().is_none() && !is_number(&ty))
        {
            told.push("other pointers are null".to_owned());
        }
        told
    }
}
