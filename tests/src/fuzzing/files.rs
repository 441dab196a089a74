//! The files that describe a project: its configuration, its compilation database, models, comments.

use super::text_of;
use racelens::project::compile_commands;
use racelens::project::compiler::CompilerFinder;
use racelens::project::config::Config;
use racelens_analysis::models::Models;
use std::path::Path;

/// What no compiler may be given, however it is wrapped up.
const FORBIDDEN: &[&str] = &[
    "-fplugin",
    "-fpass-plugin",
    "-Xclang",
    "-load",
    "-mllvm",
    "-wrapper",
    "-B",
    "-specs",
    "--specs",
    "@",
    "-o",
    "-M",
    "-save-temps",
    "--save-temps",
    "-dump",
    "-fdump",
    "-Wp,",
    "-Wa,",
    "-Wl,",
    "-Xpreprocessor",
    "--config",
    "-aux-info",
    "-fuse-",
    "--prefix",
    "-include-pch",
    "-x",
    "-c",
    "-S",
];

/// Flags that the next argument belongs to.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-include",
    "-imacros",
];

/// The input is read as every kind of file in turn.
pub fn project_files(data: &[u8]) {
    let text = text_of(data);
    let folder = Path::new("/nowhere/project");
    let finder = CompilerFinder::new(folder, None, &[]);
    let (config, _) = Config::parse(&folder.join("racelens.toml"), &text, &finder);
    assert_harmless(&config.preprocessor.flags);
    assert!(
        config
            .preprocessor
            .compiler
            .is_none_or(|name| !name.contains('/'))
    );
    config
        .sources
        .iter()
        .chain(&config.exclude)
        .for_each(|glob| {
            glob.covers(Path::new("a/b/c/d/e/f/g/h/source.c"));
        });
    // Files that do not exist are left out, so that the list of arguments is asked for itself too.
    let (entries, _) = compile_commands::parse(&folder.join("compile_commands.json"), &text);
    entries
        .iter()
        .for_each(|entry| assert_harmless(&entry.arguments));
    if let Some(words) = shlex::split(&text) {
        assert_harmless(&racelens::project::flags::safe_flags(&words, folder).arguments);
    }
    // A wrong model is an error, and never a panic.
    let _ = Models::builtin().extended(&[("model.toml", text.as_str())]);
}

fn assert_harmless(arguments: &[String]) {
    let mut is_value = false;
    for argument in arguments {
        if !is_value {
            let forbidden = FORBIDDEN.iter().find(|flag| argument.starts_with(**flag));
            assert!(forbidden.is_none(), "{argument:?} is passed on");
        } else {
            assert!(!argument.starts_with(['-', '@']), "{argument:?} is a value");
        }
        is_value = !is_value && WITH_VALUE.contains(&argument.as_str());
    }
}
