//! `racelens/interleaving`: what verifying a race came to, step by step, for the editor's own views; and the same as a text.

use crate::lsp::driver::{Program, View};
use crate::lsp::to_proto::race_message;
use crate::report::text::{verified_in_words, verified_text};
use crate::report::{PathBase, Race, SearchBounds, Verified, WitnessTrace};
use serde_json::{Value, json};

/// Null if there is no such race. `verdict` is null if nobody has verified it.
pub fn interleaving(view: &View<'_>, id: &str) -> Value {
    let mut programs = view.programs();
    let found = programs.find_map(|program| Some(value(&program, program.race(id)?)));
    found.unwrap_or_default()
}

fn value(program: &Program<'_>, race: &Race) -> Value {
    let verified = race.verified.as_ref();
    let (bounds, limits, is_complete) = match verified {
        Some(Verified::Answered { verdict, bounds }) => {
            (Some(bounds), verdict.limits(), verdict.is_complete())
        }
        _ => (None, &[][..], false),
    };
    let trace = race.trace();
    json!({
        "id": race.id,
        "tier": race.tier.word(),
        "location_name": race.location,
        "message": race.accesses.first().map(|first| race_message(race, first)),
        "verdict": verified.map(Verified::word),
        "summary": verified.map(verified_in_words),
        "complete": is_complete,
        "limits": limits,
        "bounds": bounds.map(bounds_value),
        "assumptions": trace.map_or(&[][..], |trace| &trace.assumptions),
        "threads": trace.map_or_else(Vec::new, |trace| threads(program, trace)),
        "steps": trace.map_or_else(Vec::new, |trace| steps(program, trace)),
    })
}

fn bounds_value(bounds: &SearchBounds) -> Value {
    json!({
        "switches_done": bounds.switches_done,
        "switches": bounds.switches,
        "threads": bounds.threads,
        "path_steps": bounds.path_steps,
        "local_steps": bounds.local_steps,
        "states": bounds.states,
    })
}

fn threads(program: &Program<'_>, trace: &WitnessTrace) -> Vec<Value> {
    let threads = trace.threads.iter().enumerate();
    threads
        .map(|(number, thread)| {
            let started = thread.started.as_ref();
            json!({
                "name": trace.thread_name(number),
                "entry": thread.entry,
                "harness": thread.is_harness,
                "started": started.and_then(|place| program.location(place, 0)),
            })
        })
        .collect()
}

fn steps(program: &Program<'_>, trace: &WitnessTrace) -> Vec<Value> {
    let base = base(program);
    let steps = trace.all_steps().enumerate();
    steps
        .map(|(index, step)| {
            let place = step.place.as_ref();
            let location = place.and_then(|place| program.location(place, step.length()));
            json!({
                "number": index + 1,
                "thread": step.thread,
                "uri": location.as_ref().map(|it| &it.uri),
                "range": location.as_ref().map(|it| it.range),
                "file": place.map(|place| base.shown(&place.path)),
                "function": step.function,
                "what": step.text,
                "value": step.value,
                "locks": step.locks,
                // What happens at the same time.
                "end": index >= trace.steps.len(),
            })
        })
        .collect()
}

/// Names of files are relative to the program's folder.
fn base(program: &Program<'_>) -> PathBase {
    let folder = program.root.parent().filter(|_| !program.root.is_dir());
    PathBase::new(folder.unwrap_or(program.root))
}

/// The interleaving with a column for each thread. `None` if there is no such race.
pub fn text(view: &View<'_>, id: &str) -> Option<String> {
    let mut programs = view.programs();
    programs.find_map(|program| {
        let race = program.race(id)?;
        Some(match &race.verified {
            Some(verified) => verified_text(race, verified, &base(&program)),
            None => format!("The race on {} has not been verified yet.\n", race.location),
        })
    })
}
