// KISS's scheduler: a thread runs on top of the one that it interrupts, until it ends or stops for good.
#ifndef RACELENS_MAX
#define RACELENS_MAX 2
#endif

// KISS fig. 4: threads that have been started and do not run yet.
static int racelens_ts[RACELENS_MAX + 1];
static int racelens_size;

static void racelens_run(int thread) {
    int caller = racelens_current;
    racelens_current = thread;
    racelens_initialise_thread();
    void *result = racelens_call(thread);
    if (!racelens_ended) racelens_result[thread] = result;
    racelens_finish(thread);
    racelens_current = caller;
}
static void racelens_run_any(void) {
    int taken = __racelens_choose(racelens_size);
    int thread = racelens_ts[taken];
    racelens_ts[taken] = racelens_ts[--racelens_size];
    racelens_ts[racelens_size] = 0;
    racelens_run(thread);
}
static void racelens_schedule(void) {
    while (racelens_size > 0 && racelens_now(racelens_switches)) racelens_run_any();
}
// In front of what has to wait: another thread may have to go on first.
static int racelens_others_go_on(void) {
    if (racelens_atomic || racelens_size == 0 || !racelens_waits()) return 0;
    racelens_run_any();
    return 1;
}
#define racelens_await(condition, otherwise) \
    do { while (!(condition) && racelens_others_go_on()) ; __racelens_assume(condition); } while (0)
static int racelens_stop(void) { racelens_raise = 1; return 1; }
// schedule(); choice { skip [] RAISE }
static int racelens_point(int site) {
    if (racelens_atomic) return 0;
    racelens_schedule();
    if (racelens_threads > 1 && racelens_now(racelens_stops)) return racelens_stop();
    racelens_note(site);
    return 0;
}
// schedule(); choice { skip [] check; RAISE }
static int racelens_access(int site, void *address, long length, int kind) {
    if (racelens_atomic) return 0;
    racelens_schedule();
    if (!address) return 0;
    length = racelens_bytes(address, length);
    if (!racelens_meets(site, address, length, kind) && racelens_threads > 1 && racelens_looks(site)) {
        racelens_look(site, address, length, kind);
        return racelens_stop();
    }
    if (racelens_threads > 1 && racelens_now(racelens_stops)) return racelens_stop();
    racelens_note(site);
    return 0;
}
// if (size() < MAX) put(f) else { f(); raise = false }
static void racelens_start(int thread) {
    if (racelens_size < RACELENS_MAX) racelens_ts[racelens_size++] = thread;
    else { __racelens_assume(!racelens_atomic); racelens_run(thread); }
}
// The first thread is over or stopped; all others may go on.
static void racelens_schedule_rest(void) {
    racelens_finish(1);
    while (racelens_size > 0 && !racelens_now(racelens_stops)) racelens_run_any();
}

