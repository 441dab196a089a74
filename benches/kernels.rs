//! The steps that a check takes over and over: `cargo run --release --manifest-path benches/Cargo.toml -- --bench`.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use racelens_analysis::dataflow::Domain;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{Analysis, AnalysisHost, Change, UnitChange};
use racelens_analysis::ir::{BlockId, Landmark, StatementId};
use racelens_analysis::locksets::{Lockset, Mode};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use racelens_analysis::stages::{Stage, Stages};
use racelens_analysis::stop::Stop;
use racelens_analysis::symexec::{Path, Root, Step};
use std::fmt::Write;
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use ustr::Ustr;

fn locksets(criterion: &mut Criterion) {
    let lock = |number| Path::new(Root::Formal(number)).then(Step::Deref);
    let position = StatementId {
        block: BlockId(0),
        index: 0,
    };
    let at = Landmark::of_call(Ustr::from("lock"), 0, position);
    let holding = |numbers: std::ops::Range<u32>| {
        let mut set = Lockset::default();
        for number in numbers {
            set.acquire(lock(number), Mode::Exclusive, at);
        }
        set
    };
    let mut group = criterion.benchmark_group("lockset");
    for count in [1, 4, 16] {
        // One of the locks is held on one of the two paths only.
        let (one, other) = (holding(0..count), holding(1..count + 1));
        group.bench_function(BenchmarkId::new("join", count), |bencher| {
            bencher.iter(|| {
                let mut joined = black_box(&one).clone();
                joined.join(black_box(&other));
                joined
            });
        });
        let wanted = lock(count);
        group.bench_function(BenchmarkId::new("acquire and release", count), |bencher| {
            bencher.iter(|| {
                let mut set = black_box(&one).clone();
                set.acquire(wanted.clone(), Mode::Exclusive, at);
                set.release(wanted.clone());
                set
            });
        });
    }
}

/// From the text of a function to its body, types included.
fn parsing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse and lower");
    for statements in [10, 100] {
        let text = program(&long_function(statements));
        group.bench_function(BenchmarkId::new("statements", statements), |bencher| {
            bencher.iter(|| {
                let analysis = analysed(&text);
                let functions = analysis.functions().into_iter();
                let is_body = |function: &_| analysis.body(*function).is_some();
                assert_eq!(functions.filter(is_body).count(), 3);
            });
        });
    }
}

/// The summary of one function, in a program that has two more small ones.
fn summaries(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("summary of a function");
    for statements in [10, 100] {
        let analysis = analysed(&program(&long_function(statements)));
        group.bench_function(BenchmarkId::new("statements", statements), |bencher| {
            bencher.iter_custom(|times| time_of(Stage::Summaries, &analysis, times));
        });
    }
}

/// The pairs of one location that two threads access, some with its lock and some without.
fn pairing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pairs of a location");
    for accesses in [10, 100, 1000] {
        let analysis = analysed(&program(&accesses_to_one_location(accesses)));
        group.bench_function(BenchmarkId::new("accesses", accesses), |bencher| {
            bencher.iter_custom(|times| time_of(Stage::Pairing, &analysis, times));
        });
    }
}

criterion_group!(kernels, locksets, parsing, summaries, pairing);
criterion_main!(kernels);

/// A program in which two threads run `work`.
fn program(work: &str) -> String {
    format!(
        "typedef unsigned long pthread_t;\n\
         typedef struct {{ int held; }} pthread_mutex_t;\n\
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
         int pthread_mutex_lock(pthread_mutex_t *);\n\
         int pthread_mutex_unlock(pthread_mutex_t *);\n\
         struct state {{ pthread_mutex_t lock; int count; struct state *next; }};\n\
         static struct state shared;\n\
         static void work(struct state *s)\n{{\n{work}}}\n\
         static void *run(void *argument)\n{{\n    work(&shared);\n    return argument;\n}}\n\
         int main(void)\n{{\n    pthread_t first;\n    pthread_create(&first, 0, run, 0);\n    work(&shared);\n    return 0;\n}}\n"
    )
}

fn long_function(statements: usize) -> String {
    let mut text = String::new();
    for number in 0..statements {
        let statement = match number % 5 {
            0 => "pthread_mutex_lock(&s->lock);".to_owned(),
            1 => format!("if (s->count > {number}) s->count += {number};"),
            2 => "pthread_mutex_unlock(&s->lock);".to_owned(),
            3 => format!("for (int i = 0; i < {number}; i++) s->count ^= i;"),
            _ => "if (s->next) s = s->next;".to_owned(),
        };
        let _ = writeln!(text, "    {statement}");
    }
    text
}

fn accesses_to_one_location(accesses: usize) -> String {
    let mut text = String::new();
    for number in 0..accesses {
        let statement = match number % 3 {
            0 => format!("s->count = {number};"),
            1 => "pthread_mutex_lock(&s->lock); s->count = 0; pthread_mutex_unlock(&s->lock);"
                .to_owned(),
            _ => format!("if (s->count == {number}) return;"),
        };
        let _ = writeln!(text, "    {statement}");
    }
    text
}

fn analysed(text: &str) -> Analysis {
    let mut host = AnalysisHost::default();
    host.apply(Change {
        units: vec![UnitChange {
            path: Ustr::from("kernel.c"),
            text: Some(Arc::from(text)),
            data_model: DataModel::LP64,
        }],
    });
    host.analysis()
}

/// How long one stage takes in so many checks from scratch.
fn time_of(stage: Stage, analysis: &Analysis, times: u64) -> Duration {
    let clock = OneStage {
        wanted: stage,
        state: Mutex::default(),
    };
    let stop = Stop::default();
    for _ in 0..times {
        let (models, options) = (Models::builtin(), Options::default());
        let checked = analysis.check_watched(models, options, &[], None, &stop, &clock);
        let checked = checked.expect("nobody stops it");
        // Otherwise there would be nothing to pair.
        assert!(!checked.program.races.is_empty());
    }
    let state = clock.state.into_inner();
    state.expect("no check has panicked").spent
}

/// A clock that runs during one stage. The last stage of a check is none that is asked for.
struct OneStage {
    wanted: Stage,
    state: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    since: Option<Instant>,
    spent: Duration,
}

impl Stages for OneStage {
    fn begin(&self, stage: Stage) {
        let now = Instant::now();
        let mut state = self.state.lock().expect("no check has panicked");
        if let Some(since) = state.since.take() {
            state.spent += now - since;
        }
        state.since = (stage == self.wanted).then_some(now);
    }
}
