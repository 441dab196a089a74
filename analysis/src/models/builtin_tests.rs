//! Tests of the built-in models: that they are valid, and what well-known functions do.

use super::model_reader;
use super::registry::FILES;
use super::*;
use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;

fn check_effects(name: &str, expected: Expect) {
    let model = Models::builtin().lookup(name);
    expected.assert_eq(&model.map_or("no model\n".to_owned(), FunctionModel::to_string));
}

#[test]
fn every_embedded_file_is_valid() {
    for (file, text) in FILES {
        if let Err(errors) = model_reader::read(file, text) {
            let errors: Vec<String> = errors.iter().map(ModelError::to_string).collect();
            panic!("{}", errors.join("\n"));
        }
    }
}

#[test]
fn no_function_is_in_two_embedded_files() {
    let mut seen: FxHashMap<String, &str> = FxHashMap::default();
    for (file, text) in FILES {
        for (name, _) in model_reader::read(file, text).unwrap() {
            if let Some(other) = seen.insert(name.clone(), file) {
                panic!("{name} is in {other} and in {file}");
            }
        }
    }
}

#[test]
fn every_embedded_model_says_how_many_arguments_there_are() {
    for (name, model) in Models::builtin().iter() {
        assert!(model.arguments.is_some(), "{name}");
    }
}

