//! Tests of models that a user adds: which one counts, and what is said about broken ones.

use super::*;
use expect_test::{Expect, expect};

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
    let first = r#"library = "mine"
[[model]]
functions = ["malloc", "free"]
arguments = 5"#;
    let second = r#"[[model]]
functions = "free"
arguments = 6"#;
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
fn an_unknown_key_is_reported_where_it_stands() {
    check_errors(
        r#"[[model]]
function = ["f"]
functions = ["g"]
arguments = 1
effects = [{ acquire = { lock = "arg0", kynd = "spin" } }]
nothing_near = 1
"#,
        expect![[r#"
            user.toml:2:1: unknown key `function` in a model
              help: did you mean `functions`?
            user.toml:5:41: unknown key `kynd` in `acquire`
              help: did you mean `kind`?
            user.toml:6:1: unknown key `nothing_near` in a model
              help: known here: functions, arguments, variadic, effects, returns, noreturn, pure, replaces_body"#]],
    );
    check_errors(
        r#"libary = "x""#,
        expect![[r#"
        user.toml:1:1: unknown key `libary` in a model file
          help: did you mean `library`?"#]],
    );
}

#[test]
fn an_unknown_effect_is_reported_where_it_stands() {
    check_errors(
        r#"[[model]]
functions = ["f"]
effects = [
    { aquire = { lock = "arg0" } },
    "end_thred",
    "free",
    7,
    {},
]
"#,
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
        r#"[[model]]
functions = ["f"]
arguments = 1
effects = [
    { acquire = { lock = "arg0", mode = "exlusive", when = "nonull" } },
    { start = { entry = "arg0", context = "tread", when = "arg0 zro" } },
    { atomic = { operation = "increment", pointer = "arg0", order = "strong" } },
]
"#,
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
        r#"[[model]]
functions = ["f"]
arguments = 2
effects = [
    { release = { lock = "first" } },
    { release = { lock = "arg2" } },
    { free = { pointer = 0 } },
    { read = { pointer = "arg0", size = "big" } },
    { read = { pointer = "arg0", size = [1] } },
    { atomic = { operation = "load", pointer = "arg0", order = "*arg1" } },
]
returns = "arg9"
"#,
        expect![[r#"
            user.toml:5:26: `first` is not a value
              help: write an argument like `arg0`, what it points to `*arg0`, a member `arg0->member` or its address `&arg0->member`, `arg0 element`, `arg2..`, `return` or `global NAME`
            user.toml:6:26: there is no `arg2`: `arguments` is 2
              help: the last one is `arg1`; they count from 0
            user.toml:7:26: `pointer` must say which object it is, not `0`
              help: write an argument like `arg0`, what it points to `*arg0`, a member `arg0->member` or its address `&arg0->member`, `arg0 element`, `arg2..`, `return` or `global NAME`
            user.toml:8:41: unknown size `big`
              help: known here: string, pointee, unknown
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
        r#"[[model]]
arguments = 1
effects = [{ acquire = {} }, { join = {} }, { atomic = { pointer = "arg0" } }]
"#,
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
        r#"library = 1
[[model]]
functions = [1]
arguments = "two"
variadic = "yes"
effects = { free = {} }
returns = 0
"#,
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
        "model = 1",
        expect![[r#"
        user.toml:1:9: `model` must be a list of tables: `[[model]]`, not a whole number
          help: write a list of tables: `[[model]]`"#]],
    );
    check_errors(
        "model = [1]",
        expect![[r#"
        user.toml:1:10: a model must be a table, not a whole number
          help: write a table"#]],
    );
}

#[test]
fn a_wrong_name_is_reported_where_it_stands() {
    check_errors(
        r#"[[model]]
functions = ["f", "*", "a b", "g*h",
    "f"]
arguments = 400
"#,
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
fn broken_syntax_is_reported_once_and_alone() {
    check_errors(
        r#"[[model]]
functions = ["f"
args = 1
effects = 1
"#,
        expect![[r#"
            user.toml:3:1: this is not valid TOML: missing comma between array elements, expected `,`
              help: correct the syntax; see https://toml.io"#]],
    );
}

#[test]
fn columns_count_characters_and_files_keep_their_order() {
    let errors = Models::default()
        .extended(&[
            (
                "a.toml",
                r#"# ä
library = "ä" # ö
"ä" = 1
"#,
            ),
            ("b.toml", "model = [{ functions = \"ä\", \"é\" = 1 }]"),
        ])
        .unwrap_err();
    let places: Vec<(&str, u32, u32)> = errors
        .iter()
        .map(|error| (error.file.as_str(), error.line, error.column))
        .collect();
    assert_eq!(places, [("a.toml", 3, 1), ("b.toml", 1, 29)]);
}

#[test]
fn every_example_in_the_documentation_is_valid() {
    let page = include_str!("../../../server/docs/models.md");
    let examples = page.split("```toml\n").skip(1);
    let examples = examples.filter_map(|example| example.split("```").next());
    let mut checked = 0;
    for example in examples.filter(|example| example.contains("[[model]]")) {
        assert_eq!(errors(example), "no errors", "{example}");
        checked += 1;
    }
    assert!(checked > 5, "the examples are not where they were");
}
