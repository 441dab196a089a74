//! What names of locks stand for.

use crate::symexec::{Index, Path, Root, Step};

/// Whether a name stands for one lock only.
pub(super) fn is_exact(path: &Path) -> bool {
    path.root != Root::Somewhere && !path.steps.contains(&Step::Index(Index::Any))
}

/// Whether two names may stand for one lock: an element that is not known, or members of the same
/// name behind different pointers.
pub(super) fn may_be_same(left: &Path, right: &Path) -> bool {
    if left == right {
        return true;
    }
    let is_fixed = |path: &Path| {
        !path.steps.contains(&Step::Deref)
            && !path.has_unknown_index()
            && path.root != Root::Somewhere
    };
    let is_variable = |path: &Path| {
        matches!(path.root, Root::Global(_) | Root::Local(_)) && !path.steps.contains(&Step::Deref)
    };
    // Behind a pointer of which only that is known, there is no variable of another name.
    let is_anywhere = |path: &Path| path.root == Root::Somewhere && path.steps.is_empty();
    if is_anywhere(left) || is_anywhere(right) {
        return !is_variable(left) && !is_variable(right);
    }
    // A lock in a variable of which any part may be meant.
    let is_whole = |path: &Path| matches!(path.root, Root::Global(_)) && path.steps.is_empty();
    if left.root == right.root && (is_whole(left) || is_whole(right)) {
        return left.contains(right) || right.contains(left);
    }
    // Whatever elements are meant, two variables have none in common.
    if is_variable(left) && is_variable(right) && left.root != right.root {
        return false;
    }
    // Two constant parts of variables are different locks.
    if is_fixed(left) && is_fixed(right) {
        return false;
    }
    left.may_overlap(right)
}
