//! Which threads there are, which functions each of them runs, and what is known where a function is
//! entered: the locks that are held and what the formals are.

mod absolute;
mod again;
#[cfg(debug_assertions)]
mod agreement;
mod at_calls;
mod call_paths;
mod companies;
mod context;
mod contexts;
mod deciding;
mod flow;
mod given;
mod group_roots;
mod left_behind;
mod multiplicity;
mod numbers;
mod order;
mod prepared;
mod reachable;
mod reached;
mod replay;
mod rerouting;
mod roots;
mod settling;
mod timeline;
mod turns;

pub use absolute::{Binder, is_unique};
pub use again::contexts_again;
pub use at_calls::ThreadsAt;
pub use call_paths::CallPaths;
pub use companies::CompanyId;
pub use context::{Context, ContextId, Held, Running, Threads};
pub use contexts::{Arrival, Contexts};
pub use flow::{Sources, contexts};
pub use order::Moment;
pub use reachable::reachable;
pub use roots::{Entries, RootId, RootKind, ThreadRoot, ThreadRules};
