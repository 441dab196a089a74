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
    loop {
        let mut changed = false;
        for (index, function) in functions.iter().enumerate() {
            let result = refined_result(function, &wrappers[index], &wrappers, bodies);
            let mut handed_on = wrappers[index].handed_on.clone();
            for (formal, handled) in function.handling.formals.iter().enumerate() {
                handed_on[formal] = handed_on[formal]
                    && handled.as_ref().is_some_and(|handled| {
                        (result.is_some() || !handled.returned)
                            && all_pass(
                                &handled.passes,
                                Treatment::HandedOn,
                                result.is_some(),
                                &wrappers,
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
            return wrappers;
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
