//! Runs the tidy checks over the repository's own tree.

use std::sync::OnceLock;

use racelens_tests::tidy::Violation;
use racelens_tests::tidy::conventions::{
    leftovers, malformed_unsound_markers, missing_opening, too_long, undocumented_unsoundness,
};
use racelens_tests::tidy::layers::{LAYERS, SERVER_LAYERS, upward_uses};
use racelens_tests::tidy::machine_paths::machine_paths;
use racelens_tests::tidy::named_tests::{missing_tests, named_tests};
use racelens_tests::tidy::purity::impure_paths;
use racelens_tests::tidy::tree::{RepositoryFile, repository_files, workspace_root};

const ANALYSIS: &str = "analysis/src/";
const SERVER: &str = "server/src/";

#[test]
fn every_rust_file_says_what_it_is_for() {
    check(is_rust, |file| missing_opening(&file.text));
}

#[test]
fn no_rust_file_is_too_long() {
    check(is_rust, |file| too_long(&file.text));
}

#[test]
fn nothing_unfinished_is_left_over() {
    check(is_rust, |file| leftovers(&file.text));
}

#[test]
fn the_analysis_is_pure() {
    check(is_analysis, |file| impure_paths(&file.text));
}

#[test]
fn the_layers_of_the_analysis_point_one_way() {
    check(is_analysis, |file| {
        upward_uses(LAYERS, file.path.trim_start_matches(ANALYSIS), &file.text)
    });
}

#[test]
fn the_layers_of_the_server_point_one_way() {
    let is_server = |file: &RepositoryFile| file.path.starts_with(SERVER) && is_rust(file);
    check(is_server, |file| {
        let path = file.path.trim_start_matches(SERVER);
        upward_uses(SERVER_LAYERS, path, &file.text)
    });
}

#[test]
fn unsoundness_is_marked_in_one_form() {
    let is_product = |file: &RepositoryFile| is_analysis(file) || file.path.starts_with(SERVER);
    check(
        |file| is_product(file) && is_rust(file),
        |file| malformed_unsound_markers(&file.text),
    );
}

#[test]
fn the_manual_lists_all_unsoundness() {
    let manual =
        std::fs::read_to_string(workspace_root().join("server/docs/limits.md")).unwrap_or_default();
    check(
        |file| (is_analysis(file) || file.path.starts_with(SERVER)) && is_rust(file),
        |file| undocumented_unsoundness(&file.text, &manual),
    );
}

#[test]
fn every_test_that_the_table_of_threats_names_is_there() {
    let page =
        std::fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).unwrap_or_default();
    let named = named_tests(&page, "## Trust");
    assert!(named.len() > 30, "the table is not found: {named:?}");
    let is_test = |file: &&RepositoryFile| {
        [".rs", ".ts", ".py"]
            .iter()
            .any(|end| file.path.ends_with(end))
    };
    let sources: Vec<&str> = files()
        .iter()
        .filter(is_test)
        .map(|file| file.text.as_str())
        .collect();
    let missing = missing_tests(&named, &sources);
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    check(|_| true, |file| machine_paths(&file.text));
}

fn is_rust(file: &RepositoryFile) -> bool {
    file.path.ends_with(".rs")
}

fn is_analysis(file: &RepositoryFile) -> bool {
    file.path.starts_with(ANALYSIS) && is_rust(file)
}

fn files() -> &'static [RepositoryFile] {
    static FILES: OnceLock<Vec<RepositoryFile>> = OnceLock::new();
    FILES.get_or_init(|| repository_files(&workspace_root()))
}

/// Fails with every violation in every wanted file, and when no file is wanted at all.
fn check(
    is_wanted: impl Fn(&RepositoryFile) -> bool,
    violations: impl Fn(&RepositoryFile) -> Vec<Violation>,
) {
    let wanted: Vec<&RepositoryFile> = files().iter().filter(|file| is_wanted(file)).collect();
    assert!(
        !wanted.is_empty(),
        "no file to check: the layout of the repository has changed"
    );
    let mut messages = Vec::new();
    for file in wanted {
        for violation in violations(file) {
            messages.push(format!(
                "{}:{}: {}",
                file.path, violation.line, violation.message
            ));
        }
    }
    assert!(messages.is_empty(), "{}", messages.join("\n"));
}
