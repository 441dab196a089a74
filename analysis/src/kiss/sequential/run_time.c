// The run-time part of a sequential program: KISS's scheduler and what stands for locks and threads.
//
// A checker sees three functions: a choice, an assumption and a failure. With -DRACELENS_CHOOSE=f the choices are those
// of `int f(void)`, with -DRACELENS_ASSUME=f and -DRACELENS_FAIL=f the other two are calls of `f(int)` and `f()`.
// Otherwise choices are made at random, beginning with the environment variable RACELENS_SEED, and the program ends
// with status 70 if it fails, 71 if an assumption does not hold, and 72 after RACELENS_STEPS choices.
#pragma GCC diagnostic ignored "-Wunused-function"
#ifndef RACELENS_MAX
#define RACELENS_MAX 2
#endif
#define RACELENS_THREADS 64
#define RACELENS_OBJECTS 256
#define RACELENS_KEYS 64
#define RACELENS_LOG 4096

// KISS fig. 4: the thread is to end; threads that have been started and do not run yet.
static int racelens_raise;
static int racelens_ts[RACELENS_MAX + 1];
static int racelens_size;
// KISS fig. 5: the distinguished location and how it is about to be accessed: 1 read, 2 written.
static char *racelens_location;
static long racelens_length;
static int racelens_kind;
static int racelens_site;

// Threads count from 1; that is the first one.
static struct { void *entry; int arguments; void *argument[2]; } racelens_thread[RACELENS_THREADS];
static int racelens_threads = 1;
static int racelens_current = 1;
static int racelens_ended;
static int racelens_atomic;
static int racelens_finished[RACELENS_THREADS];
static void *racelens_result[RACELENS_THREADS];
static void *racelens_specific[RACELENS_THREADS][RACELENS_KEYS];
static void racelens_initialise_thread(void);

// What stands for a lock, a semaphore, a condition variable, a once-control or a thread's handle, by its address.
static struct racelens_object {
    void *address;
    int owner, holds, readers, is_semaphore, is_recursive, once, thread;
    long count, posts;
} racelens_object[RACELENS_OBJECTS];
static int racelens_objects;

