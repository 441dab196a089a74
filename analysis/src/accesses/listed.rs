//! Arrays whose elements an initialiser has numbered, `int numbers[] = { 0, 1, 2 };`, before a loop gives one of them to each
//! thread.

use super::turns::Counter;
use crate::dataflow::Solution;
use crate::symexec::{Execution, Index, Path, State, Step, Value};

/// Longer arrays are not looked at.
const MOST_ELEMENTS: i128 = 64;

/// The ways from an element, the one with the loop's counter, to places in it that hold its number.
pub(super) fn numbered_parts(
    state: &State,
    states: &Solution<State>,
    execution: &Execution<'_>,
    element: &Path,
    counter: Counter,
) -> Vec<Vec<Step>> {
    let counted = Step::Index(Index::Entry(counter.path()));
    let range = execution.counted_range(states, counter.head, counter.local);
    let Some((first, Value::Constant(bound))) = range else {
        return Vec::new();
    };
    if first >= bound || bound - first > MOST_ELEMENTS || !element.steps.contains(&counted) {
        return Vec::new();
    }
    let nth = |number: i128| -> Option<Path> {
        let index = Step::Index(Index::Constant(i64::try_from(number).ok()?));
        let steps = element.steps.iter().map(|step| match step {
            step if *step == counted => index.clone(),
            step => step.clone(),
        });
        Some(Path::with_steps(element.root, steps.collect()))
    };
    // Zeros need not be written, so that the first element does not show all its parts.
    let Some(last) = nth(bound - 1) else {
        return Vec::new();
    };
    let parts = state.parts_of(&last).map(|(place, _)| place);
    let ways = parts.map(|place| place.steps[last.steps.len()..].to_vec());
    ways.filter(|way| {
        (first..bound).all(|number| {
            let place = nth(number).map(|element| element.extended(way));
            place.is_some_and(|place| state.read_path(&place) == Value::Constant(number))
        })
    })
    .collect()
}
