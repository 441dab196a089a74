//! Decides for the whole program which functions hand pointers on and which allocate.

use super::constraints::Constraints;
use super::handling::{Origin, Pass, Source};
use super::treatment::Treatment;
use crate::ir::FunctionRef;
use std::collections::BTreeSet;
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
    let mut wrappers: Vec<Wrapper> = functions.iter().map(|function| assumed(function)).collect();
    let all: Vec<usize> = (0..functions.len()).collect();
    take_back(&mut wrappers, &all, functions, bodies);
    wrappers
}

/// The same after an edit of some functions, from what was known before. It depends on callees alone, so that it is another one only
/// for functions that get to an edited one. In which order things are taken back can matter, so whatever these get to is looked at, too,
/// and in the order in which it is if all functions are.
pub(super) fn wrappers_again(
    functions: &[&Arc<Constraints>],
    bodies: Bodies<'_>,
    known: &[Wrapper],
    edited: &[usize],
) -> Vec<Wrapper> {
    let callees = |function: usize| functions[function].handling.callees().flat_map(bodies);
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); functions.len()];
    for caller in 0..functions.len() {
        for callee in callees(caller) {
            callers[*callee].push(caller);
        }
    }
    let with_callers = closure(functions.len(), edited, |function, found| {
        found.extend(&callers[function]);
    });
    let reached = closure(functions.len(), &with_callers, |function, found| {
        found.extend(callees(function));
    });
    let mut again = known.to_vec();
    for function in &reached {
        again[*function] = assumed(functions[*function]);
    }
    take_back(&mut again, &reached, functions, bodies);
    debug_assert!(again == wrappers(functions, bodies));
    again
}

/// What can be reached from some functions, sorted.
fn closure(count: usize, from: &[usize], next: impl Fn(usize, &mut Vec<usize>)) -> Vec<usize> {
    let mut is_reached = vec![false; count];
    let mut pending = from.to_vec();
    while let Some(function) = pending.pop() {
        if !std::mem::replace(&mut is_reached[function], true) {
            next(function, &mut pending);
        }
    }
    let all = 0..count;
    all.filter(|function| is_reached[*function]).collect()
}

/// Takes back what does not hold of some functions and of all that they get to.
fn take_back(
    wrappers: &mut [Wrapper],
    of: &[usize],
    functions: &[&Arc<Constraints>],
    bodies: Bodies<'_>,
) {
    loop {
        let mut changed = false;
        for index in of.iter().copied() {
            let function = functions[index];
            let result = refined_result(function, &wrappers[index], wrappers, bodies);
            let mut handed_on = wrappers[index].handed_on.clone();
            for (formal, handled) in function.handling.formals.iter().enumerate() {
                handed_on[formal] = handed_on[formal]
                    && handled.as_ref().is_some_and(|handled| {
                        (result.is_some() || !handled.returned)
                            && all_pass(
                                &handled.passes,
                                Treatment::HandedOn,
                                result.is_some(),
                                wrappers,
                                bodies,
                            )
                    });
            }
            let refined = Wrapper { handed_on, result };
            if wrappers[index] != refined {
                wrappers[index] = refined;
                changed = true;
            }
        }
        if !changed {
            return;
        }
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
    wrappers: &[Wrapper],
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
    wrappers: &[Wrapper],
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
