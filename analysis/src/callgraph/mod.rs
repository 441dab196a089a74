//! Who calls whom: functions by name, the targets of every call, and the order in which callees come
//! before their callers.

mod components;
mod functions;
mod targets;

pub use components::Components;
pub use functions::{FunctionId, Functions};
pub use targets::{CallGraph, IndirectCalls, KnownCalls, Target};
