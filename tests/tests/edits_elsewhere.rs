//! Edits of one function after which accesses of others race that did not, or no longer: what is found is what is found from scratch. In debug
//! builds every search of races that takes over some is compared with one that takes over none, too.

use racelens_tests::incremental::{assert_as_if_afresh, fresh};

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

/// Threads that take numbers from counters, each of which stands for a slot, and an address that is made known. What the comments stand for
/// is edited.
const NUMBERED: &str = r#"
typedef unsigned long pthread_t;
typedef struct { int state; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void *malloc(unsigned long);
struct object { int value; struct object *next; };
static pthread_mutex_t lock;
static int next_job, next_slot, other;
static int jobs[100], slots[100];
static struct object *_Atomic shown, *kept;
static int take(void)
{
    pthread_mutex_lock(&lock);
    int job = next_job++;
    pthread_mutex_unlock(&lock);
    return job;
}
static void fill(int index) { slots[index] = 1; }
static void work_on(void)
{
    int job = take();
    if (job < 100) jobs[job] = 1;
    fill(__atomic_fetch_add(&next_slot, 1, __ATOMIC_SEQ_CST));
}
static void begin_again(void) { /* begin again */ }
static void show(void)
{
    struct object *made = malloc(sizeof *made);
    made->value = 1;
    made->next = 0;
    __atomic_store_n(&shown, made, __ATOMIC_RELEASE);
}
static void look(void)
{
    struct object *found = __atomic_load_n(&shown, __ATOMIC_ACQUIRE);
    if (found) other = found->value;
}
static void show_otherwise(void) { /* show */ }
static void *work(void *unused)
{
    work_on(); show(); look(); begin_again(); show_otherwise();
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    return 0;
}
"#;

/// What stands for which comment of it.
const OTHER_NUMBERS: [(&str, &str); 8] = [
    ("/* begin again */", "next_job = 0;"),
    ("/* begin again */", "next_slot = 0;"),
    ("/* begin again */", "next_job++;"),
    (
        "/* begin again */",
        "pthread_mutex_lock(&lock); next_job--; pthread_mutex_unlock(&lock);",
    ),
    ("/* begin again */", "next_job = 0; next_slot = 0;"),
    (
        "/* show */",
        "__atomic_store_n(&shown, kept, __ATOMIC_RELAXED);",
    ),
    (
        "/* show */",
        "kept = __atomic_load_n(&shown, __ATOMIC_RELAXED);",
    ),
    (
        "/* show */",
        "struct object *mine = malloc(sizeof *mine); mine->value = 2; kept = mine; shown = kept;",
    ),
];

/// A program with the one edit or the other.
fn edited(program: &str, edits: &[(&str, &str)]) -> Vec<String> {
    let edited: Vec<String> = { edits.iter() }
        .map(|(from, to)| program.replace(from, to))
        .collect();
    assert!(edited.iter().all(|text| text != program));
    edited
}

fn race_count(text: &str) -> usize {
    fresh(text).program.races.len()
}

#[test]
fn what_keeps_others_apart_no_longer_is_noticed() {
    for (program, edits, least) in [(ORDERED, &EDITS[..], 6), (NUMBERED, &OTHER_NUMBERS[..], 4)] {
        let edited = edited(program, edits);
        let worse = edited
            .iter()
            .filter(|text| race_count(text) > race_count(program));
        // Otherwise nothing was compared.
        assert!(worse.count() >= least, "{program}");
        for text in &edited {
            assert_as_if_afresh(&[program, text, program]);
        }
    }
}

#[test]
fn what_keeps_others_apart_may_change_again_and_again() {
    for (program, edits) in [(ORDERED, &EDITS[..]), (NUMBERED, &OTHER_NUMBERS[..])] {
        let edited = edited(program, edits);
        for one in &edited {
            let texts: Vec<&str> = edited
                .iter()
                .flat_map(|other| [one.as_str(), other])
                .collect();
            assert_as_if_afresh(&texts);
        }
    }
}
