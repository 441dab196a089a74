//! The steps of both threads up to their accesses.

use super::super::{Access, PathBase, text};
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
