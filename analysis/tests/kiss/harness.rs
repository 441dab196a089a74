//! Runs small programs, and says what was found in terms of their variables.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{
    Analysis, AnalysisHost, Change, CheckedProgram, UnitChange, Verification,
};
use racelens_analysis::kiss::concurrent::replay::Happening;
use racelens_analysis::kiss::search::{Bounds, Targets};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use std::collections::BTreeSet;
use std::sync::Arc;
use ustr::Ustr;

const DECLARATIONS: &str = "
typedef unsigned long pthread_t;
typedef struct { int kind; } pthread_mutex_t, pthread_cond_t, pthread_rwlock_t, sem_t, pthread_barrier_t, mtx_t;
typedef int pthread_once_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int mtx_init(mtx_t *, int);
int mtx_lock(mtx_t *);
int mtx_trylock(mtx_t *);
int mtx_unlock(mtx_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_post(sem_t *);
void *malloc(unsigned long);
void free(void *);
void __assert_fail(const char *, const char *, unsigned, const char *);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);
int strcmp(const char *, const char *);
int __racelens_choose(int);
void __racelens_assume(int);
void __racelens_fail(int);
int somewhere_else(void);
";

pub struct Small {
    analysis: Analysis,
    checked: CheckedProgram,
}

impl Small {
    pub fn new(text: &str) -> Small {
        let mut host = AnalysisHost::default();
        // The text is preprocessed, so that the only macro is expanded here.
        let text = format!("{DECLARATIONS}{}", expand_assert(text));
        host.apply(Change {
            units: vec![UnitChange {
                path: Ustr::from("test.c"),
                text: Some(Arc::from(text)),
                data_model: DataModel::LP64,
            }],
        });
        let analysis = host.analysis();
        let checked = analysis.check(Models::builtin(), Options::default());
        Small { analysis, checked }
    }

    pub fn verify(&self, targets: &Targets) -> Verification {
        self.verify_deep(targets, Bounds::default())
    }

    pub fn verify_deep(&self, targets: &Targets, bounds: Bounds) -> Verification {
        let found = self
            .analysis
            .verify(&self.checked, "main", targets, bounds, &|| false);
        replayed(found.expect("the program can be run"))
    }
}

fn replayed(verification: Verification) -> Verification {
    assert_eq!(verification.rejected, Vec::<String>::new());
    verification
}

/// `assert(c);` becomes what the C library makes of it.
fn expand_assert(text: &str) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("assert(") {
        let mut depth = 1;
        let end = after.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        let (condition, behind) = after.split_at(end.unwrap_or(0));
        expanded.push_str(before);
        expanded.push_str(&format!(
            "if (!({condition})) __assert_fail(\"\", \"\", 0, \"\""
        ));
        rest = behind;
    }
    expanded + rest
}

pub const ANY_RACE: Targets = Targets {
    questions: Vec::new(),
    any_race: true,
    assertions: false,
};

pub const ASSERTIONS: Targets = Targets {
    questions: Vec::new(),
    any_race: false,
    assertions: true,
};

/// The variables that races were witnessed on.
pub fn raced(text: &str) -> BTreeSet<String> {
    let verification = Small::new(text).verify(&ANY_RACE);
    let ends = verification
        .witnessed
        .iter()
        .flat_map(|found| &found.trace.ends);
    ends.filter_map(|event| match &event.happening {
        Happening::Reads { what, .. }
        | Happening::Writes { what, .. }
        | Happening::Updates { what, .. } => Some(what.clone()),
        _ => None,
    })
    .collect()
}

/// Whether an assertion was seen to fail. If not, every interleaving was tried.
pub fn fails(text: &str) -> bool {
    let bounds = Bounds {
        switches: 40,
        ..Bounds::default()
    };
    let verification = Small::new(text).verify_deep(&ASSERTIONS, bounds);
    let fails = !verification.witnessed.is_empty();
    assert!(
        fails || verification.outcome.complete,
        "{:?}",
        verification.outcome
    );
    fails
}
