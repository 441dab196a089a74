//! Random systems of constraints: the solver finds the classes that its slow twin finds.

use super::constraints::{
    Argument, Call, CalleeTerm, Constraints, Container, Effects, Flow, Label, ModelUse, Priority,
    Term, TermId,
};
use super::go_betweens::without_go_betweens;
use super::handling::Handling;
use super::naive::disagreement;
use super::renaming::SaidAgain;
use super::simplification::simplified;
use super::solution::PointsTo;
use super::solve::{solve, solve_for_edits, solve_in};
use crate::ir::*;
use std::sync::Arc;
use ustr::Ustr;

/// SplitMix64.
pub(super) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    pub fn one_in(&mut self, out_of: usize) -> bool {
        self.below(out_of) == 0
    }
}

fn record(name: &str) -> RecordRef {
    RecordRef::defined(name, 7, 0)
}

fn layout(fields: &[(&str, u64, Option<RecordRef>)]) -> Arc<RecordLayout> {
    let fields: Vec<Field> = fields
        .iter()
        .map(|(name, offset, record)| Field {
            name: Ustr::from(name),
            anonymous: false,
            ty: match record {
                Some(record) => Ty::new(TyKind::Record(*record)),
                None => Ty::void().pointer_to(),
            },
            offset: *offset,
            bits: None,
        })
        .collect();
    Arc::new(RecordLayout {
        nesting: 1,
        size: 32,
        align: 8,
        fields,
    })
}

/// Records that begin with each other, begin alike, share a union, or are unknown.
fn records() -> Vec<(RecordRef, Arc<RecordLayout>)> {
    let base = record("struct base");
    let inner = [("a", 0, None), ("b", 8, None)];
    vec![
        (base, layout(&inner)),
        (
            record("struct derived"),
            layout(&[("base", 0, Some(base)), ("c", 16, None)]),
        ),
        (
            record("struct alike"),
            layout(&[("a", 0, None), ("b", 8, None), ("d", 16, None)]),
        ),
        (
            record("union choice"),
            layout(&[("base", 0, Some(base)), ("plain", 0, None)]),
        ),
    ]
}

const MEMBERS: &[(&str, &str)] = &[
    ("struct base", "a"),
    ("struct base", "b"),
    ("struct derived", "base"),
    ("struct derived", "c"),
    ("struct alike", "a"),
    ("struct alike", "d"),
    ("union choice", "base"),
    ("struct opaque", "x"),
];

fn label(random: &mut Random) -> Label {
    let (name, member) = MEMBERS[random.below(MEMBERS.len())];
    Label {
        record: record(name),
        name: Ustr::from(member),
    }
}

pub(super) fn function(index: usize) -> FunctionRef {
    FunctionRef {
        name: Ustr::from(&format!("f{index}")),
        scope: GlobalScope::External,
    }
}

const FUNCTIONS: usize = 3;

/// The terms of a function under construction, by kind.
#[derive(Default)]
struct Terms {
    list: Vec<Term>,
    values: Vec<TermId>,
    cells: Vec<TermId>,
}

impl Terms {
    fn push(&mut self, term: Term, is_cell: bool) -> TermId {
        let known = self.list.iter().position(|known| *known == term);
        let id = TermId(known.unwrap_or(self.list.len()) as u32);
        if known.is_none() {
            self.list.push(term);
            let kind = if is_cell {
                &mut self.cells
            } else {
                &mut self.values
            };
            kind.push(id);
        }
        id
    }

    fn value(&self, random: &mut Random) -> TermId {
        self.values[random.below(self.values.len())]
    }

    fn cell(&self, random: &mut Random) -> TermId {
        self.cells[random.below(self.cells.len())]
    }

    fn argument(&self, random: &mut Random) -> Argument {
        let flow = match random.below(6) {
            0 => Flow::Perhaps,
            1 => Flow::Never,
            _ => Flow::Always,
        };
        Argument {
            value: (flow != Flow::Never).then(|| self.value(random)),
            flow,
            record: None,
        }
    }

    fn effects(&self, random: &mut Random) -> Effects {
        Effects {
            equal: vec![(self.value(random), self.value(random))],
            callbacks: vec![(self.value(random), vec![self.argument(random)])],
            ..Effects::default()
        }
    }
}

