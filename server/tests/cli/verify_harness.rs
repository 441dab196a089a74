//! `racelens verify` on programs without a `main` that starts what is to be looked at.

use crate::program::Program;

/// KISS fig. 6: the state is written under the device's lock, and read without it.
fn toastmon(reader_locks: bool) -> Program {
    let (lock, unlock) = match reader_locks {
        true => (
            "pthread_mutex_lock(&Extension->StateLock);",
            "pthread_mutex_unlock(&Extension->StateLock);",
        ),
        false => ("", ""),
    };
    let text = format!(
        "\
#include <pthread.h>
typedef struct {{ pthread_mutex_t StateLock; int PnpState; }} DEVICE_EXTENSION;
typedef struct {{ DEVICE_EXTENSION *DeviceExtension; }} DEVICE_OBJECT;
int DispatchPnp(DEVICE_OBJECT *Device) {{
    DEVICE_EXTENSION *Extension = Device->DeviceExtension;
    pthread_mutex_lock(&Extension->StateLock);
    Extension->PnpState = 1;
    pthread_mutex_unlock(&Extension->StateLock);
    return 0;
}}
int DispatchPower(DEVICE_OBJECT *Device) {{
    DEVICE_EXTENSION *Extension = Device->DeviceExtension;
    int state;
    {lock}
    state = Extension->PnpState;
    {unlock}
    return state;
}}
"
    );
    Program::built(&[("toastmon.c", &text)])
}

#[test]
fn the_toastmon_race_is_witnessed_from_its_entries() {
    let start = [
        "verify",
        "--all",
        "--start",
        "DispatchPnp,DispatchPower",
        "toastmon.c",
    ];
    let run = toastmon(false).run(&start);
    assert_eq!(run.status, 1, "{}{}", run.notes, run.output);
    for told in [
        "witnessed: race on DEVICE_EXTENSION.PnpState",
        "1: DispatchPnp",
        "2: DispatchPower",
        "assumed: `DispatchPnp` and `DispatchPower` are called by a thread each",
        "assumed: pointers to the same struct point to the same object",
    ] {
        assert!(run.output.contains(told), "{told}\n{}", run.output);
    }
    let run = toastmon(true).run(&start);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
    let asserts = [
        "verify",
        "--asserts",
        "--rounds",
        "30",
        "--start",
        "DispatchPnp,DispatchPower",
        "toastmon.c",
    ];
    let run = toastmon(true).run(&asserts);
    assert!(run.output.contains("every interleaving"), "{}", run.output);
    assert!(
        run.output.contains("are called by a thread each"),
        "{}",
        run.output
    );
}

/// KISS fig. 2, with its two requests as entries.
const BLUETOOTH: &str = "\
#include <assert.h>
typedef struct { int pendingIo; int stoppingFlag; int stopped; } DEVICE_EXTENSION;
int BCSP_PnpAdd(DEVICE_EXTENSION *e) {
    if (e->stoppingFlag)
        return -1;
    __atomic_fetch_add(&e->pendingIo, 1, 5);
    assert(!__atomic_load_n(&e->stopped, 5));
    return 0;
}
int BCSP_PnpStop(DEVICE_EXTENSION *e) {
    e->stoppingFlag = 1;
    if (__atomic_load_n(&e->pendingIo, 5) == 0)
        __atomic_store_n(&e->stopped, 1, 5);
    return 0;
}
";

#[test]
fn the_bluetooth_driver_is_run_from_its_requests() {
    let program = Program::built(&[("bluetooth.c", BLUETOOTH)]);
    let run = program.run(&[
        "verify",
        "bluetooth.c:4",
        "--start",
        "BCSP_PnpAdd,BCSP_PnpStop",
    ]);
    assert_eq!(run.status, 1, "{}{}", run.notes, run.output);
    assert!(
        run.output.contains("race on DEVICE_EXTENSION.stoppingFlag"),
        "{}",
        run.output
    );
    let run = program.run(&["verify", "--asserts", "--start", "BCSP_PnpAdd,BCSP_PnpStop"]);
    assert_eq!(run.status, 1, "{}{}", run.notes, run.output);
    assert!(run.output.contains("fails the assertion"), "{}", run.output);
    // One request alone violates nothing.
    let run = program.run(&["verify", "--asserts", "--start", "BCSP_PnpAdd"]);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
    let run = program.run(&["verify", "--asserts", "--start", "BCSP_PnpAdd,nobody"]);
    assert_eq!(run.status, 2);
    assert!(
        run.notes.contains("there is no function `nobody`"),
        "{}",
        run.notes
    );
}

