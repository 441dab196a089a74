//! Splitting with the help of columns finds in valid programs what brackets alone say.

use racelens_analysis::frontend::lex::lex;
use racelens_analysis::frontend::split::{ItemKind, split};
use racelens_tests::corpus::corpus;
use std::io::Write;
use std::process::{Command, Stdio};

/// Headers with much and various code in them.
const HEADERS: &str = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n#include <math.h>\n\
#include <netinet/in.h>\n#include <sys/stat.h>\n#include <immintrin.h>\n#include <stdatomic.h>\n#include <threads.h>\n";

#[test]
fn columns_only_matter_where_brackets_do_not_match() {
    let mut programs = vec![("the system's headers".to_owned(), HEADERS.to_owned())];
    for entry in corpus().entries {
        let sources = entry
            .program
            .files
            .iter()
            .filter(|file| file.path.ends_with(".c") && !file.text.contains("#include \""));
        programs.extend(sources.map(|file| (file.path.clone(), file.text.clone())));
    }
    for (name, source) in programs {
        let text = preprocessed(&source);
        let indented: String = text.lines().map(|line| format!(" {line}\n")).collect();
        let (found, strict) = (items(&text), items(&indented));
        let difference = found.iter().zip(&strict).find(|(one, other)| one != other);
        assert_eq!((difference, found.len()), (None, strict.len()), "{name}");
        assert!(!found.is_empty(), "{name} has items");
    }
}

/// Each item's kind and tokens.
fn items(text: &str) -> Vec<(ItemKind, String)> {
    let tokens = lex(text);
    let (items, rest) = split(text, &tokens, true);
    assert_eq!(rest, tokens.len());
    items
        .iter()
        .map(|item| {
            let words: Vec<&str> = tokens[item.start..item.end]
                .iter()
                .map(|token| token.text(text))
                .collect();
            (item.kind, words.join(" "))
        })
        .collect()
}

/// What the preprocessor makes of a text, without line markers: indented, they would be code.
fn preprocessed(source: &str) -> String {
    let mut child = Command::new("gcc")
        .args(["-E", "-P", "-pthread", "-D_GNU_SOURCE", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gcc runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(source.as_bytes())
        .expect("gcc reads");
    let output = child.wait_with_output().expect("gcc ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect()
}