fn terms(random: &mut Random) -> Terms {
    let mut terms = Terms::default();
    for register in 0..4 {
        terms.push(Term::Register(LocalId(register)), false);
    }
    terms.push(Term::Memory(LocalId(9)), true);
    terms.push(Term::Function(function(random.below(FUNCTIONS))), true);
    for _ in 0..4 + random.below(8) {
        let global = GlobalRef {
            name: Ustr::from(&format!("g{}", random.below(3))),
            scope: GlobalScope::External,
            thread_local: false,
        };
        let cell = terms.cell(random);
        let value = terms.value(random);
        match random.below(8) {
            0 => terms.push(Term::Global(global), true),
            1 => terms.push(Term::Content(cell), false),
            2 => terms.push(Term::Address(cell), false),
            3 | 4 => terms.push(Term::Target(value), true),
            5 => terms.push(Term::Field(value, label(random)), false),
            _ => terms.push(Term::Field(cell, label(random)), true),
        };
    }
    terms
}

fn constraints(random: &mut Random) -> Constraints {
    let mut terms = terms(random);
    let result = terms.push(Term::Result, false);
    let mut found = Constraints {
        records: records(),
        formals: (0..random.below(3))
            .map(|formal| Argument {
                value: Some(TermId(formal as u32)),
                flow: Flow::Always,
                record: None,
            })
            .collect(),
        variadic: random.one_in(4),
        result: Some(Argument {
            value: Some(result),
            flow: Flow::Always,
            record: None,
        }),
        ..Constraints::default()
    };
    found.handling = Handling {
        formals: vec![None; found.formals.len()],
        returned: None,
    };
    for _ in 0..random.below(5) {
        let pair = (terms.value(random), terms.value(random));
        found.equal.push(pair);
    }
    for _ in 0..random.below(3) {
        let pair = (terms.cell(random), terms.cell(random));
        found.equal.push(pair);
    }
    for _ in 0..random.below(3) {
        let pair = (terms.value(random), terms.value(random));
        found.equal_if_pointer.push(pair);
    }
    if random.one_in(3) {
        found.containers.push(Container {
            inner: terms.cell(random),
            outer: terms.cell(random),
            path: (0..1 + random.below(2)).map(|_| label(random)).collect(),
        });
    }
    if random.one_in(6) {
        found.shifted.push(terms.cell(random));
    }
    if random.one_in(8) {
        let collapsed = (terms.cell(random), label(random).record);
        found.collapsed.push(collapsed);
    }
    if random.one_in(10) {
        found.spread.push(terms.cell(random));
    }
    if random.one_in(4) {
        let bytes = [4, 8, 12][random.below(3)];
        let leaf = (terms.cell(random), record("union choice"), bytes);
        found.union_leaves.push(leaf);
    }
    if random.one_in(5) {
        let word = (terms.cell(random), label(random).record);
        found.first_words.push(word);
    }
    if random.one_in(6) {
        found.taken.push(terms.value(random));
    }
    if random.one_in(8) {
        let pair = (label(random).record, label(random).record);
        found.casts.push((pair.0.min(pair.1), pair.0.max(pair.1)));
    }
    for site in 0..random.below(3) {
        let callee = if random.one_in(2) {
            CalleeTerm::Direct(function(random.below(FUNCTIONS + 1)))
        } else {
            CalleeTerm::Indirect(terms.value(random))
        };
        let priorities = [Priority::Fallback, Priority::Replaces, Priority::Wraps];
        let call = Call {
            site: StatementId {
                block: BlockId(0),
                index: site as u32,
            },
            callee,
            arguments: (0..random.below(4))
                .map(|_| terms.argument(random))
                .collect(),
            result: (!random.one_in(3)).then(|| terms.argument(random)),
            model: random.one_in(4).then(|| ModelUse {
                priority: priorities[random.below(3)],
                effects: terms.effects(random),
            }),
        };
        found.calls.push(call);
    }
    found.terms = terms.list;
    found
}

#[test]
fn random_systems_have_the_classes_of_the_slow_twin() {
    for seed in 0..4_000 {
        let mut random = Random(seed);
        let functions: Vec<(FunctionRef, Arc<Constraints>)> = (0..FUNCTIONS)
            .map(|index| (function(index), Arc::new(constraints(&mut random))))
            .collect();
        let resolve = |name: FunctionRef| {
            let known = functions.iter().map(|function| function.0);
            known.filter(|known| *known == name).collect()
        };
        let found = disagreement(&functions, &resolve);
        assert_eq!(found, None, "seed {seed}: {functions:#?}");
    }
}

type Program = Vec<(FunctionRef, Arc<Constraints>)>;

fn program(random: &mut Random) -> Program {
    (0..FUNCTIONS)
        .map(|index| (function(index), Arc::new(constraints(random))))
        .collect()
}

/// Leaves some of it out.
fn thin<T>(random: &mut Random, list: &mut Vec<T>) {
    if !list.is_empty() && random.one_in(2) {
        list.remove(random.below(list.len()));
    }
}

