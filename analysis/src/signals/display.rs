//! Signals as text, for tests and for looking into the analysis: `{after done (acquired), posted go, step 1}`.

use super::domain::{Locks, SignalState, Way};
use std::fmt;

impl fmt::Display for SignalState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (signal, passed) in self.passed() {
            let ways: Vec<String> = passed.ways.iter().map(Way::to_string).collect();
            parts.push(format!("after {signal} ({})", ways.join(" or ")));
        }
        for (signal, locks) in self.unset() {
            parts.push(format!("before {signal} ({locks})"));
        }
        for signal in self.won() {
            parts.push(format!("won {signal}"));
        }
        for signal in self.posted() {
            let name = signal.map_or("something".to_owned(), ToString::to_string);
            parts.push(format!("posted {name}"));
        }
        for barrier in self.phase.barriers() {
            parts.push(format!("{barrier} passed {}", self.phase.of(barrier)));
        }
        write!(f, "{{{}}}", parts.join(", "))
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Waited => f.write_str("waited"),
            Way::Once => f.write_str("once"),
            Way::Acquired => f.write_str("acquired"),
            Way::Locked(locks) => locks.fmt(f),
            Way::Own => f.write_str("own"),
        }
    }
}

impl fmt::Display for Locks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut locks: Vec<String> = self.held.iter().map(ToString::to_string).collect();
        if self.at_entry {
            locks.push("those at entry".to_owned());
        }
        write!(f, "under {}", locks.join(" or "))
    }
}
