//! The order of an interleaving in terms of places in source files: which thread passes which of them when.

use crate::project::Place;
use crate::report::{TraceStep, WitnessTrace};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An expression of a source file in front of which threads wait.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Site {
    pub file: PathBuf,
    pub line: u32,
    /// In characters, from one.
    pub column: u32,
    pub text: String,
    /// It is called, and not a place in memory.
    pub is_call: bool,
}

/// A thread's visit to a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    pub thread: usize,
    pub site: usize,
    /// How often the thread comes there, from one.
    pub visit: u32,
    /// Where that is and what happens, for people.
    pub what: String,
}

#[derive(Clone, Default, Debug)]
pub struct Schedule {
    pub sites: Vec<Site>,
    /// In this order.
    pub steps: Vec<Item>,
    /// At the same time.
    pub ends: Vec<Item>,
    /// Steps whose place in the text is not one expression that could be marked.
    pub unmarked: Vec<String>,
}

impl Schedule {
    pub fn new(trace: &WitnessTrace) -> Schedule {
        let mut schedule = Schedule::default();
        let mut numbers: BTreeMap<Site, usize> = BTreeMap::new();
        let mut visits: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        // Where each thread was last, to tell one evaluation from two.
        let mut last: BTreeMap<usize, (usize, (u32, u32, u32))> = BTreeMap::new();
        let all = trace.steps.iter().map(|step| (step, false));
        for (step, is_end) in all.chain(trace.ends.iter().map(|end| (end, true))) {
            let Some(site) = site(step) else {
                if let Some(place) = &step.place {
                    let name = file_name(place);
                    schedule
                        .unmarked
                        .push(format!("{name}:{} {}", place.line, step.text));
                }
                continue;
            };
            let next = numbers.len();
            let number = *numbers.entry(site.clone()).or_insert(next);
            if number == schedule.sites.len() {
                schedule.sites.push(site);
            }
            // `x++` reads and writes, and `sem_wait` waits and takes, but they are passed once.
            let before = last.insert(step.thread, (number, step.moment));
            let is_same =
                before.is_some_and(|(site, moment)| site == number && moment < step.moment);
            let visit = visits.entry((step.thread, number)).or_default();
            if is_same && !is_end {
                continue;
            }
            if is_same {
                // The step that stands for all of it is the end.
                schedule.steps.retain(|item| {
                    (item.thread, item.site, item.visit) != (step.thread, number, *visit)
                });
            } else {
                *visit += 1;
            }
            let item = Item {
                thread: step.thread,
                site: number,
                visit: *visit,
                what: what(step),
            };
            if is_end {
                schedule.ends.push(item);
            } else {
                schedule.steps.push(item);
            }
        }
        schedule
    }
}

fn what(step: &TraceStep) -> String {
    let place = step
        .place
        .as_ref()
        .map(|place| format!("{}:{} ", file_name(place), place.line));
    format!("{}{}", place.unwrap_or_default(), step.text)
}

fn file_name(place: &Place) -> String {
    let name = place.path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn site(step: &TraceStep) -> Option<Site> {
    let place = step.place.as_ref()?;
    let text = step.source.clone()?;
    Some(Site {
        file: place.path.clone(),
        line: place.line,
        column: place.column,
        is_call: text.ends_with(')')
            && text.starts_with(|letter: char| letter == '_' || letter.is_alphabetic()),
        text,
    })
}
