//! Symbolic execution of one function: what every place and value is in terms of the function's
//! formals and of globals (RELAY §3.1, fig. 2).

mod execution;
mod model_effects;
mod path;
mod rebind;
mod shared_map;
mod state;
mod summary;
mod value;
mod walks;

pub use execution::{CallEffect, CallSite, Calls, Execution};
pub use model_effects::model_value;
pub use path::{Definition, Index, Name, Path, Root, Site, Step, Steps, push_element};
pub use rebind::Rebinding;
pub use state::State;
pub(crate) use state::mentions_definition;
pub use summary::{ValueSummary, summarise};
pub use value::{Targets, Value};
