//! Compares our own parser with lang-c on preprocessed files.
//!
//! `compare_parsers [--show N] [--damage N] FILE.i…` parses every item both ways, each text once, and
//! prints how many came out the same, how many our parser left to lang-c, and how many differ, which
//! must be none. With `--show N` it also prints N of those that were left; with `--damage N` it
//! instead parses N damaged variants of each item.

use racelens_tests::parsers::{Comparison, parser_inputs};
use racelens_tests::random::Random;
use std::collections::HashSet;
use std::process::ExitCode;

/// Trees are many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut option = |name: &str| -> usize {
        match arguments.next_if_eq(name) {
            Some(_) => arguments
                .next()
                .and_then(|count| count.parse().ok())
                .unwrap_or(1),
            None => 0,
        }
    };
    let (shown, damages) = (option("--show"), option("--damage"));
    if arguments.peek().is_none() {
        eprintln!("usage: compare_parsers [--show N] [--damage N] FILE.i…");
        return ExitCode::from(2);
    }
    let mut random = Random::new(1);
    let mut known = HashSet::new();
    let mut comparison = Comparison::default();
    for path in arguments {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path} cannot be read: {error}");
                return ExitCode::from(2);
            }
        };
        for input in parser_inputs(&text) {
            if !known.insert(input.clone()) {
                continue;
            }
            for _ in 0..damages {
                comparison.add(input.damaged(&mut random));
            }
            if damages == 0 {
                comparison.add(input);
            }
        }
    }
    let functions = known.iter().filter(|input| input.is_function).count();
    let left_functions = comparison
        .left_to_lang_c
        .iter()
        .filter(|input| input.is_function)
        .count();
    println!(
        "{} items, {functions} of them functions: {} the same, {} left to lang-c ({left_functions} functions), {} different",
        known.len(),
        comparison.same,
        comparison.left_to_lang_c.len(),
        comparison.different.len(),
    );
    for input in comparison.left_to_lang_c.iter().take(shown) {
        println!("left {:?}: {}", input.typedefs, input.text);
    }
    for input in comparison.different.iter().take(20) {
        println!("DIFFERENT {:?}: {}", input.typedefs, input.text);
    }
    if comparison.different.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
