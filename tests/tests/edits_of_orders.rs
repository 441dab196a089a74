//! Edits after which threads are ordered otherwise by something that other functions wait for: what is found is what is found from scratch. In
//! debug builds every search of races that takes over some is compared with one that takes over none, too.

use racelens_analysis::host::{AnalysisHost, CheckedProgram};
use racelens_tests::incremental::{apply, check, described};

/// Threads that are ordered by a flag, by a lock under which a flag is looked at, by semaphores, a token, a claim and a barrier. What the
/// comments stand for is edited.
const ORDERED: &str = r#"
typedef unsigned long pthread_t;
typedef struct { int state; } pthread_mutex_t;
typedef struct { int state; } pthread_barrier_t;
typedef struct { int state; } sem_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *);
int sem_init(sem_t *, int, unsigned);
int sem_post(sem_t *);
int sem_wait(sem_t *);
static pthread_mutex_t lock, other_lock;
static pthread_barrier_t barrier;
static sem_t filled, ping, pong;
static int is_ready, is_filled, taken;
static int by_flag, by_lock, by_semaphore, by_token, by_claim, by_barrier, by_nothing;
static void publish(void) { by_flag = 1; /* publish */ __atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE); }
static void use(void) { if (__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)) by_flag++; }
static void fill(void)
{
    pthread_mutex_lock(&lock);
    if (!is_filled) { by_lock = 1; is_filled = 1; }
    pthread_mutex_unlock(&lock);
    by_lock++;
}
static void refill(void) { /* refill */ }
static void post(void) { by_semaphore = 1; sem_post(&filled); }
static void wait(void) { sem_wait(&filled); by_semaphore++; }
static void post_again(void) { /* post again */ }
static void play(void) { sem_wait(&ping); by_token++; sem_post(&pong); }
static void answer(void) { sem_wait(&pong); by_token++; sem_post(&ping); }
static void cheat(void) { /* cheat */ }
static void claim(void)
{
    if (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL) == 0)
        by_claim++;
}
static void give_back(void) { /* give back */ }
static void step(int first)
{
    if (first) by_barrier = 1;
    pthread_barrier_wait(&barrier);
    /* step */
    if (!first) by_barrier = 2;
}
static void *one(void *unused)
{
    publish(); fill(); post(); play(); claim(); step(1);
    by_nothing++;
    return unused;
}
static void *two(void *unused)
{
    use(); fill(); wait(); answer(); claim(); step(0);
    by_nothing++;
    return unused;
}
static void *three(void *unused)
{
    refill(); post_again(); cheat(); claim(); give_back(); /* three */
    return unused;
}
int main(void)
{
    pthread_t thread;
    sem_init(&filled, 0, 0);
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    /* main */
    pthread_create(&thread, 0, one, 0);
    pthread_create(&thread, 0, two, 0);
    pthread_create(&thread, 0, three, 0);
    return 0;
}
"#;

/// What stands for which comment.
const EDITS: [(&str, &str); 14] = [
    ("/* publish */", "is_ready = 0;"),
    ("/* publish */", "by_nothing = 1;"),
    ("/* refill */", "is_filled = 1;"),
    ("/* refill */", "is_filled = 0;"),
    (
        "/* refill */",
        "pthread_mutex_lock(&other_lock); is_filled = 1; pthread_mutex_unlock(&other_lock);",
    ),
    (
        "/* refill */",
        "pthread_mutex_lock(&lock); is_filled = 1; pthread_mutex_unlock(&lock);",
    ),
    ("/* post again */", "sem_post(&filled);"),
    ("/* post again */", "by_semaphore = 3; sem_post(&filled);"),
    ("/* cheat */", "sem_post(&ping);"),
    ("/* cheat */", "sem_post(&pong); by_token = 0;"),
    ("/* give back */", "taken = 0;"),
    ("/* step */", "pthread_barrier_wait(&barrier);"),
    ("/* three */", "pthread_barrier_wait(&barrier);"),
    (
        "/* main */",
        "__atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE);",
    ),
];

fn fresh(text: &str) -> CheckedProgram {
    let mut host = AnalysisHost::default();
    apply(&mut host, text);
    check(&host.analysis(), None)
}

/// Goes from one text to the next, and expects of each what is found from scratch.
fn assert_as_if_afresh(texts: &[&str]) {
    let mut host = AnalysisHost::default();
    let mut before: Option<CheckedProgram> = None;
    for text in texts {
        apply(&mut host, text);
        let now = check(&host.analysis(), before.as_ref());
        assert_eq!(described(&now), described(&fresh(text)), "{text}");
        before = Some(now);
    }
}

#[test]
fn what_orders_threads_no_longer_is_noticed_where_they_wait() {
    // As it is, what these order is no race; each of the edits spoils one of them, or nothing.
    let safe = fresh(ORDERED);
    let racing = |checked: &CheckedProgram| checked.program.races.len();
    let edited = EDITS.map(|(from, to)| ORDERED.replace(from, to));
    let worse = edited
        .iter()
        .filter(|text| racing(&fresh(text)) > racing(&safe));
    assert!(worse.count() >= 6, "most of these edits make a race");
    for text in &edited {
        assert_ne!(text, ORDERED);
        assert_as_if_afresh(&[ORDERED, text, ORDERED]);
    }
}

#[test]
fn orders_that_change_again_and_again_are_those_of_a_fresh_start() {
    let edited = EDITS.map(|(from, to)| ORDERED.replace(from, to));
    for one in &edited {
        let texts: Vec<&str> = edited
            .iter()
            .flat_map(|other| [one.as_str(), other])
            .collect();
        assert_as_if_afresh(&texts);
    }
}