/// Says some of it once more.
fn repeat<T: Clone>(random: &mut Random, list: &mut Vec<T>) {
    if !list.is_empty() && random.one_in(2) {
        list.push(list[random.below(list.len())].clone());
    }
}

/// The constraints with a little more or less in them, of whatever kind.
fn edited(random: &mut Random, said: &Constraints) -> Constraints {
    let mut edited = said.clone();
    match random.below(3) {
        0 => {
            thin(random, &mut edited.equal);
            thin(random, &mut edited.equal_if_pointer);
            thin(random, &mut edited.containers);
            thin(random, &mut edited.shifted);
            thin(random, &mut edited.collapsed);
            thin(random, &mut edited.union_leaves);
            thin(random, &mut edited.taken);
            thin(random, &mut edited.first_words);
            thin(random, &mut edited.casts);
            thin(random, &mut edited.calls);
        }
        1 => {
            repeat(random, &mut edited.equal);
            repeat(random, &mut edited.equal_if_pointer);
            repeat(random, &mut edited.containers);
            repeat(random, &mut edited.calls);
            for (index, call) in edited.calls.iter_mut().enumerate() {
                call.site.index = index as u32;
            }
        }
        _ => {
            // A register more, which is what some value is or points to.
            let register = TermId(edited.terms.len() as u32);
            edited.terms.push(Term::Register(LocalId(20)));
            let value = said.terms.iter().position(|term| {
                matches!(term, Term::Register(_) | Term::Content(_)) && random.one_in(2)
            });
            let value = TermId(value.unwrap_or(0) as u32);
            match random.below(3) {
                0 => edited.equal.push((register, value)),
                1 => edited.equal_if_pointer.push((register, value)),
                _ => {
                    let cell = TermId(edited.terms.len() as u32);
                    edited.terms.push(Term::Target(value));
                    edited.terms.push(Term::Content(cell));
                    edited.equal.push((register, TermId(cell.0 + 1)));
                }
            }
        }
    }
    edited
}

/// Something about which two relations disagree.
fn difference(one: &PointsTo, other: &PointsTo, program: &Program) -> Option<String> {
    let mut pairs = Vec::new();
    for (function, said) in program {
        let classes = [one, other].map(|relation| relation.functions.get(*function).unwrap());
        for term in &said.terms {
            let [mine, theirs] = classes.map(|classes| match term {
                Term::Register(local) => classes.registers.get(local.0 as usize).copied(),
                Term::Memory(local) => classes.memory.get(local).copied(),
                _ => None,
            });
            pairs.push((mine.unwrap_or(u32::MAX), theirs.unwrap_or(u32::MAX)));
        }
        for call in &said.calls {
            let targets = [one, other].map(|relation| relation.call_targets(*function, call.site));
            if targets[0] != targets[1] {
                return Some(format!("{} calls {targets:?}", function.name));
            }
        }
    }
    let globals = one.globals.iter();
    pairs.extend(globals.map(|(name, class)| (*class, other.globals[name])));
    let mut known = std::collections::BTreeMap::new();
    let mut backwards = std::collections::BTreeMap::new();
    while let Some((mine, theirs)) = pairs.pop() {
        if (mine == u32::MAX) != (theirs == u32::MAX) {
            return Some(format!("{mine} is {theirs}"));
        }
        if mine == u32::MAX {
            continue;
        }
        let (there, back) = (known.insert(mine, theirs), backwards.insert(theirs, mine));
        if there == Some(theirs) && back == Some(mine) {
            continue;
        }
        if there.is_some() || back.is_some() {
            return Some(format!("{mine} and {theirs} are not one to one"));
        }
        let [mine, theirs] = [&one.classes[mine as usize], &other.classes[theirs as usize]];
        let is_alike = mine.objects == theirs.objects
            && mine.fields.len() == theirs.fields.len()
            && mine.is_like(theirs);
        if !is_alike {
            return Some("a class has something else in it".to_owned());
        }
        pairs.push((mine.target, theirs.target));
        for (label, child) in &mine.fields {
            let label = other.records.find_label(one.records.get(*label));
            let found = theirs.fields.iter().find(|field| Some(field.0) == label);
            match found {
                Some((_, other)) => pairs.push((*child, *other)),
                None => return Some("a class has another member".to_owned()),
            }
        }
    }
    let count = |relation: &PointsTo| relation.classes().count();
    (count(one) != count(other)).then(|| "there are other classes".to_owned())
}

