//! How long a check goes on that nobody wants any more.
//!
//! `stop_latency DIRECTORY [STOPS]` reads the program in a directory, checks it from scratch that often, stops each check at another
//! moment, evenly spread over the time that a whole one takes, and prints the median, the 90th and the 99th percentile and the longest of
//! what it took from the word to the end, in milliseconds.

use racelens::project::LoadOptions;
use racelens::race_options::RaceOptions;
use racelens::races::Check;
use racelens::workspace::Workspace;
use racelens_analysis::stop::Stop;
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
    let latencies: Vec<(Duration, Duration)> = moments
        .filter_map(|moment| Some((latency(&workspace, moment)?, moment)))
        .collect();
    let mut sorted: Vec<Duration> = latencies.iter().map(|(latency, _)| *latency).collect();
    sorted.sort();
    let Some((longest, at)) = latencies.iter().max() else {
        eprintln!("{directory}: every check was done before it was stopped");
        return ExitCode::FAILURE;
    };
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1000.0;
    let percentile = |percent: usize| milliseconds(sorted[(sorted.len() - 1) * percent / 100]);
    println!(
        "{} stops of a check of {:.0} ms: median {:.1}, 90 % {:.1}, 99 % {:.1}, longest {:.1} ms (stopped after {:.0} ms)",
        sorted.len(),
        milliseconds(whole),
        percentile(50),
        percentile(90),
        percentile(99),
        milliseconds(*longest),
        milliseconds(*at),
    );
    ExitCode::SUCCESS
}

/// From the word that a check is not wanted, at this moment of it, to its end; `None` if it was done by then.
fn latency(workspace: &Workspace, moment: Duration) -> Option<Duration> {
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
    let stopped = Check::again(workspace, options, None, &Stop::from(is_set)).is_err();
    let ended = Instant::now();
    stopper.join().expect("it only sleeps");
    let said = said.get()?;
    stopped.then(|| ended - *said)
}
