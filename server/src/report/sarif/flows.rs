//! The steps of both threads up to their accesses.

use super::super::{Access, PathBase, TraceStep, WitnessTrace, text};
use super::location;
use crate::project::Place;
use serde_json::{Value, json};

/// One flow with a thread for each access.
pub(super) fn code_flow(pair: &[Access], base: &PathBase) -> Value {
    let threads: Vec<Value> = pair
        .iter()
        .enumerate()
        .map(|(index, access)| thread_flow(index + 1, access, base))
        .collect();
    json!({
        "message": { "text": "The two threads, up to the accesses that race" },
        "threadFlows": threads,
    })
}

/// The interleaving: a flow for each thread, whose steps say by their execution order how the threads take turns.
pub(super) fn interleaving(trace: &WitnessTrace, base: &PathBase) -> Value {
    let flow = |thread: usize| {
        let steps = trace.all_steps().enumerate();
        let own = steps.filter(|(_, step)| step.thread == thread);
        let locations: Vec<Value> = own
            .map(|(index, step)| step_value(trace, index, step, base))
            .collect();
        let name = trace.thread_name(thread);
        (!locations.is_empty()).then(|| {
            json!({
                "id": format!("{thread}: {name}"),
                "message": { "text": format!("Thread `{name}`") },
                "locations": locations,
            })
        })
    };
    let flows: Vec<Value> = (0..trace.threads.len()).filter_map(flow).collect();
    json!({
        "message": { "text": "An interleaving that gets to the race; the execution order says whose turn it is" },
        "threadFlows": flows,
    })
}

fn step_value(trace: &WitnessTrace, index: usize, step: &TraceStep, base: &PathBase) -> Value {
    let is_end = index >= trace.steps.len();
    let mut location = match &step.place {
        Some(place) => location(place, step.length(), base),
        None => json!({}),
    };
    location["message"] = json!({ "text": step.text });
    json!({
        "location": location,
        "executionOrder": index + 1,
        "importance": if is_end { "essential" } else { "important" },
        "state": { "locks": { "text": step.locks.join(", ") } },
    })
}

fn thread_flow(number: usize, access: &Access, base: &PathBase) -> Value {
    let name = &access.thread.name;
    let mut steps = Steps {
        base,
        steps: Vec::new(),
    };
    if let Some(started) = &access.thread.started {
        let what = format!("thread `{name}` is started");
        steps.push(started, 0, what, &["call", "function"], 0);
    }
    for (depth, call) in access.path.iter().enumerate() {
        let what = format!("`{}` is called", call.function);
        steps.push(&call.place, 0, what, &["call", "function"], depth);
    }
    let depth = access.path.len();
    for lock in &access.locks {
        if let Some(acquired) = &lock.acquired {
            let what = text::lock_taken_in_words(&lock.name, lock.shared);
            steps.push(acquired, 0, what, &["acquire", "lock"], depth);
        }
    }
    let what = text::access_in_words(access);
    steps.push(
        &access.place,
        access.length,
        what,
        &["danger", "memory"],
        depth,
    );
    if let Some(last) = steps.steps.last_mut() {
        last["importance"] = json!("essential");
    }
    json!({
        // Both accesses may be by threads that run the same function.
        "id": format!("{number}: {name}"),
        "message": { "text": format!("Thread `{name}`") },
        "locations": steps.steps,
    })
}

struct Steps<'b> {
    base: &'b PathBase,
    steps: Vec<Value>,
}

impl Steps<'_> {
    fn push(&mut self, place: &Place, length: u32, what: String, kinds: &[&str], depth: usize) {
        let mut location = location(place, length, self.base);
        location["message"] = json!({ "text": what });
        self.steps.push(json!({
            "location": location,
            "kinds": kinds,
            "nestingLevel": depth,
            "importance": "important",
        }));
    }
}
