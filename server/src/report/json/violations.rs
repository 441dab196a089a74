//! Broken promises about locks, for programs.

use super::super::{PathBase, Violation};
use super::{
    CallView, CommentView, LockView, PlaceView, call_view, comment_view, lock_view, optional_place,
    place_view,
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct ViolationView<'r> {
    id: &'r str,
    code: &'r str,
    message: &'r str,
    subject: &'r str,
    lock: &'r str,
    #[serde(flatten)]
    place: PlaceView<'r>,
    length: u32,
    function: &'r str,
    thread: Option<&'r str>,
    thread_many: bool,
    thread_started: Option<PlaceView<'r>>,
    locks: Vec<LockView<'r>>,
    path: Vec<CallView<'r>>,
    benign_comments: Vec<CommentView<'r>>,
}

pub(super) fn view<'r>(violation: &'r Violation, base: &PathBase) -> ViolationView<'r> {
    let thread = violation.thread.as_ref();
    let started = thread.and_then(|thread| thread.started.as_ref());
    let locks = violation.locks.iter();
    let path = violation.path.iter();
    let comments = violation.benign_comment.iter();
    ViolationView {
        id: &violation.id,
        code: &violation.code,
        message: &violation.message,
        subject: &violation.subject,
        lock: &violation.lock,
        place: place_view(&violation.place, base),
        length: violation.length,
        function: &violation.function,
        thread: thread.map(|thread| thread.name.as_str()),
        thread_many: thread.is_some_and(|thread| thread.many),
        thread_started: optional_place(started, base),
        locks: locks.map(|lock| lock_view(lock, base)).collect(),
        path: path.map(|call| call_view(call, base)).collect(),
        benign_comments: comments
            .map(|comment| comment_view(comment, base))
            .collect(),
    }
}