#ifdef RACELENS_CHOOSE
int RACELENS_CHOOSE(void);
#ifdef RACELENS_ASSUME
void RACELENS_ASSUME(int);
#define __racelens_assume(condition) RACELENS_ASSUME(condition)
#else
static void __racelens_assume(int condition) { while (!condition) ; }
#endif
#ifdef RACELENS_FAIL
void RACELENS_FAIL(void);
#else
#define RACELENS_FAIL __builtin_abort
#endif
static int __racelens_choose(int n) {
    int value = RACELENS_CHOOSE();
    __racelens_assume(0 <= value && value < n);
    return value;
}
enum { racelens_switches, racelens_checks, racelens_stops };
static int racelens_now(int what) { (void)what; return __racelens_choose(2); }
static int racelens_looks(int site) { (void)site; return __racelens_choose(2); }
static long racelens_unknown(void) { return RACELENS_CHOOSE(); }
static void racelens_note(int site) { (void)site; }
static void __racelens_fail(int code) { (void)code; RACELENS_FAIL(); }
static void racelens_fail_at(int code, int site) { (void)site; __racelens_fail(code); }
static void racelens_begin(void) {}
#else
extern char *getenv(const char *);
extern const char *racelens_sites[];
static unsigned long racelens_random;
static long racelens_choices, racelens_most_choices = 20000;
// How rarely threads are switched, an access is looked at, and a thread stops: each time one in so many.
enum { racelens_switches, racelens_checks, racelens_stops };
static int racelens_rarity[3];
static struct { int thread, site; } racelens_log[RACELENS_LOG];
static int racelens_logged;
static int __racelens_choose(int n) {
    if (++racelens_choices > racelens_most_choices) __builtin__Exit(72);
    racelens_random = racelens_random * 6364136223846793005UL + 1442695040888963407UL;
    return n <= 1 ? 0 : (int)((racelens_random >> 33) % (unsigned long)n);
}
static void __racelens_assume(int condition) { if (!condition) __builtin__Exit(71); }
// A choice of two, of which the second is taken now and then: otherwise no thread would ever get far.
static int racelens_now(int what) { return __racelens_choose(racelens_rarity[what]) == 1; }
// After the first seeds every second one looks at one place of the program only, whichever: otherwise a loop would take all
// the looks.
static int racelens_only = -1;
static int racelens_looks(int site) {
    if (racelens_only < 0) return racelens_now(racelens_checks);
    return site == racelens_only && __racelens_choose(racelens_rarity[racelens_checks] / 2) == 0;
}
static long racelens_unknown(void) { return __racelens_choose(4) ? __racelens_choose(5) - 2 : __racelens_choose(1 << 30); }
static void racelens_note(int site) {
    if (site < 0) return;
    racelens_log[racelens_logged % RACELENS_LOG].thread = racelens_current;
    racelens_log[racelens_logged % RACELENS_LOG].site = site;
    racelens_logged++;
}
static void racelens_print_steps(void) {
    int first = racelens_logged > RACELENS_LOG ? racelens_logged - RACELENS_LOG : 0;
    for (int step = first; step < racelens_logged; step++)
        __builtin_printf("racelens: thread %d at %s\n", racelens_log[step % RACELENS_LOG].thread,
                         racelens_sites[racelens_log[step % RACELENS_LOG].site]);
}
static void racelens_fail_at(int code, int site) {
    racelens_print_steps();
    if (code == 0)
        __builtin_printf("racelens: race of %s with %s\n", racelens_sites[racelens_site], racelens_sites[site]);
    else
        __builtin_printf("racelens: assertion violated at %s\n", racelens_sites[site]);
    __builtin_exit(70);
}
static unsigned long racelens_number(const char *name, unsigned long otherwise) {
    const char *text = getenv(name);
    unsigned long number = 0;
    if (!text) return otherwise;
    for (; *text >= '0' && *text <= '9'; text++) number = number * 10 + (unsigned long)(*text - '0');
    return number;
}
static void racelens_begin(void) {
    unsigned long seed = racelens_number("RACELENS_SEED", 1);
    racelens_random = seed * 2862933555777941757UL + 3037000493UL;
    racelens_most_choices = (long)racelens_number("RACELENS_STEPS", 20000);
    racelens_rarity[racelens_switches] = 2 << (seed % 4);
    racelens_rarity[racelens_checks] = 2 << (seed / 4 % 5);
    racelens_rarity[racelens_stops] = 8 << (seed / 20 % 4) * 2;
    for (int warm = 0; warm < 4; warm++) __racelens_choose(2);
    int sites = 0;
    while (racelens_sites[sites]) sites++;
    if (seed > 40 && seed % 2) racelens_only = __racelens_choose(sites);
}
#endif

static void *racelens_call(void *entry, int arguments, void *first, void *second) {
    if (arguments == 0) return ((void *(*)(void))entry)();
    if (arguments == 1) return ((void *(*)(void *))entry)(first);
    return ((void *(*)(void *, void *))entry)(first, second);
}
static void racelens_finish(int thread) {
    if (!racelens_raise || racelens_ended) racelens_finished[thread] = 1;
    racelens_raise = 0;
    racelens_ended = 0;
}
static void racelens_run(int thread) {
    int caller = racelens_current;
    racelens_current = thread;
    racelens_initialise_thread();
    void *result = racelens_call(racelens_thread[thread].entry, racelens_thread[thread].arguments,
                                 racelens_thread[thread].argument[0], racelens_thread[thread].argument[1]);
    if (!racelens_ended) racelens_result[thread] = result;
    racelens_finish(thread);
    racelens_current = caller;
}
static void racelens_schedule(void) {
    while (racelens_size > 0 && racelens_now(racelens_switches)) {
        int taken = __racelens_choose(racelens_size);
        int thread = racelens_ts[taken];
        racelens_ts[taken] = racelens_ts[--racelens_size];
        racelens_run(thread);
    }
}
// In front of what has to wait: another thread may have to go on first.
static int racelens_others_go_on(void) {
    if (racelens_atomic || racelens_size == 0 || __racelens_choose(4) == 0) return 0;
    int taken = __racelens_choose(racelens_size);
    int thread = racelens_ts[taken];
    racelens_ts[taken] = racelens_ts[--racelens_size];
    racelens_run(thread);
    return 1;
}
#define racelens_await(condition) \
    do { while (!(condition) && racelens_others_go_on()) ; __racelens_assume(condition); } while (0)
