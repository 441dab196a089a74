//! What running needs to know about library functions beyond their models: values, which the lockset analysis has no
//! use for.

/// Calls that say that an assertion does not hold.
pub fn is_assertion_failure(name: &str) -> bool {
    matches!(
        name,
        "__assert_fail"
            | "__assert_perror_fail"
            | "__assert"
            | "__assert_rtn"
            | "__assert_func"
            | "_wassert"
            | "_assert"
            | "reach_error"
            | "__VERIFIER_error"
            | crate::kiss::program::intrinsics::FAIL
    )
}

/// Functions of verification tools, which a model only makes known to the other analyses.
pub(super) fn is_decided_elsewhere(name: &str) -> bool {
    let is_nondeterministic =
        name.starts_with("__VERIFIER_nondet_") && name != "__VERIFIER_nondet_memory";
    is_nondeterministic || matches!(name, "__VERIFIER_assume" | "__VERIFIER_assert")
}

/// Functions that return what the world outside of the program decides.
pub(super) fn is_outside(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || range(name).is_some()
}

/// The values that such a function can return, where its type says too little.
pub(super) fn range(name: &str) -> Option<(i64, i64)> {
    match name {
        "rand" | "random" | "rand_r" | "lrand48" | "clock" => Some((0, i64::from(i32::MAX))),
        "getpid" | "getppid" | "gettid" => Some((1, i64::from(i32::MAX))),
        "getuid" | "geteuid" | "getgid" | "sched_getcpu" => Some((0, 1000)),
        "get_nprocs" => Some((1, 1024)),
        "getchar" | "getc" | "fgetc" | "getchar_unlocked" | "getc_unlocked" => Some((-1, 255)),
        "isatty" | "feof" | "ferror" => Some((0, 1)),
        "access" | "unlink" | "mkdir" | "rmdir" | "chdir" | "rename" | "stat" | "lstat"
        | "fstat" | "bind" | "connect" | "listen" | "kill" | "remove" => Some((-1, 0)),
        "open" | "open64" | "openat" | "creat" | "socket" | "dup" | "dup2" | "accept"
        | "fileno" => Some((-1, 1023)),
        // From 2001 to 2096.
        "time" => Some((1_000_000_000, 4_000_000_000)),
        "sysconf" => Some((-1, 1 << 20)),
        "poll" | "select" => Some((-1, 2)),
        _ => None,
    }
}

/// Functions that send a signal to the program itself, or wait for one. Handlers are not run, so that they can only be
/// run themselves as long as there is no handler.
pub(super) fn needs_handlers(name: &str) -> bool {
    matches!(
        name,
        "raise"
            | "kill"
            | "killpg"
            | "tgkill"
            | "pthread_kill"
            | "sigqueue"
            | "pthread_sigqueue"
            | "pause"
            | "sigsuspend"
            | "abort"
    )
}

/// Functions that return the handler that was there before.
pub(super) fn returns_old_handler(name: &str) -> bool {
    matches!(
        name,
        "signal" | "bsd_signal" | "sysv_signal" | "__sysv_signal"
    )
}

/// Libraries whose functions return zero when they succeed, and whose failures are not run.
pub(super) fn succeeds_with_zero(library: &str, name: &str) -> bool {
    let has_a_value = matches!(
        name,
        "pthread_self"
            | "pthread_equal"
            | "pthread_getspecific"
            | "pthread_getconcurrency"
            | "thrd_current"
            | "thrd_equal"
            | "tss_get"
    );
    let is_such = matches!(
        library,
        "POSIX threads" | "POSIX semaphores" | "C11 threads"
    );
    (is_such && !has_a_value) || is_done_at_once(name)
}

/// Functions of the C library that do not fail when they are called as they should be, and return zero.
fn is_done_at_once(name: &str) -> bool {
    matches!(
        name,
        "usleep"
            | "sleep"
            | "nanosleep"
            | "clock_nanosleep"
            | "sched_yield"
            | "alarm"
            | "close"
            | "fclose"
            | "fflush"
            | "fsync"
            | "fseek"
            | "fseeko"
            | "setvbuf"
            | "ftruncate"
            | "sigaction"
            | "__sigaction"
            | "sigprocmask"
            | "sigemptyset"
            | "sigfillset"
            | "sigaddset"
            | "sigdelset"
            | "gettimeofday"
            | "clock_gettime"
            | "clock_getres"
            | "getrusage"
            | "getrlimit"
            | "pipe"
            | "shutdown"
            | "setenv"
            | "unsetenv"
            | "atexit"
            | "munmap"
            | "mlock"
            | "munlock"
            | "madvise"
            | "mprotect"
            | "msync"
    )
}

