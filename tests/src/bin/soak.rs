//! Edits a program for hours' worth of typing, and says whether memory stays flat.
//!
//! `soak [EDITS] [FILE.c…]` preprocesses the files as one text (the demo if there is none), and ends with status 1 if the
//! second half of the run has ended with more than a tenth more memory than it began with.

use racelens_tests::compiler::preprocess;
use racelens_tests::soak::soak;
use std::process::ExitCode;
use std::time::Instant;

/// The same as in the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MOST_GROWTH_PERCENT: f64 = 10.0;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let edits = arguments
        .next()
        .and_then(|edits| edits.parse().ok())
        .unwrap_or(100_000);
    let mut files: Vec<String> = arguments.collect();
    if files.is_empty() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/demo");
        files = ["cache.c", "main.c"]
            .map(|file| format!("{folder}/{file}"))
            .to_vec();
    }
    let includes: String = files
        .iter()
        .map(|file| format!("#include \"{file}\"\n"))
        .collect();
    // One text: what stands in the files counts as the user's own.
    let program: String = preprocess(&includes)
        .lines()
        .map(|line| {
            match files
                .iter()
                .find(|file| line.contains(&format!("\"{file}\"")))
            {
                Some(file) if line.starts_with("# ") => {
                    line.replace(file.as_str(), "<stdin>") + "\n"
                }
                _ => format!("{line}\n"),
            }
        })
        .collect();
    let started = Instant::now();
    let memory = soak(&program, edits, &mut |edit, bytes| {
        // A name is kept for good, so that comparing two is free: whoever types new ones makes this grow.
        let names = ustr::total_allocated();
        println!(
            "{edit:>8} edits {:>6} s {:>8.1} MB, of it {:.1} MB for {} names",
            started.elapsed().as_secs(),
            bytes as f64 / 1e6,
            names as f64 / 1e6,
            ustr::num_entries(),
        );
    });
    let growth = memory.growth_percent();
    println!("{growth:.1} % more at the end of the second half than at its beginning");
    ExitCode::from(u8::from(growth > MOST_GROWTH_PERCENT))
}
