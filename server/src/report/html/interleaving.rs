//! The interleaving of a race on the page: a column for each thread, a row for each step.

use super::super::text::{verified_in_words, words};
use super::super::{TraceStep, Verified, WitnessTrace};
use super::Page;
use maud::{Markup, html};

impl Page<'_> {
    pub(super) fn verified(&self, verified: &Verified) -> Markup {
        html! {
            section.interleaving {
                h3 { (verified_in_words(verified)) }
                @if let Some(trace) = verified.trace() { (self.trace(trace)) }
            }
        }
    }

    fn trace(&self, trace: &WitnessTrace) -> Markup {
        let acting = trace.acting_threads();
        html! {
            div.steps {
                table {
                    thead {
                        tr {
                            th scope="col" { "Step" }
                            @for thread in &acting {
                                th scope="col" { (thread) ": " code { (trace.threads[*thread].entry) } }
                            }
                        }
                    }
                    tbody {
                        @for (index, step) in trace.all_steps().enumerate() {
                            (self.step(step, index, index >= trace.steps.len(), &acting))
                        }
                    }
                }
            }
            @if !trace.assumptions.is_empty() {
                p { "Assumed:" }
                ul { @for assumption in &trace.assumptions { li { (super::prose(assumption)) } } }
            }
        }
    }

    fn step(&self, step: &TraceStep, index: usize, is_end: bool, threads: &[usize]) -> Markup {
        html! {
            tr.end[is_end] {
                td.number { (index + 1) }
                @for thread in threads {
                    td {
                        @if *thread == step.thread {
                            code { (step.text) }
                            @if is_end { " " span.tier { "at the same time" } }
                            @if let Some(place) = &step.place {
                                div.source { (words::place(place, self.base)) " in " (step.function) }
                            }
                            @if !step.locks.is_empty() {
                                div.source { "holding " (step.locks.join(", ")) }
                            }
                        }
                    }
                }
            }
        }
    }
}
