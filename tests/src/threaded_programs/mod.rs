//! Small programs with threads, of which everything that can happen is known: what the oracle, the search and the
//! sequential program say of them.

mod generator;

pub use generator::{Size, program};

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{
    Analysis, AnalysisHost, Change, CheckedProgram, UnitChange, Verification,
};
use racelens_analysis::kiss::concurrent::oracle::{Everything, explore};
use racelens_analysis::kiss::concurrent::turns::Turns;
use racelens_analysis::kiss::machine::{Machine, SchedulingPoints};
use racelens_analysis::kiss::schedule::Goal;
use racelens_analysis::kiss::search::choices::{ChoiceBounds, Tried, try_all_choices};
use racelens_analysis::kiss::search::{Bounds, Targets};
use racelens_analysis::kiss::sequential::{
    Checked, Found, Listing, Options, Points, Scheduling, found, listing, sequentialise,
};
use racelens_analysis::models::Models;
use racelens_analysis::races;
use std::collections::BTreeSet;
use std::sync::Arc;
use ustr::Ustr;

use crate::compiler;

/// What programs need of the headers, which would take longer to read than the programs.
const DECLARATIONS: &str = "
typedef unsigned long pthread_t;
typedef struct { int kind; } pthread_mutex_t, pthread_cond_t, sem_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_post(sem_t *);
void *malloc(unsigned long);
void __assert_fail(const char *, const char *, unsigned, const char *);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
#define assert(condition) do { if (!(condition)) __assert_fail(\"\", \"\", 0, \"\"); } while (0)
";

/// How the sequential program is made, and how far it is followed.
#[derive(Clone, Copy, Debug)]
pub struct Sequential {
    pub scheduling: Scheduling,
    /// The most threads that wait, or the number of rounds.
    pub bound: u32,
    pub points: Points,
    /// Whether violated assertions are looked for, instead of races.
    pub asserts: bool,
    pub states: usize,
}

/// Steps between two choices: none of the programs has a loop that is longer.
const STEPS: u32 = 20_000;

pub struct ThreadedProgram {
    analysis: Analysis,
    checked: CheckedProgram,
    /// Otherwise there is no use in looking for violated ones.
    pub has_assertions: bool,
}

impl ThreadedProgram {
    /// Reads C that includes no header.
    pub fn new(text: &str) -> ThreadedProgram {
        ThreadedProgram {
            has_assertions: text.contains("assert("),
            ..ThreadedProgram::of_source(&format!("{DECLARATIONS}{text}"))
        }
    }

    /// Reads C as it is.
    pub fn of_source(text: &str) -> ThreadedProgram {
        let analysis = read(&compiler::preprocess(text));
        let checked = analysis.check(Models::builtin(), races::Options::default());
        ThreadedProgram {
            analysis,
            checked,
            has_assertions: true,
        }
    }

    /// Everything that can happen where threads take such turns: whether that is all, and what.
    ///
    /// # Panics
    /// If the program cannot be run: there is nothing to compare with then.
    pub fn everything(&self, turns: &Turns, most_states: usize) -> (bool, BTreeSet<Found>) {
        let program = self.analysis.executable("main").expect("there is a main");
        let points = SchedulingPoints::Everywhere;
        let machine = Machine::new(&program, &self.checked.models, points);
        let everything = explore(&machine.expect("it has values"), turns, most_states);
        (everything.complete, all_of(&everything))
    }

    /// What the search finds, with threads switched where others can notice or everywhere.
    ///
    /// # Panics
    /// If it finds what does not replay.
    pub fn searched(&self, points: Points, bounds: Bounds) -> (bool, BTreeSet<Found>) {
        let targets = Targets {
            any_race: true,
            assertions: true,
            ..Targets::default()
        };
        let (analysis, checked) = (&self.analysis, &self.checked);
        let verification: Verification = match points {
            Points::WhereNoticed => analysis.verify(checked, "main", &targets, bounds, &|| false),
            Points::Everywhere => {
                let points = SchedulingPoints::Everywhere;
                analysis.verify_with(checked, "main", &targets, bounds, points, &|| false)
            }
        }
        .expect("the program can be run");
        assert_eq!(verification.rejected, Vec::<String>::new());
        let witnessed = verification.witnessed.iter();
        let found = witnessed.map(|witnessed| match witnessed.witness.goal {
            Goal::Race { first, second } => {
                Found::Race(first.1.min(second.1), first.1.max(second.1))
            }
            Goal::Assertion { at, .. } => Found::Assertion(at),
        });
        (verification.outcome.complete, found.collect())
    }

    /// What the sequential program comes to when every choice is tried: printed as C, read by the front end like any
    /// other program, and run by the machine with one thread.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn sequentially(&self, how: Sequential) -> (Tried, BTreeSet<Found>) {
        let program = self.analysis.runnable("main");
        let checked = match how.asserts {
            true => Checked::Nothing,
            false => Checked::Everything,
        };
        let sequential = sequentialise(
            &program,
            &self.checked.models,
            &Options {
                scheduling: how.scheduling,
                points: how.points,
                checked: &checked,
                asserts: how.asserts,
                points_to: Some(&self.checked.program.points_to),
            },
        );
        let text = listing(
            &sequential,
            &Listing {
                max: how.bound,
                rounds: how.bound,
                location: &|_, _| None,
            },
        );
        let text = compiler::preprocess(&format!("#define RACELENS_EXPLORED\n{text}"));
        let analysis = read(&text);
        let program = analysis.executable("main").expect("there is a main");
        let points = SchedulingPoints::Only(Default::default());
        let machine = Machine::new(&program, Models::builtin(), points).expect("it has values");
        let bounds = ChoiceBounds {
            states: how.states,
            steps: STEPS,
        };
        let mut all = BTreeSet::new();
        let tried = try_all_choices(&machine, bounds, &mut |state| {
            let one = found(&machine, state, &sequential);
            all.insert(one.expect("a failure says what it is"));
        });
        (tried, all)
    }
}

fn read(text: &str) -> Analysis {
    let mut host = AnalysisHost::default();
    host.apply(Change {
        units: vec![UnitChange {
            path: Ustr::from("test.c"),
            text: Some(Arc::from(text)),
            data_model: DataModel::LP64,
        }],
    });
    host.analysis()
}

fn all_of(everything: &Everything) -> BTreeSet<Found> {
    let races = everything.races.iter();
    let races = races.map(|(one, other)| Found::Race(*one, *other));
    let failed = everything.failed_assertions.iter();
    races
        .chain(failed.map(|at| Found::Assertion(*at)))
        .collect()
}