#[test]
fn effects_of_well_known_functions() {
    check_effects(
        "pthread_mutex_trylock",
        expect![[r#"
        acquire arg0 exclusive mutex without waiting when zero
    "#]],
    );
    check_effects(
        "pthread_create",
        expect![[r#"
        start thread arg2(arg3) as *arg0 when zero
        write arg0 size pointee
    "#]],
    );
    check_effects(
        "pthread_cond_timedwait",
        expect![[r#"
        read arg2 size pointee
        wait with arg1 exclusive on arg0
    "#]],
    );
    check_effects(
        "pthread_exit",
        expect![[r#"
        end thread
        noreturn
    "#]],
    );
    check_effects(
        "sem_wait",
        expect![[r#"
        acquire arg0 exclusive semaphore when zero
        wait for arg0 when zero
    "#]],
    );
    check_effects(
        "pthread_once",
        expect![[r#"
        once arg0 arg1()
    "#]],
    );
    check_effects(
        "realloc",
        expect![[r#"
        allocate return
        copy to return from arg0 size unknown
        free arg0 when nonzero
        returns fresh
    "#]],
    );
    check_effects(
        "qsort",
        expect![[r#"
        read arg0 size arg1 * arg2
        call arg3(arg0 element, arg0 element)
        write arg0 size arg1 * arg2
    "#]],
    );
    check_effects(
        "snprintf",
        expect![[r#"
        read arg2.. size string
        write arg0 size arg1
    "#]],
    );
    check_effects(
        "localtime",
        expect![[r#"
        read arg0 size pointee
        write global time buffer size pointee
        returns global time buffer
    "#]],
    );
    check_effects(
        "sigaction",
        expect![[r#"
        read arg1 size pointee
        start signal arg1->sa_handler(arg0)
        start signal arg1->sa_sigaction(arg0, unknown, unknown)
        start signal arg1->__sigaction_handler.sa_handler(arg0)
        start signal arg1->__sigaction_handler.sa_sigaction(arg0, unknown, unknown)
        start signal arg1->__sa_handler.sa_handler(arg0)
        start signal arg1->__sa_handler.sa_sigaction(arg0, unknown, unknown)
        write arg2 size pointee
    "#]],
    );
    check_effects(
        "__atomic_compare_exchange_n",
        expect![[r#"
        atomic compare_exchange arg0 value arg2 expected *arg1 out *arg1 result flag order arg4
    "#]],
    );
    check_effects(
        "__sync_lock_test_and_set",
        expect![[r#"
        atomic exchange arg0 value arg1 result old order acquire
    "#]],
    );
    check_effects(
        "g_thread_pool_free",
        expect![[r#"
        join arg0 when arg2 nonzero
        free arg0
    "#]],
    );
    check_effects(
        "__VERIFIER_atomic_swap",
        expect![[r#"
        acquire global __VERIFIER_atomic exclusive global recursive
        body
        release global __VERIFIER_atomic
    "#]],
    );
    check_effects(
        "_raw_spin_lock_irqsave",
        expect![[r#"
            acquire global interrupts exclusive irq recursive
            acquire arg0 exclusive spin
            replaces body
        "#]],
    );
    check_effects(
        "queue_work_on",
        expect![[r#"
            start work arg2->func(arg2) as arg2
        "#]],
    );
    check_effects(
        "request_threaded_irq",
        expect![[r#"
            start interrupt arg1(arg0, arg5) as arg5
            start interrupt arg2(arg0, arg5) as arg5
        "#]],
    );
    check_effects(
        "WaitForMultipleObjects",
        expect![[r#"
            read arg1 size unknown
            join *arg1 element when arg2 nonzero
            wait for *arg1 element when arg2 nonzero
        "#]],
    );
    check_effects(
        "my_own_function",
        expect![[r#"
        no model
    "#]],
    );
}

#[test]
fn a_call_with_too_few_arguments_is_of_another_function() {
    let create = Models::builtin().lookup("pthread_create").unwrap();
    assert!(create.accepts(4));
    assert!(!create.accepts(2));
}

#[test]
fn an_allocation_makes_the_result_fresh() {
    for (name, returns) in [
        ("malloc", Returns::Fresh),
        ("posix_memalign", Returns::Unknown),
        ("memcpy", Returns::Value(Value::argument(0))),
    ] {
        assert_eq!(
            Models::builtin().lookup(name).unwrap().returns,
            returns,
            "{name}"
        );
    }
}

#[test]
fn only_functions_with_a_body_effect_wrap_their_body() {
    let models = Models::builtin();
    let wrapping: Vec<String> = models
        .iter()
        .filter(|(_, model)| model.wraps_body())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(wrapping, ["__VERIFIER_atomic_*"]);
}

/// The parameters of the functions in <pthread.h>, <threads.h> and <semaphore.h>.
const PARAMETERS: &[(u8, &str)] = &[
    (0, "pthread_self pthread_testcancel thrd_current thrd_yield"),
    (
        1,
        "pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_mutex_destroy \
         pthread_mutex_consistent pthread_rwlock_rdlock pthread_rwlock_tryrdlock \
         pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_unlock \
         pthread_rwlock_destroy pthread_spin_lock pthread_spin_trylock pthread_spin_unlock \
         pthread_spin_destroy pthread_cond_signal pthread_cond_broadcast pthread_cond_destroy \
         pthread_barrier_wait pthread_barrier_destroy pthread_detach pthread_exit pthread_cancel \
         pthread_getspecific pthread_key_delete sem_wait sem_trywait sem_post sem_destroy \
         sem_close sem_unlink mtx_lock mtx_trylock mtx_unlock mtx_destroy cnd_init cnd_signal \
         cnd_broadcast cnd_destroy thrd_detach thrd_exit tss_get tss_delete",
    ),
    (
        2,
        "pthread_mutex_init pthread_mutex_timedlock pthread_mutex_getprioceiling \
         pthread_rwlock_init pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock \
         pthread_spin_init pthread_cond_init pthread_cond_wait pthread_once pthread_join \
         pthread_tryjoin_np pthread_equal pthread_kill pthread_key_create pthread_setspecific \
         pthread_setcancelstate pthread_setcanceltype sem_open sem_timedwait sem_getvalue \
         mtx_init mtx_timedlock cnd_wait call_once thrd_join thrd_equal thrd_sleep tss_create \
         tss_set pthread_attr_getdetachstate pthread_mutexattr_gettype",
    ),
    (
        3,
        "pthread_mutex_clocklock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock \
         pthread_mutex_setprioceiling pthread_cond_timedwait pthread_barrier_init \
         pthread_timedjoin_np pthread_atfork pthread_sigmask pthread_getschedparam \
         pthread_setschedparam pthread_attr_getstack sem_init sem_clockwait cnd_timedwait \
         thrd_create",
    ),
    (
        4,
        "pthread_create pthread_cond_clockwait pthread_clockjoin_np",
    ),
];

#[test]
fn argument_counts_are_those_of_the_standard_headers() {
    for (count, names) in PARAMETERS {
        for name in names.split_whitespace() {
            let model = Models::builtin().lookup(name);
            let arguments = model.and_then(|model| model.arguments);
            assert_eq!(arguments, Some(*count), "{name}");
        }
    }
}
