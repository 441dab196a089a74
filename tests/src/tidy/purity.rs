//! The analysis is pure: no files, processes, clock or network, and nothing of the editor's protocol.

use super::Violation;
use super::paths::named_paths;

/// What no path in the analysis may begin with.
const FORBIDDEN: &[&[&str]] = &[
    &["std", "fs"],
    &["std", "process"],
    &["std", "net"],
    &["std", "env"],
    &["std", "time", "SystemTime"],
    &["std", "time", "Instant"],
    &["serde_json"],
    &["lsp"],
    &["lsp_types"],
    &["ls_types"],
    &["lsp_server"],
    &["async_lsp"],
    &["tower_lsp"],
    &["tower_lsp_server"],
    &["tokio"],
];

/// Modules that hold something forbidden: naming them whole would hide what is used of them.
const NAMED_ONLY_WITH_AN_ITEM: &[&[&str]] = &[&["std"], &["std", "time"]];

pub fn impure_paths(text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for path in named_paths(text) {
        let segments = match path.segments.as_slice() {
            // A forbidden crate stays forbidden under a module of the same name.
            ["crate", rest @ ..] => rest,
            segments => segments,
        };
        let written = path.segments.join("::");
        if FORBIDDEN
            .iter()
            .any(|forbidden| segments.starts_with(forbidden))
        {
            let message = format!("`{written}` does not belong in the pure analysis");
            violations.push(Violation::new(path.line, message));
        }
        let whole = match segments {
            [module @ .., "self" | "*"] => module,
            module => module,
        };
        if NAMED_ONLY_WITH_AN_ITEM.contains(&whole) {
            let message = format!("`{written}` hides what is used of it: name the item");
            violations.push(Violation::new(path.line, message));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<u32> {
        impure_paths(text)
            .iter()
            .map(|violation| violation.line)
            .collect()
    }

    #[test]
    fn every_way_to_name_something_impure_is_found() {
        for text in [
            "use std::fs;",
            "use std::fs::File;",
            "use std::{collections::BTreeMap, fs, sync::Arc};",
            "use std::{io::{self, Read}, process::Command};",
            "fn f() { let _ = std::env::var(name); }",
            "fn f() { ::std::net::TcpStream::connect(a); }",
            "use std::time::{Duration, Instant};",
            "use std::time::SystemTime as Clock;",
            "use std::time::{self, Duration};",
            "use std::time;",
            "use std::*;",
            "use std as library;",
            "use serde_json::Value;",
            "fn f() -> tower_lsp::jsonrpc::Error {}",
            "use crate::lsp::State;",
            "#[tokio::main]",
        ] {
            assert_eq!(lines(text), [1], "{text}");
        }
    }

    #[test]
    fn pure_text_passes() {
        for text in [
            "use std::collections::BTreeMap;",
            "use std::time::Duration;",
            "// use std::fs;",
            "/* std::process */ const A: &str = \"std::fs\";",
            "fn time() { environment::fs() }",
            "use crate::frontend::process;",
            "struct A { std_fs: u8 }",
        ] {
            assert!(lines(text).is_empty(), "{text}: {:?}", impure_paths(text));
        }
    }

    #[test]
    fn the_line_of_the_name_is_reported() {
        assert_eq!(lines("use std::{\n    sync::Arc,\n    fs,\n};"), [3]);
    }
}