/// Functions that write all they are given: the argument that says how much that is.
pub(super) fn writes_all(name: &str) -> Option<usize> {
    match name {
        "write" | "send" | "sendto" | "pwrite" | "pwrite64" | "fwrite" | "fwrite_unlocked" => {
            Some(2)
        }
        "fputc" | "putc" | "putchar" | "putchar_unlocked" | "putc_unlocked" => Some(0),
        _ => None,
    }
}

/// Semaphores that count without an upper limit.
pub(super) fn has_counting_semaphores(library: &str) -> bool {
    matches!(
        library,
        "POSIX semaphores" | "libuv" | "SDL" | "Linux kernel"
    )
}

/// What a function that gives up at once returns.
pub(super) fn refusal(library: &str) -> i128 {
    match library {
        "POSIX semaphores" => -1,
        // `EBUSY`.
        "POSIX threads" => 16,
        _ => 1,
    }
}

/// How many bytes an allocating function is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Argument(usize),
    Product(usize, usize),
    NotSaid,
}

pub(super) fn allocated_bytes(name: &str) -> Asked {
    match name {
        "malloc" | "valloc" | "pvalloc" | "__builtin_malloc" => Asked::Argument(0),
        "aligned_alloc" | "memalign" | "realloc" | "reallocf" | "__builtin_realloc" => {
            Asked::Argument(1)
        }
        "calloc" | "__builtin_calloc" => Asked::Product(0, 1),
        "reallocarray" => Asked::Product(1, 2),
        _ => Asked::NotSaid,
    }
}

/// The argument that tells which byte a function fills memory with; `None` for zero.
pub(super) fn filled_with(name: &str) -> Option<Option<usize>> {
    match name {
        "memset"
        | "__builtin_memset"
        | "__memset_chk"
        | "__builtin___memset_chk"
        | "memset_explicit" => Some(Some(1)),
        "bzero" | "explicit_bzero" | "__builtin_bzero" | "__explicit_bzero_chk" => Some(None),
        _ => None,
    }
}

/// A barrier's number of threads is an argument of what makes it.
pub(super) fn barrier_parties(name: &str) -> Option<usize> {
    match name {
        "pthread_barrier_init" => Some(2),
        "uv_barrier_init" => Some(1),
        _ => None,
    }
}

/// What a thread that comes last to a barrier is told.
pub(super) fn last_at_barrier(name: &str) -> i128 {
    match name {
        "pthread_barrier_wait" => -1,
        _ => 1,
    }
}

/// The argument that says from where on a reader of a sequence lock wants to know whether somebody wrote.
pub fn retried_from(name: &str) -> Option<usize> {
    (name == "read_seqretry").then_some(1)
}

/// Functions that compare elements of an array by calling back, by the places of their arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparing {
    /// What is searched for; otherwise the array is sorted.
    pub key: Option<usize>,
    pub base: usize,
    pub count: usize,
    pub size: usize,
    pub compare: usize,
    /// What the comparing function is passed besides.
    pub extra: Option<usize>,
}

pub fn comparing(name: &str) -> Option<Comparing> {
    let sorting = Comparing {
        key: None,
        base: 0,
        count: 1,
        size: 2,
        compare: 3,
        extra: None,
    };
    match name {
        "qsort" => Some(sorting),
        "qsort_r" => Some(Comparing {
            extra: Some(4),
            ..sorting
        }),
        "bsearch" => Some(Comparing {
            key: Some(0),
            base: 1,
            count: 2,
            size: 3,
            compare: 4,
            extra: None,
        }),
        _ => None,
    }
}

/// What a wait returns that nobody ended in time; `None` if it has no time.
pub fn timed_out(name: &str) -> Option<i128> {
    match name {
        // `ETIMEDOUT`.
        "pthread_cond_timedwait"
        | "pthread_cond_clockwait"
        | "pthread_cond_timedwait_relative_np" => Some(110),
        // `thrd_timedout`.
        "cnd_timedwait" => Some(4),
        _ => None,
    }
}

/// Whether this call makes a mutex attribute recursive: the kind is its second argument.
pub(super) fn sets_mutex_kind(name: &str) -> bool {
    name == "pthread_mutexattr_settype"
}

/// The argument that says what kind of lock is made: `RECURSIVE_KIND` is one of its bits.
pub fn kind_of_new_lock(name: &str) -> Option<usize> {
    (name == "mtx_init").then_some(1)
}

/// `PTHREAD_MUTEX_RECURSIVE` and `mtx_recursive`.
pub(super) const RECURSIVE_KIND: i128 = 1;

/// Results that tell threads apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Computed {
    OwnThread,
    SameThread,
}

pub(super) fn computed(name: &str) -> Option<Computed> {
    Some(match name {
        "pthread_self" | "thrd_current" => Computed::OwnThread,
        "pthread_equal" | "thrd_equal" => Computed::SameThread,
        _ => return None,
    })
}
