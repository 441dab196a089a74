//! The facts of one function.

use super::excess::Excess;
use crate::branches::{Branches, Passed};
use crate::callgraph::FunctionId;
use crate::forks::ForkState;
use crate::ir::{AccessKind, StatementId};
use crate::locksets::PointLocks;
use crate::models::Context;
use crate::ownership::{Privacy, Sharing};
use crate::points_to::Class;
use crate::references::{Drop, References};
use crate::shared_list::SharedList;
use crate::signals::SignalState;
use crate::symexec::{Path, Targets, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use ustr::Ustr;

/// Those of all functions, by number.
pub type Facts = SharedList<Arc<FunctionFacts>>;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionFacts {
    pub accesses: Vec<Access>,
    pub calls: Vec<CallFact>,
    pub starts: Vec<StartFact>,
    pub posts: Vec<PostFact>,
    pub barriers: Vec<BarrierFact>,
    /// Where its formals decide what it does.
    pub branches: Branches,
    /// What has happened to threads where the function returns.
    pub at_return: Arc<ForkState>,
    /// The same where it ends the thread that runs it.
    pub ends: Vec<Arc<ForkState>>,
    /// Where reference counts go down.
    pub drops: Vec<Drop>,
    pub names: VariableNames,
    pub excess: Excess,
}

/// What the source calls values that have no better name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct VariableNames {
    /// Variables that hold what a place held at entry.
    pub values: BTreeMap<Path, Ustr>,
    /// Variables that point to a place.
    pub pointers: BTreeMap<Path, Ustr>,
}

/// One access to memory that several threads may reach.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    pub statement: StatementId,
    pub kind: AccessKind,
    pub cell: Cell,
    /// Indivisible: does not race with others of that kind.
    pub atomic: bool,
    /// Gives the memory back.
    pub frees: bool,
    /// May go on to neighbouring elements of an array.
    pub stretches: bool,
    /// In terms of the function's entry.
    pub place: Targets,
    /// What a write leaves there.
    pub stored: Stored,
    pub locks: Arc<PointLocks>,
    pub forks: Arc<ForkState>,
    /// The place as the thread calls it that it belongs to, where a loop starts or joins one thread in each turn
    /// and this one does not run here.
    pub own_element: Option<Path>,
    /// Why nobody else knows the object, if it is so.
    pub privacy: Option<Arc<Privacy>>,
    pub signals: Arc<SignalState>,
    pub references: Arc<References>,
}

/// What a write leaves, as far as a variable that publishes something is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    /// Nothing but zero.
    pub zero: bool,
    /// Certainly not zero.
    pub nonzero: bool,
    pub publishes: Publishes,
}

/// What comes before a store for whoever has read it in acquire order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Publishes {
    #[default]
    Nothing,
    /// What is in front of a fence.
    UpToAFence,
    /// Everything in front of the store.
    Everything,
}

/// A library's object is posted.
#[derive(Clone, PartialEq, Debug)]
pub struct PostFact {
    pub statement: StatementId,
    pub class: Class,
    pub object: Targets,
    /// It counts posts, so that its first value matters.
    pub counts: bool,
    pub locks: Arc<PointLocks>,
    pub signals: Arc<SignalState>,
}

/// A barrier is passed.
#[derive(Clone, PartialEq, Debug)]
pub struct BarrierFact {
    pub statement: StatementId,
    pub barrier: Targets,
}

/// Which memory, for the index from memory to accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    pub class: Class,
    /// The whole object with all its members, and not a member alone.
    pub whole: bool,
}

/// A call of a function of the program, directly or by a library function that was given it.
#[derive(Clone, PartialEq, Debug)]
pub struct CallFact {
    pub statement: StatementId,
    pub targets: Vec<FunctionId>,
    /// What is called, if it is a value that a caller may know.
    pub callee: Option<Value>,
    pub arguments: Vec<Value>,
    /// What is certain about arguments, by their numbers.
    pub passed: Vec<(u32, Passed)>,
    /// Numbers that tell what the callee does to locks, by the place where it finds them at its entry.
    pub told: Vec<(Path, i128)>,
    /// Those of the arguments that the thread has taken from a counter, or that lie where such a number says.
    pub taken: Vec<Option<Value>>,
    pub locks: Arc<PointLocks>,
    pub forks: Arc<ForkState>,
    /// What others may know in front of it.
    pub sharing: Arc<Sharing>,
    /// Objects of the caller that the callee is given and nobody else knows, as the callee calls them.
    pub private: Vec<(Path, Privacy)>,
    pub signals: Arc<SignalState>,
    pub references: Arc<References>,
    /// What makes sure that it runs only once in the whole program.
    pub once: Option<Path>,
    /// May happen more than once in one run of the function.
    pub repeats: bool,
}

/// What lies in a place that a thread is given, as the thread calls it.
#[derive(Clone, PartialEq, Debug)]
pub struct StartedWith {
    pub place: Path,
    pub value: Value,
    /// Its memory, which nobody else writes.
    pub class: Class,
}

/// Something is started that runs beside its starter.
#[derive(Clone, PartialEq, Debug)]
pub struct StartFact {
    pub statement: StatementId,
    pub targets: Vec<FunctionId>,
    pub entry: Option<Value>,
    pub arguments: Vec<Value>,
    /// What is certain about them, by their numbers.
    pub passed: Vec<(u32, Passed)>,
    /// Numbers that each thread finds in what it is given.
    pub contents: Vec<StartedWith>,
    pub context: Context,
    pub locks: Arc<PointLocks>,
    /// The threads that may run already.
    pub forks: Arc<ForkState>,
    pub signals: Arc<SignalState>,
    /// One run of the function may start it more than once.
    pub repeats: bool,
}
