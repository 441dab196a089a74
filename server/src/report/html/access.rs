//! One access on the page: its thread, its source, its locks and the way to it.

use super::super::text::words;
use super::super::{Access, Lock};
use super::{Page, prose};
use maud::{Markup, html};

impl Page<'_> {
    pub(super) fn access(&self, access: &Access) -> Markup {
        html! {
            article {
                h3 {
                    span.kind.(access.kind.word()) { (words::kind(access.kind, access.atomic)) }
                    " of " code { (access.expression) }
                    " in " code { (access.function) }
                }
                p.thread { (prose(&words::thread(&access.thread, self.base))) }
                (self.excerpt(&access.place, access.length, Some(&access.expression)))
                (self.locks(&access.locks))
                @if !access.path.is_empty() { (self.way(access)) }
            }
        }
    }

    fn locks(&self, locks: &[Lock]) -> Markup {
        html! {
            @if locks.is_empty() {
                p.locks.none { "holds no lock" }
            } @else {
                ul.locks {
                    @for lock in locks {
                        li {
                            "holds " code { (lock.name) }
                            @if lock.shared { " for reading" }
                            @if let Some(place) = &lock.acquired { ", taken at " (words::place(place, self.base)) }
                        }
                    }
                }
            }
        }
    }

    /// The calls from the thread's entry down to the access.
    fn way(&self, access: &Access) -> Markup {
        html! {
            ol.way {
                li { code { (access.thread.name) } }
                @for call in &access.path {
                    li { code { (call.function) } " called at " (words::place(&call.place, self.base)) }
                }
            }
        }
    }
}
