//! C text through the front end, through the whole check, through edits, and through the search for interleavings.

use super::text_of;
use crate::edits::edited;
use crate::incremental::{MAIN_FILE, apply, check, described};
use crate::random::Random;
use racelens_analysis::host::{Analysis, AnalysisHost};
use racelens_analysis::kiss::machine::SchedulingPoints;
use racelens_analysis::kiss::search::{Bounds, Targets};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a program with threads needs of its headers.
const PRELUDE: &str = "\
typedef unsigned long pthread_t, size_t;
typedef struct { int state; } pthread_mutex_t, pthread_cond_t, pthread_rwlock_t, sem_t, pthread_barrier_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *), pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *), pthread_mutex_trylock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *), pthread_cond_signal(pthread_cond_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *), pthread_rwlock_wrlock(pthread_rwlock_t *), pthread_rwlock_unlock(pthread_rwlock_t *);
int sem_init(sem_t *, int, unsigned), sem_wait(sem_t *), sem_post(sem_t *), pthread_barrier_wait(pthread_barrier_t *);
void *malloc(size_t), free(void *), *memset(void *, int, size_t), abort(void);
int printf(const char *, ...), rand(void);
";

/// From text to the representation of each function.
pub fn front_end(data: &[u8]) {
    let host = host_of(&text_of(data));
    let analysis = host.analysis();
    read_everything(&analysis);
}

/// And on to summaries, threads and races.
pub fn summaries(data: &[u8]) {
    let host = host_of(&text_of(data));
    let analysis = host.analysis();
    read_everything(&analysis);
    described(&check(&analysis, None));
}

/// After each of some edits the same is found as from scratch.
pub fn edits(data: &[u8]) {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let mut random = Random::new(hasher.finish());
    let mut text = text_with_prelude(&text_of(data));
    let mut host = AnalysisHost::default();
    apply(&mut host, &text);
    let mut before = check(&host.analysis(), None);
    for _ in 0..3 {
        text = edited(&text, MAIN_FILE, &mut random);
        apply(&mut host, &text);
        read_everything(&host.analysis());
        let again = check(&host.analysis(), Some(&before));
        let fresh = check(&host.analysis(), None);
        assert_eq!(described(&again), described(&fresh), "{text}");
        before = again;
    }
}

/// Every interleaving that is found can be replayed.
pub fn kiss(data: &[u8]) {
    let host = host_of(&text_of(data));
    let analysis = host.analysis();
    let checked = check(&analysis, None);
    let targets = Targets {
        any_race: true,
        assertions: true,
        ..Targets::default()
    };
    let bounds = Bounds {
        switches: 2,
        threads: 4,
        local_steps: 2_000,
        path_steps: 500,
        states: 2_000,
    };
    let points = SchedulingPoints::Everywhere;
    let found = analysis.verify_with(&checked, "main", &targets, bounds, points, &|| false);
    if let Ok(found) = found {
        assert!(found.rejected.is_empty(), "{:?}", found.rejected);
    }
}

fn host_of(text: &str) -> AnalysisHost {
    let mut host = AnalysisHost::default();
    apply(&mut host, &text_with_prelude(text));
    host
}

fn text_with_prelude(text: &str) -> String {
    format!("# 1 \"prelude.h\" 1\n{PRELUDE}# 1 \"{MAIN_FILE}\"\n{text}\n")
}

/// Lowers every function. What panics there is caught, and has to be asked for.
fn read_everything(analysis: &Analysis) {
    for function in analysis.functions() {
        let lowered = analysis.lowered(function);
        if let Some(error) = &lowered.error {
            // Elsewhere in a message these words may be the program's.
            assert!(
                !error.message.starts_with("an internal error"),
                "{}",
                error.message
            );
        }
        if let Some(body) = &lowered.body {
            body.body.pretty();
        }
    }
    analysis.syntax_problems(&|_| None);
}