#[test]
fn what_stands_after_an_edit_is_what_solving_again_gives() {
    let mut stood = 0;
    for seed in 0..6_000 {
        let mut random = Random(seed);
        let mut program = program(&mut random);
        let names: Vec<FunctionRef> = program.iter().map(|function| function.0).collect();
        let resolve = |name: FunctionRef| {
            let known = names.iter().copied();
            known.filter(|known| *known == name).collect()
        };
        let mut relation = solve_for_edits(&program, &resolve, None);
        for _ in 0..3 {
            let index = random.below(FUNCTIONS);
            let before = program[index].1.clone();
            let now = Arc::new(edited(&mut random, &before));
            program[index].1 = now.clone();
            let all = || program.iter().map(|function| function.1.clone()).collect();
            let said = [(program[index].0, &before, &now)];
            let fresh = solve(&program, &resolve);
            relation = match relation.standing_after(&said, &all, &resolve) {
                Ok((standing, _)) => {
                    stood += 1;
                    let found = difference(&standing, &fresh, &program);
                    assert_eq!(
                        found, None,
                        "seed {seed}: {before:#?}\nbecomes\n{now:#?}\nin\n{program:#?}"
                    );
                    standing
                }
                Err(Some(surroundings)) => {
                    let is_same = |name| name != program[index].0;
                    let again = solve_in(*surroundings, &program, &relation, &is_same);
                    let Some((again, _)) = again else {
                        relation = solve_for_edits(&program, &resolve, None);
                        continue;
                    };
                    let found = difference(&again, &fresh, &program);
                    assert_eq!(found, None, "seed {seed}: {before:#?}\nbecomes\n{now:#?}");
                    again
                }
                Err(None) => solve_for_edits(&program, &resolve, None),
            };
        }
    }
    assert!(stood > 1_000, "{stood} of the edits were settled by trying");
}

/// Groups have two functions here: what others say stays solved, what is edited is solved again, whatever was edited in between.
#[test]
fn many_edits_of_several_groups_are_what_solving_again_gives() {
    let mut solved_again = 0;
    for seed in 0..1_500 {
        let mut random = Random(seed);
        let mut program: Program = (0..7)
            .map(|index| (function(index), Arc::new(constraints(&mut random))))
            .collect();
        let names: Vec<FunctionRef> = program.iter().map(|function| function.0).collect();
        let resolve = |name: FunctionRef| {
            let known = names.iter().copied();
            known.filter(|known| *known == name).collect()
        };
        let mut relation = solve_for_edits(&program, &resolve, None);
        for edit in 0..12 {
            let before = program.clone();
            for _ in 0..1 + random.below(2) {
                let index = random.below(program.len());
                program[index].1 = Arc::new(edited(&mut random, &program[index].1));
            }
            let pairs = before.iter().zip(&program);
            let changed = pairs.filter(|(old, new)| old.1 != new.1);
            let said: Vec<SaidAgain<'_>> =
                changed.map(|(old, new)| (old.0, &old.1, &new.1)).collect();
            let all = || program.iter().map(|function| function.1.clone()).collect();
            relation = match relation.standing_after(&said, &all, &resolve) {
                Ok((standing, _)) => standing,
                Err(Some(surroundings)) => {
                    let is_same = |name| said.iter().all(|(function, ..)| *function != name);
                    solved_again += 1;
                    match solve_in(*surroundings, &program, &relation, &is_same) {
                        Some((again, _)) => again,
                        None => solve_for_edits(&program, &resolve, None),
                    }
                }
                Err(None) => solve_for_edits(&program, &resolve, None),
            };
            let fresh = solve(&program, &resolve);
            let found = difference(&relation, &fresh, &program);
            assert_eq!(found, None, "seed {seed}, edit {edit}: {said:#?}");
        }
    }
    assert!(
        solved_again > 1_000,
        "{solved_again} edits were solved again"
    );
}

#[test]
fn fewer_words_say_the_same() {
    let (mut terms, mut left) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let program = program(&mut random);
        let brief: Program = program
            .iter()
            .map(|(name, said)| {
                let brief = without_go_betweens(simplified(Constraints::clone(said)));
                terms += said.terms.len();
                left += brief.terms.len();
                (*name, Arc::new(brief))
            })
            .collect();
        let resolve = |name: FunctionRef| {
            let known = program.iter().map(|function| function.0);
            known.filter(|known| *known == name).collect()
        };
        let found = difference(
            &solve(&program, &resolve),
            &solve(&brief, &resolve),
            &program,
        );
        assert_eq!(
            found, None,
            "seed {seed}: {program:#?}\nin brief\n{brief:#?}"
        );
    }
    assert!(left * 10 < terms * 9, "{left} of {terms} terms are left");
}
