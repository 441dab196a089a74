//! Library functions that the models cannot say enough about to simulate them.

/// What a call of such a function becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::kiss::sequential) enum Word {
    /// The error that is looked for, if that is an assertion; the end of the path otherwise.
    Error,
    /// The same if the argument is zero.
    Assert,
    /// The path goes on only if the argument is not zero.
    Assume,
    /// Any value of the result's type.
    AnyValue,
    /// Returns the number of the running thread.
    CurrentThread,
    GetSpecific,
    SetSpecific,
    /// Says how many threads have to come to a barrier.
    InitialiseBarrier,
    /// Says whether mutexes with these attributes are recursive.
    SetMutexType,
    InitialiseMutex,
    /// Takes time, and nothing else that matters.
    Sleep,
    /// Matters to nothing that is simulated.
    Nothing,
    /// Cannot be simulated: the path ends.
    Unsupported,
    /// Memory is not given back, so that no two objects ever have the same address.
    Free,
}

pub(in crate::kiss::sequential) fn word(name: &str) -> Option<Word> {
    Some(match name {
        "__assert_fail"
        | "__assert_perror_fail"
        | "__assert_rtn"
        | "__assert_func"
        | "__assert"
        | "_assert"
        | "_wassert"
        | "__VERIFIER_error"
        | "reach_error" => Word::Error,
        "__VERIFIER_assert" => Word::Assert,
        "__VERIFIER_assume" => Word::Assume,
        "pthread_self" | "thrd_current" | "gettid" => Word::CurrentThread,
        "pthread_getspecific" | "tss_get" => Word::GetSpecific,
        "pthread_setspecific" | "tss_set" => Word::SetSpecific,
        "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" | "thrd_sleep" | "sched_yield"
        | "thrd_yield" | "pthread_yield" => Word::Sleep,
        "pthread_barrier_init" => Word::InitialiseBarrier,
        "pthread_mutexattr_settype" => Word::SetMutexType,
        "pthread_mutex_init" => Word::InitialiseMutex,
        "free" | "cfree" | "free_sized" | "__builtin_free" => Word::Free,
        "pthread_barrier_destroy"
        | "pthread_cond_init"
        | "pthread_cond_destroy"
        | "cnd_init"
        | "cnd_destroy"
        | "pthread_setname_np"
        | "pthread_setcancelstate"
        | "pthread_setcanceltype"
        | "pthread_testcancel"
        | "pthread_setconcurrency"
        | "pthread_setschedparam"
        | "pthread_setschedprio"
        | "pthread_setaffinity_np" => Word::Nothing,
        "pthread_cancel" | "pthread_kill" | "pthread_sigqueue" | "fork" | "vfork" | "setjmp"
        | "_setjmp" | "__sigsetjmp" | "longjmp" | "siglongjmp" => Word::Unsupported,
        name if name.starts_with("__VERIFIER_nondet_") => Word::AnyValue,
        _ => return None,
    })
}
