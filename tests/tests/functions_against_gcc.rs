//! Every function that gcc compiles in the user's files is one that Racelens analyses.

use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use racelens_analysis::db::FunctionKind;
use racelens_tests::corpus::corpus;
use racelens_tests::tidy::tree::workspace_root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Definitions that start, end or consist of what comes from macros of system headers.
const MACROS: &str = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdatomic.h>\n#include <stdint.h>\n\
bool starts_with_a_macro(int *p)\n{\n  return p != NULL;\n}\n\
bool one_line(void) { return true; }\n\
static bool\n  indented(atomic_int *a) { return atomic_load(a) != 0; }\n\
uint8_t (*returns_a_pointer(void))(bool) { return NULL; }\n\
int old_style(a, b) bool a; int *b; { return a && b == NULL; }\n\
#define DEFINE(name) bool name##_get(void) { return name##_value; }\nstatic bool first_value = true, second_value;\n\
DEFINE(first) DEFINE(second)\n\
static inline bool unused(void) { return false; }\n";

#[test]
fn the_functions_are_those_that_gcc_compiles() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let macros = folder.path().join("macros.c");
    std::fs::write(&macros, MACROS).expect("written");
    let demo = workspace_root().join("tests/demo");
    let mut programs = vec![
        vec![macros],
        vec![demo.join("cache.c"), demo.join("main.c")],
    ];
    for entry in corpus().entries {
        let sources = entry
            .program
            .files
            .iter()
            .filter(|file| file.path.ends_with(".c"));
        programs.push(sources.map(|file| entry.folder.join(&file.path)).collect());
    }
    for sources in programs {
        let compiled: BTreeSet<String> = sources
            .iter()
            .flat_map(|source| compiled_functions(source, folder.path()))
            .collect();
        assert_eq!(analysed_functions(&sources), compiled, "{sources:?}");
    }
}

fn analysed_functions(sources: &[PathBuf]) -> BTreeSet<String> {
    let options = LoadOptions {
        paths: sources.to_vec(),
        ..LoadOptions::default()
    };
    let workspace = Workspace::load(&options, Some(1)).expect("the program is read");
    let analysis = workspace.analysis();
    let db = analysis.database();
    analysis
        .functions()
        .into_iter()
        .filter(|function| {
            function.kind(db) == FunctionKind::Function
                && analysis.lowered(*function).error.is_none()
        })
        .map(|function| function.name(db).to_string())
        .collect()
}

/// gcc lists what it compiled: `/* file:line:NF */ extern int name (void);`.
fn compiled_functions(source: &Path, folder: &Path) -> BTreeSet<String> {
    let list = folder.join("functions.txt");
    let status = Command::new("gcc")
        .args(["-fsyntax-only", "-w", "-pthread", "-aux-info"])
        .arg(&list)
        .arg(source)
        .status()
        .expect("gcc runs");
    assert!(status.success(), "{}", source.display());
    let text = std::fs::read_to_string(&list).expect("gcc wrote its list");
    text.lines()
        .filter(|line| {
            (line.contains(":NF */") || line.contains(":OF */")) && !line.starts_with("/* /usr/")
        })
        .filter_map(|line| declared_name(line.split_once("*/")?.1))
        .collect()
}

/// The identifier in front of the first parameter list.
fn declared_name(declaration: &str) -> Option<String> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let head = match declaration.split_once("(*") {
        Some((_, inner)) if declaration.find("(*") == declaration.find('(') => {
            inner.split_once('(')?.0
        }
        _ => declaration.split_once('(')?.0,
    };
    let name = head.trim_end();
    let start = name
        .rfind(|character| !is_name(character))
        .map_or(0, |at| at + 1);
    Some(name[start..].to_owned())
}
