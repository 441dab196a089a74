// The run-time part of a sequential program: choices, threads, a scheduler, and what stands for locks.
//
// A checker sees three functions: a choice, an assumption and a failure. With -DRACELENS_CHOOSE=f the choices are those
// of `int f(void)`, with -DRACELENS_ASSUME=f and -DRACELENS_FAIL=f the other two are calls of `f(int)` and `f()`.
// With -DRACELENS_EXPLORED all three are left to Racelens itself. Otherwise choices are made at random, beginning with
// the environment variable RACELENS_SEED, and the program ends with status 70 if it fails, 71 if an assumption does not
// hold, and 72 after RACELENS_STEPS choices.
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#ifdef RACELENS_EXPLORED
// Every state is kept, so that it had better be small.
#define RACELENS_THREADS 6
#define RACELENS_OBJECTS 12
#define RACELENS_KEYS 4
#define RACELENS_DEPTH 16
#else
#define RACELENS_THREADS 64
#define RACELENS_OBJECTS 256
#define RACELENS_KEYS 64
#define RACELENS_DEPTH 1024
#endif
#define RACELENS_LOG 4096

// The running thread. Threads count from 1; that is the first one.
static int racelens_current = 1;
// The access that another thread has stopped in front of.
static int racelens_site;

// What is chosen now and then: that another thread goes on, that an access is looked at, that the thread stops.
enum { racelens_switches, racelens_checks, racelens_stops };

#if defined RACELENS_EXPLORED
int __racelens_choose(int);
void __racelens_assume(int);
void __racelens_fail(int);
static int racelens_failed_code, racelens_failed_site;
static void racelens_tick(void) {}
static int racelens_now(int what) { (void)what; return __racelens_choose(2); }
static int racelens_looks(int site) { (void)site; return __racelens_choose(2); }
static int racelens_waits(void) { return __racelens_choose(2); }
// Two accesses that meet are one race; whoever wants all of them also has to go on.
static int racelens_passes_by(void) { return __racelens_choose(2); }
long racelens_any_value(void);
static long racelens_unknown(void) { return racelens_any_value(); }
static void racelens_note(int site) { (void)site; }
static void racelens_fail_at(int code, int site) {
    racelens_failed_code = code;
    racelens_failed_site = site;
    __racelens_fail(code);
}
static void racelens_begin(void) {}
#elif defined RACELENS_CHOOSE
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
static void racelens_tick(void) {}
static int racelens_now(int what) { (void)what; return __racelens_choose(2); }
static int racelens_looks(int site) { (void)site; return __racelens_choose(2); }
static int racelens_waits(void) { return __racelens_choose(2); }
static int racelens_passes_by(void) { return 0; }
static long racelens_unknown(void) { return RACELENS_CHOOSE(); }
static void racelens_note(int site) { (void)site; }
static void __racelens_fail(int code) { (void)code; RACELENS_FAIL(); }
static void racelens_fail_at(int code, int site) { (void)site; __racelens_fail(code); }
static void racelens_begin(void) {}
#else
extern char *getenv(const char *);
extern const char *racelens_sites[];
extern const char racelens_checked[];
static unsigned long racelens_random;
static long racelens_choices, racelens_most_choices = 20000;
// How rarely: each time one in so many.
static int racelens_rarity[3];
static struct { int thread, site; } racelens_log[RACELENS_LOG];
static int racelens_logged;
// A run ends some day, also if a thread waits in a loop for what never comes.
static void racelens_tick(void) { if (++racelens_choices > racelens_most_choices) __builtin__Exit(72); }
static int __racelens_choose(int n) {
    racelens_tick();
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
// Whoever has to wait mostly lets others go on.
static int racelens_waits(void) { return __racelens_choose(4) != 0; }
static int racelens_passes_by(void) { return 0; }
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
    if (seed <= 40 || seed % 2 == 0) return;
    for (int tries = 0; tries < 1000 && racelens_only < 0; tries++) {
        int site = __racelens_choose(sites);
        if (racelens_checked[site]) racelens_only = site;
    }
}
#endif