fn library(reset: &str, config: &str) -> Program {
    let text = format!(
        "\
#include <pthread.h>
struct counter {{ pthread_mutex_t lock; long total; }};
void counter_add(struct counter *c, long n, long *now) {{
    pthread_mutex_lock(&c->lock);
    c->total += n;
    *now = c->total;
    pthread_mutex_unlock(&c->lock);
}}
void counter_reset(struct counter *c) {{
    {reset}
}}
"
    );
    let files = [("counter.c", text.as_str()), ("racelens.toml", config)];
    Program::built(if config.is_empty() {
        &files[..1]
    } else {
        &files
    })
}

const SAFE: &str = "pthread_mutex_lock(&c->lock); c->total = 0; pthread_mutex_unlock(&c->lock);";
const BROKEN: &str = "c->total = 0;";

#[test]
fn races_of_a_library_are_run_from_the_functions_that_race() {
    let exported = ["verify", "--all", "--start-exported"];
    let run = library(BROKEN, "").run(&exported);
    assert_eq!(run.status, 1, "{}{}", run.notes, run.output);
    assert!(
        run.output.contains("witnessed: race on counter.total"),
        "{}",
        run.output
    );
    assert!(!run.output.contains("unknown:"), "{}", run.output);
    // The place for a result is the caller's own.
    assert!(
        !run.output.contains("witnessed: race on *now"),
        "{}",
        run.output
    );
    let run = library(SAFE, "").run(&exported);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
}

/// Without a harness that is asked for, a race of a library is run from the functions that take part in it.
#[test]
fn races_that_check_finds_in_a_library_choose_their_harness() {
    let text = |reset: &str| {
        format!(
            "\
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void add(long n) {{ pthread_mutex_lock(&lock); total += n; pthread_mutex_unlock(&lock); }}
void count(long n) {{ if (n > 0) add(n); }}
void reset(void) {{ {reset} }}
"
        )
    };
    let config = ("racelens.toml", "[threads]\nexported = true\n");
    let broken = text("total = 0;");
    let run = Program::built(&[("count.c", &broken), config]).run(&["verify", "--all"]);
    assert_eq!(run.status, 1, "{}{}", run.notes, run.output);
    for told in [
        "witnessed: race on total",
        "1: count",
        "assumed: argument 1 of `count` is 1 in thread 1",
    ] {
        assert!(run.output.contains(told), "{told}\n{}", run.output);
    }
    let safe = text("pthread_mutex_lock(&lock); total = 0; pthread_mutex_unlock(&lock);");
    let run = Program::built(&[("count.c", &safe), config]).run(&["verify", "--all"]);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
}

#[test]
fn entries_that_never_run_together_do_not_race() {
    let config = "[threads]\nentries = [\"counter_add\", \"counter_reset\"]\nnever-parallel = [[\"counter_add\", \
                  \"counter_reset\"], [\"counter_reset\", \"counter_reset\"]]\n";
    let run = library(BROKEN, config).run(&["verify", "--all"]);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
    let asserting = BROKEN.replace(
        "c->total = 0;",
        "long t = c->total; if (c->total != t) __assert_fail(\"\", \"\", 0, \"\");",
    );
    let start = [
        "verify",
        "--asserts",
        "--start",
        "counter_add,counter_reset",
    ];
    let run = library(&asserting, "").run(&start);
    assert_eq!(run.status, 1, "{}{}", run.notes, run.output);
    let run = library(&asserting, config).run(&start);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
    assert!(
        run.output.contains("never run at the same time"),
        "{}",
        run.output
    );
}

#[test]
fn what_is_marked_as_benign_is_not_verified() {
    let benign = "c->total = 0; // racelens: benign -- a reset may be lost";
    let run = library(benign, "").run(&["verify", "--all", "--start-exported"]);
    assert_eq!(run.status, 0, "{}{}", run.notes, run.output);
}
