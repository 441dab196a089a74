// Rounds: in each of them every thread that still runs may go on where it stopped, one after the other. A function that
// stops keeps its variables and where it is in a frame, and finds them there when it is called again.
#ifndef RACELENS_ROUNDS
#define RACELENS_ROUNDS 3
#endif

static int racelens_round;
// The frames of each thread, the outermost first, with their sizes.
static struct racelens_frame { void *memory; unsigned long size; } racelens_frame[RACELENS_THREADS][RACELENS_DEPTH];
// How many functions of the running thread are in progress.
static int racelens_depth;
// How many were, where a thread stopped; zero if it has not begun, or runs again.
static int racelens_kept[RACELENS_THREADS];
// The thread stands in front of the distinguished location, for good.
static int racelens_gone[RACELENS_THREADS];
// The thread stopped by choice, and has not gone on since: it need not be asked again.
static int racelens_chose[RACELENS_THREADS];

// What a function begins with: its frame, with zero as the place to go on at if it is a new one.
static void *racelens_enter(unsigned long size) {
    int depth = racelens_depth++;
    __racelens_assume(depth < RACELENS_DEPTH);
    struct racelens_frame *frame = &racelens_frame[racelens_current][depth];
    if (depth < racelens_kept[racelens_current]) {
        if (depth + 1 == racelens_kept[racelens_current]) racelens_kept[racelens_current] = 0;
        return frame->memory;
    }
    if (frame->size < size) {
        frame->memory = __builtin_malloc(size);
        frame->size = size;
    }
    *(int *)frame->memory = 0;
    return frame->memory;
}
// A function returns, or stops and may be called again.
static void racelens_leave(void) { racelens_depth--; }
static int racelens_stop(int by_choice) {
    racelens_raise = 1;
    racelens_kept[racelens_current] = racelens_depth;
    racelens_chose[racelens_current] = by_choice;
    return 1;
}
static int racelens_chose_before(void) {
    int before = racelens_chose[racelens_current];
    racelens_chose[racelens_current] = 0;
    return before;
}
// Whether any but this thread can still go on, so that it makes a difference to stop.
static int racelens_is_followed(int current) {
    int first = racelens_round + 1 < RACELENS_ROUNDS ? 1 : current + 1;
    for (int thread = first; thread <= racelens_threads; thread++)
        if (thread != current && !racelens_finished[thread] && !racelens_gone[thread]) return 1;
    racelens_tick();
    return 0;
}
// A thread that has to wait stops until others have gone on.
#define racelens_await(condition, otherwise) \
    do { if (!(condition)) { __racelens_assume(!racelens_atomic); racelens_stop(0); return otherwise; } } while (0)
// choice { skip [] stop }
static int racelens_point(int site) {
    if (racelens_atomic) return 0;
    if (!racelens_chose_before() && racelens_is_followed(racelens_current) && racelens_now(racelens_stops)) return racelens_stop(1);
    racelens_note(site);
    return 0;
}
// choice { skip [] stop [] check; stop for good }
static int racelens_access(int site, void *address, long length, int kind) {
    if (racelens_atomic) return 0;
    int is_asked = !racelens_chose_before() && racelens_is_followed(racelens_current);
    if (!address) return 0;
    length = racelens_bytes(address, length);
    if (!racelens_meets(site, address, length, kind) && is_asked && racelens_looks(site)) {
        racelens_look(site, address, length, kind);
        racelens_gone[racelens_current] = 1;
        return racelens_stop(1);
    }
    if (is_asked && racelens_now(racelens_stops)) return racelens_stop(1);
    racelens_note(site);
    return 0;
}
static void racelens_start(int thread) { (void)thread; }
// Whether the thread goes on in this round; if so, it is the running one.
static int racelens_goes_on(int thread) {
    if (racelens_finished[thread] || racelens_gone[thread]) return 0;
    if (racelens_is_followed(thread) && racelens_now(racelens_switches)) return 0;
    racelens_current = thread;
    racelens_depth = 0;
    if (racelens_kept[thread] == 0) {
        racelens_atomic++;
        racelens_initialise_thread();
        racelens_atomic--;
    }
    return 1;
}
static void racelens_run(int thread) {
    void *result = racelens_call(thread);
    if (!racelens_raise) racelens_result[thread] = result;
    racelens_finish(thread);
}

