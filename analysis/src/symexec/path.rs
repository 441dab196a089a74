//! Symbolic places: memory named by how the function got there.

use super::value::Value;
use crate::ir::{
    BinaryOperator, BlockId, FunctionRef, GlobalRef, Landmark, LocalId, RecordRef, StatementId,
    Variable,
};
use crate::points_to::Class;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;
use ustr::Ustr;

/// A place in terms of the function's entry (the lvalues of RELAY fig. 2). A `Deref` follows the
/// pointer that the place before it held *when the function was entered*.
///
/// States are full of paths and are copied all the time: a copy shares the content, which never changes.
#[derive(Clone, Debug)]
pub struct Path(Arc<PathContent>);

#[derive(Debug)]
pub struct PathContent {
    pub root: Root,
    pub steps: Steps,
    hash: u64,
    /// See `Path::outlives_function`.
    outlives: bool,
}

pub type Steps = SmallVec<[Step; 4]>;

impl Deref for Path {
    type Target = PathContent;

    fn deref(&self) -> &PathContent {
        &self.0
    }
}

impl PartialEq for Path {
    fn eq(&self, other: &Path) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.hash == other.hash && self.root == other.root && self.steps == other.steps)
    }
}

impl Eq for Path {}

impl Hash for Path {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Path) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Root first, then step by step: what begins with a path stands right behind it.
impl Ord for Path {
    fn cmp(&self, other: &Path) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        // Names that are the same are one, which is quicker to see than which of two comes first.
        let mut steps = self.steps.iter().zip(&other.steps);
        let order = match self.root == other.root {
            false => self.root.cmp(&other.root),
            true => match steps.find(|(mine, theirs)| mine != theirs) {
                Some((mine, theirs)) => mine.cmp(theirs),
                None => self.steps.len().cmp(&other.steps.len()),
            },
        };
        debug_assert_eq!(
            order,
            (self.root, &self.steps).cmp(&(other.root, &other.steps))
        );
        order
    }
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
    /// A value that has no other name, by where this activation got it. It is the value itself, not a
    /// variable that holds it.
    Value(Definition),
    /// A local variable of an activation of that function in the same thread.
    Frame(FunctionRef, Variable),
    /// A local variable of an activation of that function in another thread.
    ForeignFrame(FunctionRef, Variable),
    /// What each thread that this call starts has for itself: an object, or a number.
    PerThread(Site),
    /// What the function returns, in what its callers are told: the value itself.
    Result,
    /// A number that a thread has taken from a counter in this memory, which gives each to one taker. If it is not
    /// such a number, it is a negative one.
    Ticket(Class),
    /// A value that a caller has given without a name that everybody knows, by its number in one context. It is the
    /// value itself, not a variable that holds it.
    Given(u32),
    /// Nobody knows what: something with the steps that follow.
    Somewhere,
}

/// A statement of the program, as an allocation site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Site {
    pub function: FunctionRef,
    pub statement: Landmark,
    /// Tells several objects apart that one call makes.
    pub part: u32,
}

/// Where a value without another name comes from. The name is good until control goes there again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Definition {
    /// What the statement computed, loaded or got from a call.
    Statement(StatementId),
    /// What a register held where paths met.
    Merge(BlockId, LocalId),
}

impl Definition {
    pub fn block(self) -> BlockId {
        match self {
            Definition::Statement(statement) => statement.block,
            Definition::Merge(block, _) => block,
        }
    }
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
    Bytes(i64),
    /// What an operation makes of the value so far and a constant. Only the values of indices end so.
    Computed(BinaryOperator, i64),
}

/// Which element of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Index {
    Constant(i64),
    /// The value that a place held at entry: equal names are equal elements.
    Entry(Path),
    Any,
}

/// Longer paths are not followed: in a recursive structure there is no longest one.
const LONGEST: usize = 10;

impl Path {
    pub fn new(root: Root) -> Path {
        Path::with_steps(root, Steps::new())
    }

    pub fn with_steps(root: Root, steps: Steps) -> Path {
        let mut hasher = FxHasher::default();
        root.hash(&mut hasher);
        steps.hash(&mut hasher);
        let hash = hasher.finish();
        let outlives = match root {
            Root::Global(_)
            | Root::Heap(_)
            | Root::Frame(..)
            | Root::ForeignFrame(..)
            | Root::PerThread(_)
            | Root::Ticket(_)
            | Root::Somewhere => true,
            Root::Formal(_) | Root::Local(_) | Root::Value(_) | Root::Result | Root::Given(_) => {
                steps.contains(&Step::Deref)
            }
        };
        Path(Arc::new(PathContent {
            root,
            steps,
            hash,
            outlives,
        }))
    }

