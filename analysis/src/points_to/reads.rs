//! Which answers of the points-to relation a piece of work has used, so that it need not be done again while they
//! stay the same.

use super::records::LabelId;
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// Answers that were used, each once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reads(Box<[Read]>);

/// One answer about a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Read {
    pub class: u32,
    pub aspect: Aspect,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Aspect {
    /// Which class it is.
    Identity,
    /// What the pointers in it point to.
    Target,
    /// The objects in it.
    Objects,
    /// The functions in it.
    Functions,
    /// Whether other threads get at it.
    Shared,
    /// One of its members.
    Member(LabelId),
    /// Of which records it does not tell the members apart.
    Collapsed,
    /// Which members it has.
    EveryMember,
    /// All that is inside it.
    Parts,
    /// Whether a certain class is inside it.
    Part(u32),
    /// Whether other threads get at something inside it.
    SharedPart,
}

impl Reads {
    pub(super) fn all(&self) -> &[Read] {
        &self.0
    }

    /// Those about one class.
    pub(super) fn about(&self, class: u32) -> &[Read] {
        let first = self.0.partition_point(|read| read.class < class);
        let rest = &self.0[first..];
        &rest[..rest.partition_point(|read| read.class == class)]
    }

    /// Whether all of these are among them.
    pub fn contain(&self, others: &Reads) -> bool {
        let mut others = others.0.iter();
        others.all(|read| self.0.binary_search(read).is_ok())
    }

    /// What two pieces of work have used.
    pub fn together(all: impl IntoIterator<Item = Reads>) -> Reads {
        let mut found: Vec<Read> = all
            .into_iter()
            .flat_map(|reads| reads.0.into_vec())
            .collect();
        found.sort_unstable();
        found.dedup();
        Reads(found.into_boxed_slice())
    }
}

thread_local! {
    /// What the work that this thread is doing has used; `None` while nobody wants to know.
    static OPEN: RefCell<Option<FxHashSet<Read>>> = const { RefCell::new(None) };
}

/// Does the work, which must stay on this thread, and tells which answers it has used.
pub fn recording<T>(work: impl FnOnce() -> T) -> (T, Reads) {
    let outer = Outer(OPEN.replace(Some(FxHashSet::default())));
    let result = work();
    let found = OPEN.take().unwrap_or_default();
    drop(outer);
    let mut found: Vec<Read> = found.into_iter().collect();
    found.sort_unstable();
    (result, Reads(found.into_boxed_slice()))
}

/// What is noted for others, and goes on when this is left, also by work that is stopped.
struct Outer(Option<FxHashSet<Read>>);

impl Drop for Outer {
    fn drop(&mut self) {
        OPEN.set(self.0.take());
    }
}

/// Notes an answer.
pub(super) fn note(class: u32, aspect: Aspect) {
    OPEN.with_borrow_mut(|open| {
        if let Some(found) = open {
            found.insert(Read { class, aspect });
        }
    });
}
