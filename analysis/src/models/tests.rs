//! Tests of the built-in models and of what a user is told about broken ones.

use super::model_reader;
use super::registry::FILES;
use super::*;
use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;

/// What a user is told about the file.
fn errors(text: &str) -> String {
    match Models::builtin().extended(&[("user.toml", text)]) {
        Ok(_) => "no errors".to_owned(),
        Err(errors) => errors
            .iter()
            .map(ModelError::to_string)
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn check_errors(text: &str, expected: Expect) {
    expected.assert_eq(&errors(text));
}

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
    // Names whose number of arguments differs between ports, versions or users.
    let varying: Vec<String> = Models::builtin()
        .iter()
        .filter(|(_, model)| model.arguments.is_none())
        .map(|(name, _)| name)
        .collect();
    expect!["KeCancelTimer KeFlushQueuedDpcs KeRemoveQueueDpc SDL_Delay SDL_GetThreadID SDL_RemoveTimer SDL_ThreadID __VERIFIER_atomic_* g_application_run g_array_new g_assertion_message g_assertion_message_cmpnum g_assertion_message_expr g_async_queue_new g_async_queue_new_full g_hash_table_new g_hash_table_new_full g_main_loop_run g_ptr_array_new g_ptr_array_new_with_free_func g_queue_new g_string_new vPortEnterCritical vPortExitCritical vTaskEnterCritical vTaskExitCritical"].assert_eq(&varying.join(" "));
}

#[test]
fn the_table_of_contents_is_stable() {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (file, text) in FILES {
        counts.push((file, model_reader::read(file, text).unwrap().len()));
    }
    let table: String = counts
        .iter()
        .map(|(file, count)| format!("{file}: {count}\n"))
        .collect();
    expect![[r#"
        pthread.toml: 93
        semaphore.toml: 11
        c11.toml: 67
        gcc_atomics.toml: 44
        libc.toml: 467
        glib.toml: 175
        libuv.toml: 59
        apr.toml: 74
        sdl.toml: 88
        linux_kernel.toml: 1022
        freertos.toml: 67
        zephyr.toml: 116
        win32.toml: 419
        verifier.toml: 9
    "#]]
    .assert_eq(&table);
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
fn an_exact_name_wins_and_then_the_longest_pattern() {
    let text = r#"
        [[model]]
        functions = ["io_*"]
        arguments = 1
        [[model]]
        functions = ["io_read_*"]
        arguments = 2
        [[model]]
        functions = ["io_read_line"]
        arguments = 3
    "#;
    let models = Models::default().extended(&[("io.toml", text)]).unwrap();
    for (name, arguments) in [
        ("io_read_line", Some(3)),
        ("io_read_lines", Some(2)),
        ("io_read_", Some(2)),
        ("io_write", Some(1)),
        ("io", None),
        ("iö_", None),
        ("audio_read", None),
    ] {
        let found = models.lookup(name).and_then(|model| model.arguments);
        assert_eq!(found, arguments, "{name}");
    }
}

#[test]
fn a_user_file_overrides_built_in_models_and_earlier_files() {
    let first = "library = \"mine\"\n[[model]]\nfunctions = [\"malloc\", \"free\"]\narguments = 5";
    let second = "[[model]]\nfunctions = \"free\"\narguments = 6";
    let models = Models::builtin()
        .extended(&[("first.toml", first), ("second.toml", second)])
        .unwrap();
    let describe = |name: &str| {
        let model = models.lookup(name).unwrap();
        (model.library.as_str(), model.arguments)
    };
    assert_eq!(describe("malloc"), ("mine", Some(5)));
    assert_eq!(describe("free"), ("second.toml", Some(6)));
    assert_eq!(describe("calloc"), ("C library", Some(2)));
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

#[test]
fn an_unknown_key_is_reported_where_it_stands() {
    check_errors(
        "[[model]]\nfunction = [\"f\"]\nfunctions = [\"g\"]\narguments = 1\n\
         effects = [{ acquire = { lock = \"arg0\", kynd = \"spin\" } }]\nnothing_near = 1\n",
        expect![[r#"
            user.toml:2:1: unknown key `function` in a model
              help: did you mean `functions`?
            user.toml:5:41: unknown key `kynd` in `acquire`
              help: did you mean `kind`?
            user.toml:6:1: unknown key `nothing_near` in a model
              help: known here: functions, arguments, variadic, effects, returns, noreturn, pure, replaces_body"#]],
    );
    check_errors(
        "libary = \"x\"\n",
        expect![[r#"
        user.toml:1:1: unknown key `libary` in a model file
          help: did you mean `library`?"#]],
    );
}

#[test]
fn an_unknown_effect_is_reported_where_it_stands() {
    check_errors(
        "[[model]]\nfunctions = [\"f\"]\neffects = [\n    { aquire = { lock = \"arg0\" } },\n    \"end_thred\",\n    \"free\",\n    7,\n    {},\n]\n",
        expect![[r#"
            user.toml:4:7: unknown effect `aquire`
              help: did you mean `acquire`?
            user.toml:5:5: unknown effect `end_thred`
              help: did you mean `end_thread`?
            user.toml:6:5: `free` needs to know of what
              help: write `{ free = { … } }`
            user.toml:7:5: an effect must be a table or a word, not a whole number
              help: write a table or a word
            user.toml:8:5: an effect has one name, not 0
              help: write one `{ … }` per effect, in the order in which they happen"#]],
    );
}

#[test]
fn a_wrong_word_is_reported_where_it_stands() {
    check_errors(
        "[[model]]\nfunctions = [\"f\"]\narguments = 1\neffects = [\n    { acquire = { lock = \"arg0\", mode = \"exlusive\", when = \"nonull\" } },\n    { start = { entry = \"arg0\", context = \"tread\", when = \"arg0 zro\" } },\n    { atomic = { operation = \"increment\", pointer = \"arg0\", order = \"strong\" } },\n]\n",
        expect![[r#"
            user.toml:5:41: unknown mode `exlusive`
              help: did you mean `exclusive`?
            user.toml:5:60: unknown condition `nonull`
              help: did you mean `nonnull`?
            user.toml:6:43: unknown context `tread`
              help: did you mean `thread`?
            user.toml:6:59: unknown condition `zro`
              help: did you mean `zero`?
            user.toml:7:30: unknown operation `increment`
              help: known here: load, store, exchange, compare_exchange, add, sub, and, or, xor, nand, test_and_set, clear, fence
            user.toml:7:69: unknown order `strong`
              help: known here: relaxed, consume, acquire, release, acq_rel, seq_cst"#]],
    );
}

#[test]
fn a_wrong_value_is_reported_where_it_stands() {
    check_errors(
        "[[model]]\nfunctions = [\"f\"]\narguments = 2\neffects = [\n    { release = { lock = \"first\" } },\n    { release = { lock = \"arg2\" } },\n    { free = { pointer = 0 } },\n    { read = { pointer = \"arg0\", size = \"big\" } },\n    { read = { pointer = \"arg0\", size = [1] } },\n    { atomic = { operation = \"load\", pointer = \"arg0\", order = \"*arg1\" } },\n]\nreturns = \"arg9\"\n",
        expect![[r#"
            user.toml:5:26: `first` is not a value
              help: write an argument like `arg0`, what it points to `*arg0`, a member `arg0->member` or its address `&arg0->member`, `arg0 element`, `arg2..`, `return` or `global NAME`
            user.toml:6:26: there is no `arg2`: `arguments` is 2
              help: the last one is `arg1`; they count from 0
            user.toml:7:26: `pointer` must say which object it is, not `0`
              help: write an argument like `arg0`, what it points to `*arg0`, a member `arg0->member` or its address `&arg0->member`, `arg0 element`, `arg2..`, `return` or `global NAME`
            user.toml:8:41: `big` is not a value
              help: write an argument like `arg0`, what it points to `*arg0`, a member `arg0->member` or its address `&arg0->member`, `arg0 element`, `arg2..`, `return` or `global NAME`
            user.toml:9:41: `size` must be a number or a string, not a list
              help: write a number or a string
            user.toml:10:64: unknown order `*arg1`
              help: known here: relaxed, consume, acquire, release, acq_rel, seq_cst
            user.toml:12:11: there is no `arg9`: `arguments` is 2
              help: the last one is `arg1`; they count from 0"#]],
    );
}

#[test]
fn what_is_missing_is_reported_at_its_table() {
    check_errors(
        "[[model]]\narguments = 1\neffects = [{ acquire = {} }, { join = {} }, { atomic = { pointer = \"arg0\" } }]\n",
        expect![[r#"
            user.toml:1:1: a model has no `functions`
              help: add `functions = …`
            user.toml:3:24: `acquire` has no `lock`
              help: add `lock = …`
            user.toml:3:39: `join` has no `handle`
              help: add `handle = …`
            user.toml:3:56: `atomic` has no `operation`
              help: add `operation = …`"#]],
    );
}

#[test]
fn a_wrong_type_is_reported_where_it_stands() {
    check_errors(
        "library = 1\n[[model]]\nfunctions = [1]\narguments = \"two\"\nvariadic = \"yes\"\neffects = { free = {} }\nreturns = 0\n",
        expect![[r#"
            user.toml:1:11: `library` must be a string, not a whole number
              help: write a string
            user.toml:3:14: the name of a function must be a string, not a whole number
              help: write a string
            user.toml:4:13: `arguments` must be a whole number, not a string
              help: write a whole number
            user.toml:5:12: `variadic` must be true or false, not a string
              help: write true or false
            user.toml:6:11: `effects` must be a list, not a table
              help: write a list
            user.toml:7:11: `returns` must be a string, not a whole number
              help: write a string"#]],
    );
    check_errors(
        "model = 1\n",
        expect![[r#"
        user.toml:1:9: `model` must be a list of tables: `[[model]]`, not a whole number
          help: write a list of tables: `[[model]]`"#]],
    );
    check_errors(
        "model = [1]\n",
        expect![[r#"
        user.toml:1:10: a model must be a table, not a whole number
          help: write a table"#]],
    );
}

#[test]
fn a_wrong_name_is_reported_where_it_stands() {
    check_errors(
        "[[model]]\nfunctions = [\"f\", \"*\", \"a b\", \"g*h\",\n    \"f\"]\narguments = 400\n",
        expect![[r#"
            user.toml:2:19: `*` is not the name of a function
              help: write a C name, or its beginning and `*`
            user.toml:2:24: `a b` is not the name of a function
              help: write a C name, or its beginning and `*`
            user.toml:2:31: `g*h` is not the name of a function
              help: write a C name, or its beginning and `*`
            user.toml:3:5: `f` is described twice in this file
              help: put all its effects into one model
            user.toml:4:13: no function has so many arguments
              help: write a number from 0 to 64"#]],
    );
}

#[test]
fn broken_syntax_is_reported_alone() {
    check_errors(
        "[[model]]\nfunctions = [\"f\"\nargs = 1\n",
        expect![[r#"
        user.toml:3:1: this is not valid TOML: missing comma between array elements, expected `,`
          help: correct the syntax; see https://toml.io
        user.toml:3:1: this is not valid TOML: string values must be quoted, expected literal string
          help: correct the syntax; see https://toml.io
        user.toml:3:6: this is not valid TOML: unexpected `=` in array, expected value, `]`
          help: correct the syntax; see https://toml.io
        user.toml:3:8: this is not valid TOML: missing comma between array elements, expected `,`
          help: correct the syntax; see https://toml.io
        user.toml:3:9: this is not valid TOML: unclosed array, expected `]`
          help: correct the syntax; see https://toml.io"#]],
    );
}

#[test]
fn columns_count_characters_and_files_keep_their_order() {
    let errors = Models::default()
        .extended(&[
            ("a.toml", "# ä\nlibrary = \"ä\" # ö\n\"ä\" = 1\n"),
            ("b.toml", "model = [{ functions = \"ä\", \"é\" = 1 }]"),
        ])
        .unwrap_err();
    let places: Vec<(&str, u32, u32)> = errors
        .iter()
        .map(|error| (error.file.as_str(), error.line, error.column))
        .collect();
    assert_eq!(places, [("a.toml", 3, 1), ("b.toml", 1, 29)]);
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