    pub fn then(&self, step: Step) -> Path {
        self.extended(std::slice::from_ref(&step))
    }

    /// The place that these steps lead to from here.
    pub fn extended(&self, more: &[Step]) -> Path {
        if more.is_empty() {
            return self.clone();
        }
        let mut steps = Steps::with_capacity(self.steps.len() + more.len());
        steps.extend(self.steps.iter().chain(more).cloned());
        Path::with_steps(self.root, steps)
    }

    /// What the first steps lead to.
    pub fn beginning(&self, length: usize) -> Path {
        if length == self.steps.len() {
            return self.clone();
        }
        Path::with_steps(self.root, self.steps[..length].iter().cloned().collect())
    }

    /// The place in front of the last step, and that step.
    pub fn split_last(&self) -> Option<(Path, &Step)> {
        let (last, front) = self.steps.split_last()?;
        Some((self.beginning(front.len()), last))
    }

    /// The same way from another root.
    pub fn from_root(&self, root: Root) -> Path {
        Path::with_steps(root, self.steps.clone())
    }

    pub fn is_too_long(&self) -> bool {
        self.steps.len() > LONGEST
    }

    /// Whether the place belongs to a caller or to everybody, and not to this activation.
    pub fn outlives_function(&self) -> bool {
        self.outlives
    }

    /// Whether a caller of the function can understand the path.
    pub fn is_known_outside(&self) -> bool {
        self.all_roots(&|root| !matches!(root, Root::Local(_) | Root::Value(_)))
    }

    /// Whether all roots on the way, those of indices too, are of some kind.
    pub fn all_roots(&self, test: &dyn Fn(Root) -> bool) -> bool {
        test(self.root)
            && self.steps.iter().all(|step| match step {
                Step::Index(Index::Entry(path)) => path.all_roots(test),
                _ => true,
            })
    }

    /// The record and member that the path ends with, elements left aside.
    pub fn last_field(&self) -> Option<(RecordRef, Ustr)> {
        self.steps.iter().rev().find_map(|step| match step {
            Step::Field { record, name } => Some(Some((*record, *name))),
            Step::Index(_) => None,
            Step::Deref | Step::Bytes(_) | Step::Computed(..) => Some(None),
        })?
    }

    /// How the path leads from the object that it ends in to its end, with elements told apart only by
    /// constants; `None` if it ends in no member.
    pub fn shape(&self) -> Option<Vec<Step>> {
        self.last_field()?;
        let last = self.steps.iter().rposition(|step| *step == Step::Deref);
        let inside = &self.steps[last.map_or(0, |at| at + 1)..];
        let shape = inside.iter().map(|step| match step {
            Step::Index(Index::Entry(_)) => Step::Index(Index::Any),
            step => step.clone(),
        });
        Some(shape.collect())
    }

    /// What a path that ends with an operation is, where `value` says what the value before it is.
    pub fn computation(&self, value: &dyn Fn(&Value) -> Value) -> Value {
        match self.split_last() {
            Some((before, Step::Computed(operator, constant))) => {
                value(&Value::Entry(before)).computed(*operator, i128::from(*constant))
            }
            _ => Value::Anything,
        }
    }

    /// If this value is another one, or follows from it alone: the computation.
    pub fn computed_from(&self, other: &Path) -> Option<&[Step]> {
        let rest = self.steps.strip_prefix(other.steps.as_slice())?;
        let is_computed = rest.iter().all(|step| matches!(step, Step::Computed(..)));
        (self.root == other.root && is_computed).then_some(rest)
    }

    /// Whether an element on the way is not known by a constant.
    pub fn has_unknown_index(&self) -> bool {
        self.steps
            .iter()
            .any(|step| matches!(step, Step::Index(Index::Any | Index::Entry(_))))
    }

    /// The same way with any elements in place of those that are chosen by a value.
    pub fn with_any_element(&self) -> Path {
        let steps = self.steps.iter().map(|step| match step {
            Step::Index(Index::Entry(_)) => Step::Index(Index::Any),
            step => step.clone(),
        });
        Path::with_steps(self.root, steps.collect())
    }

    /// Whether the path names a formal anywhere.
    pub fn mentions_formal(&self) -> bool {
        !self.all_roots(&|root| !matches!(root, Root::Formal(_)))
    }

