//! How long a check goes on that nobody wants any more.
//!
//! `stop_latency DIRECTORY [STOPS]` reads the program in a directory, checks it from scratch that often, stops each check at another
//! moment, evenly spread over the time that a whole one takes, and prints for each stage in which it was stopped the median, the 90th and
//! the 99th percentile and the longest of what it took from the word to the end, in milliseconds.

use racelens::project::LoadOptions;
use racelens::race_options::RaceOptions;
use racelens::races::{Check, StageClock};
use racelens::report::StageName;
use racelens::workspace::Workspace;
use racelens_analysis::stop::Stop;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The same as in the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next() else {
        eprintln!("usage: stop_latency DIRECTORY [STOPS]");
        return ExitCode::from(2);
    };
    let stops = arguments.next().and_then(|stops| stops.parse().ok());
    let options = LoadOptions {
        paths: vec![PathBuf::from(&directory)],
        ..LoadOptions::default()
    };
    let workspace = match Workspace::load(&options, None) {
        Ok(workspace) => workspace,
        Err(error) => {
            eprintln!("{directory}: {error}");
            return ExitCode::FAILURE;
        }
    };
    // The first check also lowers every function, which no later one does.
    let whole = [(); 2].map(|()| {
        let started = Instant::now();
        std::hint::black_box(Check::new(&workspace, RaceOptions::new(&workspace, None)));
        started.elapsed()
    });
    let [_, whole] = whole;
    let stops: u32 = stops.unwrap_or(200);
    let moments = (0..stops).map(|number| whole * number / stops);
    let mut latencies: Vec<Latency> = moments
        .filter_map(|moment| latency(&workspace, moment))
        .collect();
    latencies.sort_by_key(|latency| latency.time);
    if latencies.is_empty() {
        eprintln!("{directory}: every check was done before it was stopped");
        return ExitCode::FAILURE;
    }
    println!("a check takes {:.0} ms", milliseconds(whole));
    println!("{:14} {}", "", Row::HEAD);
    let mut by_stage: BTreeMap<StageName, Vec<Duration>> = BTreeMap::new();
    for latency in &latencies {
        by_stage
            .entry(latency.stage)
            .or_default()
            .push(latency.time);
    }
    for (stage, times) in by_stage {
        println!("{:14} {}", stage.word(), Row(&times));
    }
    let all: Vec<Duration> = latencies.iter().map(|latency| latency.time).collect();
    println!("{:14} {}", "all", Row(&all));
    ExitCode::SUCCESS
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Sorted times as a line of the table.
struct Row<'r>(&'r [Duration]);

impl Row<'_> {
    const HEAD: &'static str = "stops  median    90 %    99 % longest";
}

impl Display for Row<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        write!(formatter, "{count:5}")?;
        for percent in [50, 90, 99, 100] {
            let time = self.0[(count - 1) * percent / 100];
            write!(formatter, " {:7.1}", milliseconds(time))?;
        }
        Ok(())
    }
}

/// How long a check went on that was stopped.
struct Latency {
    time: Duration,
    /// What it was at when it was stopped.
    stage: StageName,
}

/// Stops a check at this moment of it; `None` if it was done by then.
fn latency(workspace: &Workspace, moment: Duration) -> Option<Latency> {
    let is_set = Arc::new(AtomicBool::new(false));
    let said = Arc::new(OnceLock::new());
    let stopper = thread::spawn({
        let (is_set, said) = (is_set.clone(), said.clone());
        move || {
            thread::sleep(moment);
            let _ = said.set(Instant::now());
            is_set.store(true, Ordering::Relaxed);
        }
    });
    let options = RaceOptions::new(workspace, None);
    let clock = StageClock::default();
    let started = Instant::now();
    let check = Check::again_timed(workspace, options, None, &Stop::from(is_set), &clock);
    let ended = Instant::now();
    let was_stopped = check.is_err();
    stopper.join().expect("it only sleeps");
    let said = *said.get()?;
    let mut begins = started;
    let mut stages = clock.finish().into_iter().take_while(|stage| {
        let is_begun = begins <= said;
        begins += stage.time;
        is_begun
    });
    let first = stages.next()?;
    was_stopped.then(|| Latency {
        time: ended - said,
        stage: stages.last().unwrap_or(first).stage,
    })
}
