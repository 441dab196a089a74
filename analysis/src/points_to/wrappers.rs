//! Decides for the whole program which functions hand pointers on and which allocate.

use super::constraints::Constraints;
use super::handling::{Origin, Pass, Source};
use super::treatment::Treatment;
use crate::ir::FunctionRef;
use crate::stop;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::sync::Arc;

/// What callers of a function can rely on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wrapper {
    /// For each formal whether it is only handed on.
    pub handed_on: Vec<bool>,
    /// The function returns nothing but new objects, null, and the formals `returned`.
    pub result: Option<WrappedResult>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrappedResult {
    pub fresh: bool,
    pub returned: BTreeSet<usize>,
    pub contents: BTreeSet<usize>,
}

/// Gives the bodies of a named function.
pub(super) type Bodies<'b> = &'b dyn Fn(FunctionRef) -> &'b [usize];

/// For each of the functions. `bodies` gives the bodies of a named function.
///
/// Everything is assumed to hold and taken back until nothing changes, so that recursive functions
/// have a chance.
pub(super) fn wrappers(functions: &[&Arc<Constraints>], bodies: Bodies<'_>) -> Vec<Wrapper> {
    let all: Vec<usize> = (0..functions.len()).collect();
    let mut wrappers = Assumed::new(&[], &all, functions);
    wrappers.take_back(&all, functions, bodies);
    wrappers.again.into_values().collect()
}

/// Those that are different after an edit of some functions, by position, from what was known before. What a function is depends on
/// callees alone, so that it is another one only for functions that get to an edited one. In which order things are taken back can matter,
/// so whatever these get to is looked at, too, and in the order in which it is if all functions are.
pub(super) fn other_wrappers(
    functions: &[&Arc<Constraints>],
    bodies: Bodies<'_>,
    known: &[Wrapper],
    around_edited: &[usize],
) -> Vec<(usize, Wrapper)> {
    let mut again = Assumed::new(known, around_edited, functions);
    again.take_back(around_edited, functions, bodies);
    debug_assert!({
        let all = wrappers(functions, bodies);
        all.len() == known.len() && (0..all.len()).all(|index| again[index] == all[index])
    });
    let others = again.again.into_iter();
    others
        .filter(|(index, wrapper)| known[*index] != *wrapper)
        .collect()
}

/// What is assumed of some functions, and what is known of the others.
struct Assumed<'w> {
    known: &'w [Wrapper],
    again: BTreeMap<usize, Wrapper>,
}

impl Index<usize> for Assumed<'_> {
    type Output = Wrapper;

    fn index(&self, function: usize) -> &Wrapper {
        match self.again.get(&function) {
            Some(wrapper) => wrapper,
            None => &self.known[function],
        }
    }
}

impl<'w> Assumed<'w> {
    fn new(known: &'w [Wrapper], of: &[usize], functions: &[&Arc<Constraints>]) -> Assumed<'w> {
        let assumed = of.iter().map(|index| (*index, assumed(functions[*index])));
        Assumed {
            known,
            again: assumed.collect(),
        }
    }

    /// Takes back what does not hold of some functions and of all that they get to.
    fn take_back(&mut self, of: &[usize], functions: &[&Arc<Constraints>], bodies: Bodies<'_>) {
        loop {
            let mut changed = false;
            for index in of.iter().copied() {
                stop::ask();
                let refined = self.refined(index, functions[index], bodies);
                if self[index] != refined {
                    self.again.insert(index, refined);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// What holds of a function in view of what is known of the callees now.
    fn refined(&self, index: usize, function: &Constraints, bodies: Bodies<'_>) -> Wrapper {
        let result = refined_result(function, &self[index], self, bodies);
        let mut handed_on = self[index].handed_on.clone();
        for (formal, handled) in function.handling.formals.iter().enumerate() {
            handed_on[formal] = handed_on[formal]
                && handled.as_ref().is_some_and(|handled| {
                    (result.is_some() || !handled.returned)
                        && all_pass(
                            &handled.passes,
                            Treatment::HandedOn,
                            result.is_some(),
                            self,
                            bodies,
                        )
                });
        }
        Wrapper { handed_on, result }
    }
}

fn assumed(function: &Constraints) -> Wrapper {
    let handling = &function.handling;
    let returned = handling.returned.as_ref();
    Wrapper {
        handed_on: handling.formals.iter().map(Option::is_some).collect(),
        result: returned
            .filter(|returned| !returned.sources.is_empty() || !returned.formals.is_empty())
            .map(|returned| WrappedResult {
                fresh: false,
                returned: returned.formals.iter().copied().collect(),
                contents: BTreeSet::new(),
            }),
    }
}

/// What is returned, in view of what is known of the callees now. It only grows, or is given up.
fn refined_result(
    function: &Constraints,
    known: &Wrapper,
    wrappers: &Assumed<'_>,
    bodies: Bodies<'_>,
) -> Option<WrappedResult> {
    let returned = function.handling.returned.as_ref()?;
    let mut result = known.result.clone()?;
    if !all_pass(&returned.passes, Treatment::Touched, true, wrappers, bodies) {
        return None;
    }
    for source in &returned.sources {
        let found = bodies(source.callee);
        if found.is_empty() {
            if source.model != Some(true) {
                return None;
            }
            result.fresh = true;
            for argument in &source.contents {
                result.contents.extend(formals(source, *argument)?);
            }
        }
        for body in found {
            let inner = wrappers[*body].result.as_ref()?;
            result.fresh |= inner.fresh;
            for argument in &inner.returned {
                result.returned.extend(formals(source, *argument)?);
            }
            for argument in &inner.contents {
                result.contents.extend(formals(source, *argument)?);
            }
        }
    }
    let mut through = result.returned.iter().chain(&result.contents);
    let all_handed_on = through.all(|formal| known.handed_on.get(*formal) == Some(&true));
    all_handed_on.then_some(result)
}

/// The formals that an argument of a returned call is.
fn formals(source: &Source, argument: usize) -> Option<Vec<usize>> {
    match source.arguments.get(argument) {
        Some(Origin::Formals(formals)) => Some(formals.clone()),
        Some(Origin::Other) => None,
        None => Some(Vec::new()),
    }
}

/// Whether all calls treat what they get no worse than this. What comes back as part of their
/// result has to be part of the function's own result.
fn all_pass(
    passes: &[Pass],
    worst: Treatment,
    has_result: bool,
    wrappers: &Assumed<'_>,
    bodies: Bodies<'_>,
) -> bool {
    passes.iter().all(|pass| {
        let followed = has_result && pass.returned;
        let found = bodies(pass.callee);
        if found.is_empty() {
            return pass.model.is_some_and(|treatment| treatment <= worst)
                && (followed || !pass.into_result);
        }
        found.iter().all(|body| {
            let wrapper = &wrappers[*body];
            let comes_back = wrapper.result.as_ref().is_some_and(|result| {
                result.returned.contains(&pass.argument) || result.contents.contains(&pass.argument)
            });
            wrapper.handed_on.get(pass.argument) == Some(&true) && (followed || !comes_back)
        })
    })
}