static void *racelens_allocate(unsigned long size) { return __builtin_malloc(size); }
// schedule(); choice { skip [] RAISE }
static int racelens_point(int site) {
    if (racelens_atomic) return 0;
    racelens_schedule();
    if (racelens_threads > 1 && racelens_now(racelens_stops)) { racelens_raise = 1; return 1; }
    racelens_note(site);
    return 0;
}
static int racelens_string_length(const char *text) {
    int length = 0;
    while (text[length]) length++;
    return length + 1;
}
// schedule(); choice { skip [] check; RAISE }. The kind is 1 for a read, 2 for a write, and 4 more if it is atomic.
static int racelens_access(int site, void *address, long length, int kind) {
    if (racelens_atomic) return 0;
    racelens_schedule();
    if (!address) return 0;
    if (length < 0) length = racelens_string_length((const char *)address);
    if (racelens_location) {
        char *first = (char *)address;
        int overlap = first < racelens_location + racelens_length && racelens_location < first + length;
        int conflict = ((kind | racelens_kind) & 2) && !(kind & racelens_kind & 4);
        if (overlap && conflict) { racelens_note(site); racelens_fail_at(0, site); }
    } else if (racelens_threads > 1 && racelens_looks(site)) {
        racelens_location = (char *)address;
        racelens_length = length;
        racelens_kind = kind;
        racelens_site = site;
        racelens_raise = 1;
        return 1;
    }
    if (racelens_threads > 1 && racelens_now(racelens_stops)) { racelens_raise = 1; return 1; }
    racelens_note(site);
    return 0;
}
static int racelens_raised(void) { return racelens_raise; }
// What cannot be simulated exactly ends the path: nothing wrong can follow.
static void racelens_unsupported(void) { __racelens_assume(0); }
static void racelens_atomic_begin(void) { racelens_atomic++; }
static void racelens_atomic_end(void) { racelens_atomic--; }
static unsigned long racelens_self(void) { return (unsigned long)racelens_current; }

static struct racelens_object *racelens_find(void *address) {
    int at = 0;
    while (at < racelens_objects && racelens_object[at].address != address) at++;
    __racelens_assume(at < RACELENS_OBJECTS);
    if (at == racelens_objects) racelens_object[racelens_objects++].address = address;
    return &racelens_object[at];
}
static int racelens_is_free(struct racelens_object *lock, int shared, int recursive) {
    if (lock->owner == racelens_current) return recursive || lock->is_recursive;
    return lock->owner == 0 && (shared || lock->readers == 0);
}
static void racelens_take_lock(struct racelens_object *lock, int shared) {
    if (shared && lock->owner == 0) lock->readers++;
    else { lock->owner = racelens_current; lock->holds++; }
}
static void racelens_acquire(void *address, int shared, int recursive) {
    struct racelens_object *lock = racelens_find(address);
    racelens_await(racelens_is_free(lock, shared, recursive));
    racelens_take_lock(lock, shared);
}
// Whether the owner may take it again may depend on what is not known here.
static int racelens_try_acquire(void *address, int shared, int recursive) {
    struct racelens_object *lock = racelens_find(address);
    __racelens_assume(recursive || lock->is_recursive || lock->owner != racelens_current);
    if (!racelens_is_free(lock, shared, recursive)) return 0;
    racelens_take_lock(lock, shared);
    return 1;
}
static void racelens_release(void *address) {
    struct racelens_object *lock = racelens_find(address);
    if (lock->is_semaphore) lock->count++;
    else if (lock->owner == racelens_current) { if (--lock->holds == 0) lock->owner = 0; }
    else { __racelens_assume(lock->readers > 0); lock->readers--; }
}
static void racelens_initialise_lock(void *address, int is_semaphore, long count) {
    struct racelens_object *lock = racelens_find(address);
    lock->owner = lock->holds = lock->readers = 0;
    lock->is_semaphore = is_semaphore;
    lock->count = count;
}
// The kinds of the GNU C library: 1 is recursive. What is initialised without attributes is not.
static void racelens_set_mutex_type(void *attributes, int kind) { racelens_find(attributes)->is_recursive = kind == 1; }
static void racelens_initialise_mutex(void *mutex, void *attributes) {
    racelens_initialise_lock(mutex, 0, 0);
    racelens_find(mutex)->is_recursive = attributes ? racelens_find(attributes)->is_recursive : 0;
}
static void racelens_initialise_barrier(void *barrier, unsigned count) {
    racelens_find(barrier)->count = count;
    racelens_find(barrier)->posts = 0;
}
static long racelens_come(void *barrier) { return racelens_find(barrier)->posts++; }
// The thread that comes last is told so.
static int racelens_pass(void *barrier, long before) {
    struct racelens_object *object = racelens_find(barrier);
    __racelens_assume(object->count > 0);
    racelens_await(object->posts >= (before / object->count + 1) * object->count);
    return before % object->count == object->count - 1 ? -1 : 0;
}
static void racelens_post(void *address) {
    struct racelens_object *object = racelens_find(address);
    object->count++;
    object->posts++;
}
static void racelens_take(void *address) {
    struct racelens_object *object = racelens_find(address);
    object->is_semaphore = 1;
    racelens_await(object->count > 0);
    object->count--;
}
static int racelens_try_take(void *address) {
    struct racelens_object *object = racelens_find(address);
    object->is_semaphore = 1;
    if (object->count <= 0) return 0;
    object->count--;
    return 1;
}
static int racelens_outcome(int happened, int success, int failure) { return happened ? success : failure; }
static long racelens_wait_begin(void *on, void *lock) {
    racelens_release(lock);
    return racelens_find(on)->posts;
}
static void racelens_wait_end(void *on, void *lock, long posts, int shared) {
    racelens_await(racelens_find(on)->posts > posts);
    racelens_acquire(lock, shared, 0);
}
static int racelens_once_begin(void *control) {
    struct racelens_object *object = racelens_find(control);
    racelens_await(object->once != 1);
    if (object->once == 2) return 0;
    object->once = 1;
    return 1;
}
static void racelens_once_end(void *control) { racelens_find(control)->once = 2; }

