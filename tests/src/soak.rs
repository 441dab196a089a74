//! Edits without end, as in an editor that is open for days, and how much memory they leave behind.

use crate::edits::edited;
use crate::incremental::{MAIN_FILE, apply, check};
use crate::random::Random;
use racelens::process_memory::ProcessMemory;
use racelens_analysis::host::{AnalysisHost, CheckedProgram};

/// How much memory the process has at moments of a run, in bytes.
pub struct Memory {
    pub samples: Vec<u64>,
}

/// How many moments are looked at.
const SAMPLES: usize = 100;

impl Memory {
    /// How much more the second half ends with than it began with, in percent.
    pub fn growth_percent(&self) -> f64 {
        let count = self.samples.len();
        // The highest of some neighbours: what is free for a moment says nothing.
        let around = |at: usize| {
            let from = at.saturating_sub(count / 10);
            self.samples[from..at].iter().copied().max().unwrap_or(1) as f64
        };
        let (middle, end) = (around(count / 2), around(count));
        (end / middle - 1.0) * 100.0
    }
}

/// Edits a program so many times, checks it after each edit, and tells `watch` how far it is.
///
/// Every edit begins with the program as it was, so that it stays one; new names, types and functions come with it, as
/// they do while somebody types.
pub fn soak(program: &str, edits: usize, watch: &mut dyn FnMut(usize, u64)) -> Memory {
    let mut random = Random::new(edits as u64);
    let mut host = AnalysisHost::default();
    let mut before: Option<CheckedProgram> = None;
    let mut samples = Vec::new();
    for edit in 0..edits {
        let mut text = program.to_owned();
        for _ in 0..=random.below(2) {
            text = edited(&text, MAIN_FILE, &mut random);
        }
        text.push_str(&new_names(edit, &mut random));
        apply(&mut host, &text);
        before = Some(check(&host.analysis(), before.as_ref()));
        if (edit + 1) % edits.div_ceil(SAMPLES) == 0 {
            // Where the system does not tell, nothing is measured.
            let memory = ProcessMemory::read().now.unwrap_or_default();
            samples.push(memory);
            watch(edit + 1, memory);
        }
    }
    Memory { samples }
}

/// Something that is not there twice.
fn new_names(edit: usize, random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("struct soak_{edit} {{ int member_{edit}; struct soak_{edit} *next; }};\n"),
        1 => format!("static int soak_{edit}(int argument_{edit}) {{ return argument_{edit}; }}\n"),
        2 => format!("typedef int soak_{edit};\nextern soak_{edit} variable_{edit};\n"),
        _ => String::new(),
    }
}
