//! One race on the page: the two accesses side by side, and what speaks for and against it.

use super::super::text::words;
use super::super::{Access, Race, Tier};
use super::{Page, prose};
use maud::{Markup, html};

impl Page<'_> {
    pub(super) fn race(&self, race: &Race) -> Markup {
        let (pair, others) = race.accesses.split_at(race.accesses.len().min(2));
        html! {
            section.race id=(race.id) {
                h2 {
                    code { (race.location) }
                    " " (tier(race.tier))
                    " " span.rank { "rank " (race.rank) }
                    " " a.id href={ "#" (race.id) } { (race.id) }
                }
                div.pair { @for access in pair { (self.access(access)) } }
                (reasons(race))
                @if let Some(verified) = &race.verified { (self.verified(verified)) }
                @if !others.is_empty() { (self.others(others, race.unlisted.count)) }
                @if !race.benign_comments.is_empty() { (self.benign_comments(race)) }
            }
        }
    }

    fn others(&self, others: &[Access], unlisted: usize) -> Markup {
        let count = others.len() + unlisted;
        html! {
            details {
                summary { (words::counted(count, "other access of the same cause", "other accesses of the same cause")) }
                div.pair { @for access in others { (self.access(access)) } }
                @if unlisted > 0 { p { (words::counted(unlisted, "more is not listed", "more are not listed")) } }
            }
        }
    }

    fn benign_comments(&self, race: &Race) -> Markup {
        html! {
            details {
                summary { "If this race is benign" }
                ul {
                    @for comment in &race.benign_comments {
                        li {
                            "above " (self.base.shown(&comment.place.path)) ":" (comment.place.line) ": "
                            code { (comment.text) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn tier(tier: Tier) -> Markup {
    let text = match tier {
        Tier::Possible => "possible",
        Tier::Witnessed => "witnessed",
        Tier::ProvenSafe => "proven safe",
    };
    html! { span.tier.(tier.word()) { (text) } }
}

fn reasons(race: &Race) -> Markup {
    html! {
        @if !race.reasons.is_empty() {
            ul.reasons {
                @for reason in &race.reasons {
                    li.(if reason.doubt { "doubt" } else { "reason" }) {
                        @if reason.doubt { b { "Doubt: " } }
                        (prose(&reason.text))
                    }
                }
            }
        }
    }
}