static int racelens_new_thread(void *entry, int arguments, void *first, void *second) {
    int thread = ++racelens_threads;
    __racelens_assume(thread < RACELENS_THREADS);
    racelens_thread[thread].entry = entry;
    racelens_thread[thread].arguments = arguments;
    racelens_thread[thread].argument[0] = first;
    racelens_thread[thread].argument[1] = second;
    return thread;
}
// if (size() < MAX) put(f) else { f(); raise = false }
static void racelens_start(int thread) {
    if (racelens_size < RACELENS_MAX) racelens_ts[racelens_size++] = thread;
    else { __racelens_assume(!racelens_atomic); racelens_run(thread); }
}
static void racelens_name_thread(void *handle, int thread) { racelens_find(handle)->thread = thread; }
static void *racelens_join(void *handle) {
    long thread = (long)handle;
    if (thread < 1 || thread > racelens_threads) thread = racelens_find(handle)->thread;
    __racelens_assume(thread > 0);
    racelens_await(racelens_finished[thread]);
    return racelens_result[thread];
}
static void racelens_join_entry(void *entry) {
    for (int thread = 2; thread <= racelens_threads; thread++)
        racelens_await(racelens_thread[thread].entry != entry || racelens_finished[thread]);
}
static void racelens_give(void *pointer, long size, void *value) {
    if (pointer) __builtin_memcpy(pointer, &value, (unsigned long)size);
}
static void racelens_end(void *result) {
    racelens_result[racelens_current] = result;
    racelens_finished[racelens_current] = 1;
    racelens_ended = 1;
    racelens_raise = 1;
}
static void *racelens_get_specific(unsigned long key) {
    __racelens_assume(key < RACELENS_KEYS);
    return racelens_specific[racelens_current][key];
}
static int racelens_set_specific(unsigned long key, void *value) {
    __racelens_assume(key < RACELENS_KEYS);
    racelens_specific[racelens_current][key] = value;
    return 0;
}
// The first thread is over or stopped; all others may go on.
static void racelens_schedule_rest(void) {
    racelens_finish(1);
    while (racelens_size > 0 && !racelens_now(racelens_stops)) {
        int taken = __racelens_choose(racelens_size);
        int thread = racelens_ts[taken];
        racelens_ts[taken] = racelens_ts[--racelens_size];
        racelens_run(thread);
    }
}
