//! What an edit costs, beside a check from scratch in the same process: `edit_costs EDITS FILE.i…`. The first file is
//! the one that is edited; all are preprocessed.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, CheckedProgram, UnitChange};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use racelens_analysis::stop::Stop;
use racelens_tests::edits::edited;
use racelens_tests::random::Random;
use std::sync::Arc;
use std::time::{Duration, Instant};
use ustr::Ustr;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let edits: usize = arguments
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or_else(|| usage());
    let files: Vec<String> = arguments.collect();
    if files.is_empty() {
        usage();
    }
    let texts: Vec<(String, String)> = files.iter().map(|file| read(file)).collect();
    // As much stack as the program itself gives its threads.
    let pool = rayon::ThreadPoolBuilder::new().stack_size(16 << 20).build();
    match pool {
        Ok(pool) => pool.install(|| measure(edits, texts)),
        Err(error) => eprintln!("the threads cannot be started: {error}"),
    }
}

fn usage() -> ! {
    eprintln!("usage: edit_costs EDITS FILE.i [FILE.i...]");
    std::process::exit(2);
}

/// The name of the main file, and the text.
fn read(file: &str) -> (String, String) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| {
        eprintln!("{file} cannot be read: {error}");
        std::process::exit(2);
    });
    let name = text.split('"').nth(1).unwrap_or(file).to_owned();
    (name, text)
}

fn apply(host: &mut AnalysisHost, texts: &[(String, String)]) {
    let units = texts.iter().map(|(name, text)| UnitChange {
        path: Ustr::from(name),
        text: Some(Arc::from(text.as_str())),
        data_model: DataModel::LP64,
    });
    host.apply(Change {
        units: units.collect(),
    });
}

fn check(host: &AnalysisHost, before: Option<&CheckedProgram>) -> CheckedProgram {
    let analysis = host.analysis();
    let stop = Stop::default();
    let check = analysis.check_again(Models::builtin(), Options::default(), &[], before, &stop);
    check.expect("nobody stops it")
}

fn measure(edits: usize, mut texts: Vec<(String, String)>) {
    let mut host = AnalysisHost::default();
    let started = Instant::now();
    apply(&mut host, &texts);
    let mut before = check(&host, None);
    println!(
        "cold: {:?}, {} races",
        started.elapsed(),
        before.program.races.len()
    );
    let started = Instant::now();
    drop(check(&host, None));
    let scratch = started.elapsed();
    println!("check from scratch: {scratch:?}");
    let mut random = Random::new(1);
    let mut costs: Vec<(Duration, Duration)> = Vec::new();
    for _ in 0..edits {
        let (name, text) = &texts[0];
        texts[0].1 = edited(text, name, &mut random);
        let started = Instant::now();
        apply(&mut host, &texts[..1]);
        let applied = started.elapsed();
        before = check(&host, Some(&before));
        costs.push((applied, started.elapsed() - applied));
    }
    let mut show = |what: &str, cost: &dyn Fn(&(Duration, Duration)) -> Duration| {
        costs.sort_by_key(|costs| cost(costs));
        let at = |share: usize| cost(&costs[(costs.len() - 1) * share / 100]);
        println!(
            "{what}: median {:?}, 90 %: {:?}, 99 %: {:?}, most {:?}",
            at(50),
            at(90),
            at(99),
            at(100)
        );
    };
    if edits > 0 {
        show("read", &|cost| cost.0);
        show("check", &|cost| cost.1);
    }
}
