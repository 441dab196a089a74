//! Names and texts of a stranger in what is shown: they stay text.

use super::stage::Stage;
use crate::program::RACY;

/// Markup of every kind that a report, a hover or a terminal could take for its own.
const NAME: &str = "<img src=x onerror=alert(1)>[x](command:evil)`**\".c";

fn stage() -> Stage {
    let stage = Stage::new();
    let source = RACY
        .replace(
            "static int counter;",
            "static int counters[128]; /* </pre><script>alert(2)</script> */",
        )
        .replace("counter++", "counters[\"`](command:evil)<script>\"[0]]++");
    std::fs::remove_file(stage.workspace.path("a.c")).unwrap();
    stage.write(NAME, &source);
    stage
}

#[test]
fn a_page_has_no_markup_of_the_program() {
    let page = stage().check("html");
    assert!(page.contains("counters"), "{page}");
    for markup in ["<script", "<img", "javascript:", "onerror=alert(1)>["] {
        assert!(!page.contains(markup), "{markup} in {page}");
    }
    assert!(page.contains("Content-Security-Policy"));
}

#[test]
fn json_and_sarif_stay_whole() {
    let stage = stage();
    for format in ["json", "sarif"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_racelens"));
        let command = command
            .env("RACELENS_CACHE_DIR", "")
            .current_dir(stage.workspace.root());
        let output = command
            .args(["check", "--format", format])
            .output()
            .unwrap();
        let parsed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(parsed.is_object(), "{format}");
    }
}

#[test]
fn a_hover_has_no_link_of_the_program() {
    let (races, said) = stage().edit();
    assert_eq!(races, 1, "{said}");
    let hovers: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("\"kind\":\"markdown\""))
        .collect();
    assert!(!hovers.is_empty(), "{said}");
    for hover in hovers {
        // A link begins behind a bracket that nothing has escaped, outside of backquotes.
        let parsed: serde_json::Value = serde_json::from_str(hover).unwrap();
        let text = parsed["result"]["contents"]["value"]
            .as_str()
            .unwrap_or_default();
        for (index, part) in without_escaped(text).split('`').enumerate() {
            let is_outside = index % 2 == 0;
            assert!(!(is_outside && part.contains("](command:")), "{text}");
            assert!(!(is_outside && part.contains("<img")), "{text}");
        }
    }
}

/// A text without the characters that a backslash makes plain ones.
fn without_escaped(text: &str) -> String {
    let mut rest = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\\' {
            characters.next();
        } else {
            rest.push(character);
        }
    }
    rest
}