    /// Whether the path names anything by a number that only one context knows.
    pub fn mentions_given(&self) -> bool {
        !self.all_roots(&|root| !matches!(root, Root::Given(_)))
    }

    /// Whether the path names anything by a number that its thread has taken.
    pub fn mentions_ticket(&self) -> bool {
        !self.all_roots(&|root| !matches!(root, Root::Ticket(_)))
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
        // A variable, or an element of one, is no member of anything.
        let is_member = |path: &Path| matches!(path.steps.last(), Some(Step::Field { .. }));
        if (self.is_variable() && is_member(other)) || (other.is_variable() && is_member(self)) {
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

    fn is_variable(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Index(_)))
    }

    /// The element `index` positions behind the one that a pointer to `self` points to.
    pub fn element(&self, index: Index) -> Path {
        if index == Index::Constant(0) {
            return self.clone();
        }
        let mut steps = self.steps.clone();
        push_element(&mut steps, index);
        Path::with_steps(self.root, steps)
    }
}

/// Goes on to the element `index` positions behind the one that a pointer to the place so far points to.
pub fn push_element(steps: &mut Steps, index: Index) {
    if index == Index::Constant(0) {
        return;
    }
    match steps.last_mut() {
        Some(Step::Index(last)) => *last = last.plus(&index),
        _ => steps.push(Step::Index(index)),
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

impl Path {
    /// Writes the path as a C programmer would. `name` says what the path or a beginning of it is called;
    /// the longest one counts.
    pub fn render(&self, name: &dyn Fn(&Path) -> Option<Name>) -> String {
        let named = (0..=self.steps.len()).rev();
        let (length, start) = named
            .filter_map(|length| Some((length, name(&self.beginning(length))?)))
            .next()
            .unwrap_or((0, Name::Value(String::new())));
        let rest = &self.steps[length..];
        let (mut text, mut is_pointer) = match start {
            Name::Value(text) => (text, false),
            Name::Pointer(text) => (text, true),
        };
        let mut is_computed = false;
        for step in rest {
            match step {
                Step::Deref => {
                    if is_pointer {
                        text = format!("(*{text})");
                    }
                    is_pointer = true;
                    continue;
                }
                Step::Field { name: field, .. } => {
                    let arrow = if is_pointer { "->" } else { "." };
                    text = format!("{text}{arrow}{field}");
                }
                Step::Index(Index::Constant(value)) => text = format!("{text}[{value}]"),
                Step::Index(Index::Entry(path)) => text = format!("{text}[{}]", path.render(name)),
                Step::Index(Index::Any) => text = format!("{text}[?]"),
                Step::Bytes(bytes) => {
                    if is_pointer {
                        text = format!("(*{text})");
                    }
                    text = format!("{text}{{{bytes:+}}}");
                }
                Step::Computed(operator, constant) => {
                    if is_computed {
                        text = format!("({text})");
                    }
                    text = format!("{text} {} {constant}", operator.symbol());
                }
            }
            is_pointer = false;
            is_computed = matches!(step, Step::Computed(..));
        }
        if is_pointer { format!("*{text}") } else { text }
    }
}

/// What a place is called.
pub enum Name {
    /// By the name of what lies there.
    Value(String),
    /// By the name of a pointer to it.
    Pointer(String),
}

/// Formals print as `$0`, `$1`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&|path| {
            let root = || Name::Value(path.root.to_string());
            path.steps.is_empty().then(root)
        }))
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Root::Formal(index) => format!("${index}"),
            Root::Global(global) => global.name.to_string(),
            Root::Local(local) => format!("%{}", local.0),
            Root::Heap(site) | Root::PerThread(site) => {
                let part = match site.part {
                    0 => String::new(),
                    part => format!(".{part}"),
                };
                let StatementId { block, index } = site.statement.position;
                format!("heap({}:{}:{index}{part})", site.function.name, block.0)
            }
            Root::Value(Definition::Statement(statement)) => {
                format!("value({}:{})", statement.block.0, statement.index)
            }
            Root::Value(Definition::Merge(block, local)) => {
                format!("merge({}:%{})", block.0, local.0)
            }
            Root::Frame(function, variable) | Root::ForeignFrame(function, variable) => {
                format!("{}.{variable}", function.name)
            }
            Root::Result => "result".to_string(),
            Root::Ticket(_) => "ticket".to_string(),
            Root::Given(number) => format!("given({number})"),
            Root::Somewhere => "some".to_string(),
        };
        f.write_str(&text)
    }
}
