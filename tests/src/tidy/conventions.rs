//! How every Rust file of the repository looks: its opening, its length, its markers.

use super::Violation;
use super::rust_tokens::{Comment, scan};

const MOST_LINES: usize = 700;

/// A file opens by saying what it is for.
pub fn missing_opening(text: &str) -> Vec<Violation> {
    let says_something = text.strip_prefix("//! ").is_some_and(|line| {
        let first = line.lines().next().unwrap_or_default();
        !first.trim().is_empty()
    });
    if says_something {
        Vec::new()
    } else {
        vec![Violation::new(
            1,
            "the file must open with `//! ` and what it is for",
        )]
    }
}

/// A file that long has more than one concept.
pub fn too_long(text: &str) -> Vec<Violation> {
    let lines = text.lines().count();
    if lines <= MOST_LINES {
        return Vec::new();
    }
    let message = format!("{lines} lines, more than {MOST_LINES}: split it by concept");
    vec![Violation::new(lines as u32, message)]
}

/// Stubs, debug prints and tests that do not run.
pub fn leftovers(text: &str) -> Vec<Violation> {
    let tokens = scan(text).tokens;
    let mut violations = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = |offset: usize| tokens.get(at + offset).map(|token| token.text);
        let is_macro = next(1) == Some("!");
        if is_macro && matches!(token.text, "todo" | "unimplemented" | "dbg") {
            let message = format!("`{}!` is left over", token.text);
            violations.push(Violation::new(token.line, message));
        }
        if token.text == "#" && next(1) == Some("[") && next(2) == Some("ignore") {
            let message = "an ignored test: state today's answer instead";
            violations.push(Violation::new(token.line, message));
        }
    }
    violations
}

/// Every place where soundness is given up reads `// UNSOUND: reason.`, so that one search finds them all.
pub fn malformed_unsound_markers(text: &str) -> Vec<Violation> {
    let comments = scan(text).comments;
    let mut violations = Vec::new();
    for (at, comment) in comments.iter().enumerate() {
        if comment.text.contains("UNSOUND") && !is_well_formed_marker(&comments[at..]) {
            let message = "write `// UNSOUND: reason.`, with a reason that ends in a full stop";
            violations.push(Violation::new(comment.line, message));
        }
    }
    violations
}

/// The reasons for which soundness is given up, each as one line of text.
pub fn unsound_reasons(text: &str) -> Vec<(u32, String)> {
    let comments = scan(text).comments;
    let mut reasons = Vec::new();
    for (at, comment) in comments.iter().enumerate() {
        let Some(first) = comment.text.strip_prefix("// UNSOUND: ") else {
            continue;
        };
        let mut reason = first.trim().to_owned();
        for following in &comments[at + 1..] {
            if reason.ends_with('.') {
                break;
            }
            reason.push(' ');
            reason.push_str(following.text.trim_start_matches('/').trim());
        }
        reasons.push((comment.line, reason));
    }
    reasons
}

/// Reasons that a manual page does not give in the same words.
pub fn undocumented_unsoundness(text: &str, manual: &str) -> Vec<Violation> {
    let one_line = |text: &str| {
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    };
    let manual = one_line(manual);
    unsound_reasons(text)
        .into_iter()
        .filter(|(_, reason)| !manual.contains(&one_line(reason)))
        .map(|(line, reason)| {
            Violation::new(
                line,
                format!("server/docs/limits.md does not say: {reason}"),
            )
        })
        .collect()
}

/// The reason may run over the following lines of the same comment.
fn is_well_formed_marker(comments: &[Comment<'_>]) -> bool {
    let Some(reason) = comments[0].text.strip_prefix("// UNSOUND: ") else {
        return false;
    };
    let mut last = reason;
    for (offset, comment) in comments.iter().enumerate().skip(1) {
        let follows = comment.line == comments[0].line + offset as u32;
        if last.trim_end().ends_with('.') || !follows {
            break;
        }
        last = comment.text;
    }
    !reason.trim().is_empty() && last.trim_end().ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(violations: Vec<Violation>) -> Vec<u32> {
        violations.iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn unsoundness_that_the_manual_does_not_name_is_found() {
        let text = "fn f() {}\n// UNSOUND: a long loop is\n// cut.\nfn g() {}\n";
        assert!(undocumented_unsoundness(text, "- A long loop\n  is cut. Sorry.").is_empty());
        assert_eq!(
            lines(undocumented_unsoundness(text, "- A short loop is cut.")),
            [2]
        );
    }

    #[test]
    fn a_file_without_an_opening_is_found() {
        for text in [
            "",
            "use a;\n",
            "// What for.\n",
            "//!\n",
            "//! \n",
            "\n//! Late.\n",
        ] {
            assert_eq!(lines(missing_opening(text)), [1], "{text:?}");
        }
        assert!(missing_opening("//! What for.\n").is_empty());
    }

    #[test]
    fn a_long_file_is_found() {
        assert!(too_long(&"a\n".repeat(700)).is_empty());
        assert_eq!(lines(too_long(&"a\n".repeat(701))), [701]);
    }

    #[test]
    fn leftovers_are_found_in_code_only() {
        let text = "fn f() {\n    todo!()\n}\nfn g() { unimplemented!(\"x\"); dbg!(y); }\n";
        assert_eq!(lines(leftovers(text)), [2, 4, 4]);
        assert_eq!(lines(leftovers("#[test]\n#[ignore]\nfn f() {}")), [2]);
        assert_eq!(lines(leftovers("#[ignore = \"slow\"]\nfn f() {}")), [1]);
        assert!(leftovers("// todo!()\nlet a = \"dbg!(x)\"; fn todo() {}").is_empty());
    }

    #[test]
    fn an_unsound_marker_without_form_or_reason_is_found() {
        for text in [
            "// UNSOUND",
            "// UNSOUND: ",
            "// UNSOUND: no full stop",
            "// UNSOUND a cut.",
            "// This is UNSOUND: a cut.",
            "//UNSOUND: a cut.",
            "/// UNSOUND: a cut.",
            "/* UNSOUND: a cut. */",
            "// UNSOUND: a cut\nlet x = 1;\n// that goes on.",
        ] {
            assert_eq!(lines(malformed_unsound_markers(text)), [1], "{text}");
        }
        for text in [
            "// UNSOUND: a cut.",
            "// UNSOUND: a cut\n// that goes on.",
            "const A: &str = \"UNSOUND\";",
        ] {
            assert!(malformed_unsound_markers(text).is_empty(), "{text}");
        }
    }
}
