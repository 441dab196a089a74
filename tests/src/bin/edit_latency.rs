//! Measures the time from changed text to changed bodies, without the preprocessor.
//!
//! `edit_latency FILE.i [EDITS]` reads preprocessed text, edits one function after the other in
//! place, and prints the median, the 90th and the 99th percentile in milliseconds, beside the time
//! that everything takes from scratch.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use ustr::Ustr;

/// Trees are many small pieces, made and freed by several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: edit_latency FILE.i [EDITS]");
        return ExitCode::from(2);
    };
    let edits: usize = arguments
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(300);
    let text = match std::fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            eprintln!("{path} cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    let name = Ustr::from(&path);
    let mut host = AnalysisHost::default();
    let started = Instant::now();
    let functions = apply_and_lower_all(&mut host, name, &text);
    let cold = started.elapsed();

    let places = statement_places(&text);
    let (mut same_line, mut new_line) = (Vec::new(), Vec::new());
    for edit in 0..edits {
        let place = places[(edit * 7919 + 13) % places.len()];
        same_line.push(timed_edit(
            &mut host,
            name,
            &text,
            place,
            " int racelens_edit = 1;",
        ));
        new_line.push(timed_edit(
            &mut host,
            name,
            &text,
            place,
            "\n int racelens_edit = 1;\n",
        ));
    }
    println!(
        "{functions} functions, {} bytes, from scratch {:.1} ms",
        text.len(),
        milliseconds(cold)
    );
    report("a statement typed inside a line", same_line);
    report("a line added", new_line);
    ExitCode::SUCCESS
}

fn apply_and_lower_all(host: &mut AnalysisHost, name: Ustr, text: &str) -> usize {
    host.apply(change(name, text));
    let analysis = host.analysis();
    let functions = analysis.functions();
    for function in &functions {
        analysis.body(*function);
    }
    functions.len()
}

fn change(name: Ustr, text: &str) -> Change {
    let unit = UnitChange {
        path: name,
        text: Some(Arc::from(text)),
        data_model: DataModel::LP64,
    };
    Change { units: vec![unit] }
}

/// Offsets behind the `{` that opens a function's body.
fn statement_places(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let places: Vec<usize> = memchr::memmem::find_iter(bytes, b"){\n")
        .map(|at| at + 2)
        .collect();
    if places.len() > 50 {
        places
    } else {
        memchr::memmem::find_iter(bytes, b")\n{\n")
            .map(|at| at + 3)
            .collect()
    }
}

/// Types something in, measures until every changed body is there, and takes it back.
fn timed_edit(
    host: &mut AnalysisHost,
    name: Ustr,
    text: &str,
    place: usize,
    typed: &str,
) -> Duration {
    let mut edited = String::with_capacity(text.len() + typed.len());
    edited.push_str(&text[..place]);
    edited.push_str(typed);
    edited.push_str(&shift_markers(&text[place..], typed.matches('\n').count()));
    let edited = change(name, &edited);
    let started = Instant::now();
    let touched = host.apply(edited);
    let analysis = host.analysis();
    for function in touched.changed {
        analysis.body(function);
    }
    let elapsed = started.elapsed();
    drop(analysis);
    host.apply(change(name, text));
    elapsed
}

/// What the preprocessor does behind a new line: the line markers of the file count on.
fn shift_markers(text: &str, by: usize) -> String {
    if by == 0 {
        return text.to_owned();
    }
    let mut shifted = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        match line
            .strip_prefix("# ")
            .and_then(|marker| marker.split_once(' '))
        {
            Some((number, rest)) if !rest.contains("\" 1") => match number.parse::<usize>() {
                Ok(number) => shifted.push_str(&format!("# {} {rest}", number + by)),
                Err(_) => shifted.push_str(line),
            },
            _ => shifted.push_str(line),
        }
    }
    shifted
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: usize| milliseconds(times[(times.len() * share / 100).min(times.len() - 1)]);
    println!(
        "{what}: median {:.2} ms, 90 % {:.2} ms, 99 % {:.2} ms",
        at(50),
        at(90),
        at(99)
    );
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
