//! Symbolic places: memory named by how the function got there.

use crate::ir::{FunctionRef, GlobalRef, LocalId, RecordRef, StatementId};
use std::fmt;
use ustr::Ustr;

/// A place in terms of the function's entry (the lvalues of RELAY fig. 2). A `Deref` follows the
/// pointer that the place before it held *when the function was entered*.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Path {
    pub root: Root,
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Root {
    /// The variable of the n-th formal.
    Formal(u32),
    Global(GlobalRef),
    /// A local variable in memory.
    Local(LocalId),
    /// What an allocation made.
    Heap(Site),
}

/// A statement of the program, as an allocation site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Site {
    pub function: FunctionRef,
    pub statement: StatementId,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Step {
    Deref,
    Field {
        record: RecordRef,
        name: Ustr,
    },
    Index(Index),
    /// So many bytes away: from a member back to what contains it.
    Bytes(i128),
}

/// Which element of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Index {
    Constant(i128),
    /// The value that a place held at entry: equal names are equal elements.
    Entry(Box<Path>),
    Any,
}

/// Longer paths are not followed: in a recursive structure there is no longest one.
const LONGEST: usize = 10;

impl Path {
    pub fn new(root: Root) -> Path {
        Path {
            root,
            steps: Vec::new(),
        }
    }

    pub fn then(mut self, step: Step) -> Path {
        self.steps.push(step);
        self
    }

    pub fn is_too_long(&self) -> bool {
        self.steps.len() > LONGEST
    }

    /// Whether the place belongs to a caller or to everybody, and not to this activation.
    pub fn outlives_function(&self) -> bool {
        match self.root {
            Root::Global(_) | Root::Heap(_) => true,
            Root::Formal(_) => self.steps.contains(&Step::Deref),
            Root::Local(_) => self.steps.contains(&Step::Deref),
        }
    }

    /// Whether the path names a formal anywhere.
    pub fn mentions_formal(&self) -> bool {
        matches!(self.root, Root::Formal(_))
            || self.steps.iter().any(
                |step| matches!(step, Step::Index(Index::Entry(path)) if path.mentions_formal()),
            )
    }

    /// Whether `other` is this place or a part of it, reached by members and elements alone.
    pub fn contains(&self, other: &Path) -> bool {
        other.root == self.root
            && other.steps.starts_with(&self.steps)
            && !other.steps[self.steps.len()..].contains(&Step::Deref)
    }

    /// Whether two different paths may name the same memory, as far as their last steps tell.
    pub fn may_overlap(&self, other: &Path) -> bool {
        let is_own = |path: &Path| !path.outlives_function();
        if is_own(self) != is_own(other) || (is_own(self) && self.root != other.root) {
            return false;
        }
        match (self.steps.last(), other.steps.last()) {
            (
                Some(Step::Field { record, name }),
                Some(Step::Field {
                    record: other_record,
                    name: other_name,
                }),
            ) => {
                name == other_name
                    && (record == other_record || record.is_opaque() || other_record.is_opaque())
            }
            (
                Some(Step::Index(Index::Constant(left))),
                Some(Step::Index(Index::Constant(right))),
            ) => left == right,
            _ => true,
        }
    }

    /// The element `index` positions behind the one that a pointer to `self` points to.
    pub fn element(mut self, index: Index) -> Path {
        if index == Index::Constant(0) {
            return self;
        }
        match self.steps.last_mut() {
            Some(Step::Index(last)) => *last = last.plus(&index),
            _ => self.steps.push(Step::Index(index)),
        }
        self
    }
}

impl Index {
    fn plus(&self, other: &Index) -> Index {
        match (self, other) {
            (Index::Constant(left), Index::Constant(right)) => {
                left.checked_add(*right).map_or(Index::Any, Index::Constant)
            }
            (Index::Constant(0), other) => other.clone(),
            _ => Index::Any,
        }
    }
}

/// Prints as a C programmer would write it; formals as `$0`, `$1`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = match self.root {
            Root::Formal(index) => format!("${index}"),
            Root::Global(global) => global.name.to_string(),
            Root::Local(local) => format!("%{}", local.0),
            Root::Heap(site) => format!(
                "heap({}:{}:{})",
                site.function.name, site.statement.block.0, site.statement.index
            ),
        };
        let mut steps = self.steps.iter().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Deref => match steps.peek() {
                    Some(Step::Field { name, .. }) => {
                        text = format!("{text}->{name}");
                        steps.next();
                    }
                    Some(Step::Index(_)) => {}
                    _ => text = format!("(*{text})"),
                },
                Step::Field { name, .. } => text = format!("{text}.{name}"),
                Step::Index(Index::Constant(value)) => text = format!("{text}[{value}]"),
                Step::Index(Index::Entry(path)) => text = format!("{text}[{path}]"),
                Step::Index(Index::Any) => text = format!("{text}[?]"),
                Step::Bytes(bytes) => text = format!("{text}{{{bytes:+}}}"),
            }
        }
        f.write_str(&text)
    }
}
