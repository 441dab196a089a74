//! What lies around the functions of a program: which functions names mean, what callers can rely on, and how records lie over
//! each other. An edit of a body mostly leaves it as it is, and then it need not be found again.

use super::constraints::{Argument, Constraints};
use super::joining::KnownGroups;
use super::names::Names;
use super::record_uses::RecordUses;
use super::records::Records;
use super::renaming::SaidAgain;
use super::solution::PointsTo;
use super::solve::{Resolve, Solver, SolverBody};
use super::standing::Standing;
use super::wrappers::Wrapper;
use crate::ir::FunctionRef;
use std::sync::Arc;

/// Surroundings that hold after an edit, too.
pub struct Surroundings {
    names: Arc<Names>,
    record_uses: Arc<RecordUses>,
    records: Records,
    /// Library functions that are named as values.
    library: Vec<(FunctionRef, Arc<Constraints>)>,
    /// Solved groups that hold as long as their functions say the same.
    groups: KnownGroups,
}

impl Surroundings {
    /// A solver for what the functions of the program say now, and groups that are solved.
    pub(super) fn solver(
        self,
        functions: &[(FunctionRef, Arc<Constraints>)],
    ) -> (Solver, KnownGroups) {
        let bodies = functions.iter().chain(&self.library);
        let solver = Solver {
            bodies: bodies.map(SolverBody::of).collect(),
            names: self.names,
            ..Solver::with_records(self.records, self.record_uses)
        };
        (solver, self.groups)
    }
}

impl Standing {
    /// Where the body of a function is that has its name for itself.
    pub(super) fn index_of(&self, function: FunctionRef) -> Option<usize> {
        match self.solver.names.by_name.get(&function)?[..] {
            [index] => Some(index),
            _ => None,
        }
    }

    /// How records are used, if names mean what they meant, now that functions say this. What they mean by names that nobody has used
    /// so far is found out.
    pub(super) fn in_same_surroundings(
        &mut self,
        known: &PointsTo,
        changed: &[SaidAgain<'_>],
        resolve: Resolve<'_>,
    ) -> Option<Arc<RecordUses>> {
        for (_, _, now) in changed {
            if !self.solver.names.know(now) {
                Arc::make_mut(&mut self.solver.names).learn(now, resolve);
            }
        }
        let mut functions = changed.iter();
        let is_same = functions.all(|(function, before, now)| {
            self.index_of(*function).is_some()
                && now.is_called_as(before)
                && self.has_library_of(now, before)
        });
        is_same
            .then(|| self.record_uses(&known.record_uses, changed))
            .flatten()
    }

    /// What callers can rely on, if that is something else because of what functions say now.
    pub(super) fn other_wrappers(
        &self,
        changed: &[SaidAgain<'_>],
        all: &dyn Fn() -> Vec<Arc<Constraints>>,
    ) -> Option<Vec<Wrapper>> {
        let handles_alike =
            |(_, before, now): &SaidAgain<'_>| now.handling.says_the_same(&before.handling);
        if changed.iter().all(handles_alike) {
            return None;
        }
        let edited: Option<Vec<usize>> = { changed.iter() }
            .map(|(function, ..)| self.index_of(*function))
            .collect();
        let names = &self.solver.names;
        let Some(edited) = edited else {
            let wrappers = names.wrappers_of(all().iter());
            return (wrappers != names.wrappers).then_some(wrappers);
        };
        let others = names.other_wrappers(&all(), &edited);
        if others.is_empty() {
            return None;
        }
        let mut wrappers = names.wrappers.clone();
        for (position, wrapper) in others {
            wrappers[position] = wrapper;
        }
        Some(wrappers)
    }

    /// The surroundings, with other wrappers if there are some, and with records that are used so.
    pub(super) fn surroundings(
        &self,
        wrappers: Option<Vec<Wrapper>>,
        known_uses: &RecordUses,
        record_uses: Arc<RecordUses>,
    ) -> Surroundings {
        let known = &self.solver.graph.records;
        let has_records = record_uses.come_to_the_same(known_uses);
        let groups = match has_records {
            true => self.groups_with(wrappers.as_deref()),
            false => KnownGroups::default(),
        };
        let records = match has_records {
            true => known.clone(),
            false => {
                let mut records = Records::new(&record_uses);
                records.number_like(known);
                records
            }
        };
        let mut names = self.solver.names.clone();
        if let Some(wrappers) = wrappers {
            Arc::make_mut(&mut names).wrappers = wrappers;
        }
        let own = names.wrappers.len();
        let library = self.solver.bodies[own..].iter();
        Surroundings {
            library: library
                .map(|body| (body.function, body.constraints.clone()))
                .collect(),
            names,
            record_uses,
            records,
            groups,
        }
    }

    /// The groups that hold if callers can rely on this.
    fn groups_with(&self, wrappers: Option<&[Wrapper]>) -> KnownGroups {
        let known = &self.solver.names.wrappers;
        let is_other = |position: usize| {
            wrappers.is_some_and(|wrappers| wrappers.get(position) != known.get(position))
        };
        let groups = self.solver.groups.iter().enumerate();
        let holding = groups.map(|(number, placed)| {
            let called = placed.group.called.iter().map(|called| called.position);
            let mut positions = self.solver.positions(number).chain(called);
            (!positions.any(is_other)).then(|| placed.group.clone())
        });
        let places = self.solver.groups.iter();
        KnownGroups {
            groups: holding.collect(),
            places: places
                .map(|placed| (placed.place, placed.graph.clone()))
                .collect(),
            addressed: self.solver.addressed.clone(),
        }
    }

    /// How functions use records now.
    fn record_uses(
        &self,
        known: &Arc<RecordUses>,
        changed: &[SaidAgain<'_>],
    ) -> Option<Arc<RecordUses>> {
        let formals = |function| {
            let bodies = self.solver.names.meaning(function).bodies.iter();
            let formals = bodies.map(|body| &self.solver.bodies[*body].constraints.formals[..]);
            formals.collect()
        };
        changed
            .iter()
            .try_fold(known.clone(), |uses, (_, before, now)| {
                Some(Arc::new(uses.after(before, now, &formals)?))
            })
    }

    /// Whether the library functions that it names as values are known, and none of them is named no longer.
    fn has_library_of(&self, now: &Constraints, before: &Constraints) -> bool {
        let names = &self.solver.names;
        let is_known = |(function, _): &(FunctionRef, Arc<Constraints>)| {
            names.library.contains_key(function) || names.meaning(*function).has_body()
        };
        let is_still_named = |(function, _): &(FunctionRef, Arc<Constraints>)| {
            now.library.iter().any(|(named, _)| named == function)
        };
        now.library.iter().all(is_known) && before.library.iter().all(is_still_named)
    }
}

impl Constraints {
    /// Whether callers find the same: as many arguments, and as much that may be a pointer.
    fn is_called_as(&self, other: &Constraints) -> bool {
        let is_alike = |(one, other): (&Argument, &Argument)| {
            one.flow == other.flow
                && one.record == other.record
                && one.value.is_some() == other.value.is_some()
        };
        let formals = self.formals.iter().zip(&other.formals);
        let has_result = match (&self.result, &other.result) {
            (Some(one), Some(other)) => is_alike((one, other)),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.variadic == other.variadic
            && self.formals.len() == other.formals.len()
            && { formals }.all(is_alike)
            && has_result
    }
}
