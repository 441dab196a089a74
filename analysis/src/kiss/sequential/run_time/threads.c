// Threads of the concurrent program, and the location on which two of them may meet.

// KISS fig. 4: the thread is to stop, so that every function returns at once.
static int racelens_raise;
// The thread has come to its end.
static int racelens_ended;
// How many sections run that nothing interrupts.
static int racelens_atomic;
static struct { void *entry; int arguments; void *argument[2]; } racelens_thread[RACELENS_THREADS];
static int racelens_threads = 1;
static int racelens_finished[RACELENS_THREADS];
static void *racelens_result[RACELENS_THREADS];
static void racelens_initialise_thread(void);

static void *racelens_call(int thread) {
    void *entry = racelens_thread[thread].entry;
    void **argument = racelens_thread[thread].argument;
    if (racelens_thread[thread].arguments == 0) return ((void *(*)(void))entry)();
    if (racelens_thread[thread].arguments == 1) return ((void *(*)(void *))entry)(argument[0]);
    return ((void *(*)(void *, void *))entry)(argument[0], argument[1]);
}
static void racelens_finish(int thread) {
    if (!racelens_raise || racelens_ended) racelens_finished[thread] = 1;
    racelens_raise = 0;
    racelens_ended = 0;
}
static int racelens_new_thread(void *entry, int arguments, void *first, void *second) {
    int thread = ++racelens_threads;
    __racelens_assume(thread < RACELENS_THREADS);
    racelens_thread[thread].entry = entry;
    racelens_thread[thread].arguments = arguments;
    racelens_thread[thread].argument[0] = first;
    racelens_thread[thread].argument[1] = second;
    return thread;
}
static void racelens_end(void *result) {
    racelens_result[racelens_current] = result;
    racelens_finished[racelens_current] = 1;
    racelens_ended = 1;
    racelens_raise = 1;
}
static int racelens_raised(void) { return racelens_raise; }
static unsigned long racelens_self(void) { return (unsigned long)racelens_current; }
static void racelens_atomic_begin(void) { racelens_atomic++; }
static void racelens_atomic_end(void) { racelens_atomic--; }
// What cannot be simulated exactly ends the path: nothing wrong can follow.
static void racelens_unsupported(void) { __racelens_assume(0); }
static void *racelens_allocate(unsigned long size) { return __builtin_malloc(size); }

// KISS fig. 5: the distinguished location, in front of which a thread has stopped for good, and how that was about to
// access it: 1 is a read, 2 a write, and 4 more if it is atomic.
static unsigned long racelens_location;
static long racelens_length;
static int racelens_kind;
// Whose access that is.
static int racelens_looker;
// Whether a thread that reads so will read again because of the other one.
static int racelens_is_retried(int reader, int kind, int writer);

// The bytes of a string, with the zero at its end.
static long racelens_bytes(void *address, long length) {
    if (length >= 0) return length;
    for (length = 0; ((const char *)address)[length]; length++) ;
    return length + 1;
}
// Whether some thread has stopped in front of an access; it fails if the two are a race.
static int racelens_meets(int site, void *address, long length, int kind) {
    if (!racelens_location) return 0;
    unsigned long first = (unsigned long)address, other = racelens_location;
    int overlap = first < other + (unsigned long)racelens_length && other < first + (unsigned long)length;
    int conflict = ((kind | racelens_kind) & 2) && !(kind & racelens_kind & 4);
    if (!overlap || !conflict || racelens_is_retried(racelens_current, kind, racelens_looker)
        || racelens_is_retried(racelens_looker, racelens_kind, racelens_current)) return 1;
    if (!racelens_passes_by()) { racelens_note(site); racelens_fail_at(0, site); }
    return 1;
}
static void racelens_look(int site, void *address, long length, int kind) {
    racelens_location = (unsigned long)address;
    racelens_length = length;
    racelens_kind = kind;
    racelens_looker = racelens_current;
    racelens_site = site;
}

