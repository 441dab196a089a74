//! A program that lets a witnessed interleaving happen: the user's sources with marks at the steps of the interleaving, and a
//! scheduler that lets threads pass the marks in that order.

mod marking;
mod schedule;

use crate::project::whole_file;
use crate::project::{Project, TranslationUnit, compiler_errors, read_source};
use crate::report::WitnessTrace;
use marking::{Mark, marked};
use schedule::{Item, Schedule, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

const HEADER: &str = include_str!("scheduler.h");
const SCHEDULER: &str = include_str!("scheduler.c");
const HEADER_NAME: &str = "racelens_replay.h";
const SCHEDULER_NAME: &str = "racelens_replay.c";
const SCHEDULE_NAME: &str = "racelens_schedule.h";
const SCRIPT_NAME: &str = "replay.sh";

/// How often marks that the compiler does not take are made weaker.
const MOST_ATTEMPTS: usize = 4;

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    pub script: PathBuf,
    /// Steps that are forced, of all.
    pub forced: usize,
    pub steps: usize,
    /// What is not forced, and why.
    pub remarks: Vec<String>,
}

/// Why there is no such program.
#[derive(Debug)]
pub enum NoReplay {
    /// The threads are started by a harness, which has no source.
    Harness,
    /// The text was preprocessed by somebody else.
    NoProject,
    /// Neither of the accesses can be marked.
    NothingMarked,
    Write(PathBuf, io::Error),
}

impl std::fmt::Display for NoReplay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoReplay::Harness => f.write_str(
                "it begins with functions that a harness calls, and not with `main`\n  help: write a `main` that starts them",
            ),
            NoReplay::NoProject => f.write_str("nothing is known about how the files are compiled"),
            NoReplay::NothingMarked => f.write_str(
                "no step of it stands in the text as one expression: they are made by macros, or span lines",
            ),
            NoReplay::Write(path, error) => write!(
                f,
                "{} cannot be written: {error}\n  help: name a directory that can be written to",
                path.display()
            ),
        }
    }
}

/// Writes the program into a directory.
pub fn write_replay(
    trace: &WitnessTrace,
    project: Option<&Project>,
    directory: &Path,
) -> Result<Replay, NoReplay> {
    if trace.threads.first().is_none_or(|first| first.is_harness) {
        return Err(NoReplay::Harness);
    }
    let project = project.ok_or(NoReplay::NoProject)?;
    let schedule = Schedule::new(trace);
    std::fs::create_dir_all(directory)
        .map_err(|error| NoReplay::Write(directory.to_owned(), error))?;
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        whole_file::write(&path, text.as_bytes()).map_err(|error| NoReplay::Write(path, error))
    };
    write(HEADER_NAME, HEADER)?;
    write(SCHEDULER_NAME, SCHEDULER)?;
    let mut is_marked = vec![false; schedule.sites.len()];
    let mut commands = Vec::new();
    let mut names = BTreeSet::new();
    let mut files = BTreeSet::new();
    for unit in &project.units {
        if !files.insert(&unit.file) {
            continue;
        }
        let sites: Vec<(usize, &Site)> = schedule
            .sites
            .iter()
            .enumerate()
            .filter(|(_, site)| site.file == unit.file)
            .collect();
        let source = match sites.is_empty() {
            true => None,
            false => read_source(&unit.file),
        };
        let Some(text) = source else {
            commands.push((unit, unit.file.clone()));
            continue;
        };
        let name = free_name(&unit.file, &mut names);
        let copy = directory.join(&name);
        let marks = write_marked(project, unit, &text, sites, &copy)?;
        for (number, _, mark) in marks {
            is_marked[number] = mark != Mark::Not;
        }
        commands.push((unit, PathBuf::from(name)));
    }
    let total = schedule.steps.len() + schedule.ends.len() + schedule.unmarked.len();
    let keep = |items: &[Item]| -> Vec<Item> {
        items
            .iter()
            .filter(|item| is_marked[item.site])
            .cloned()
            .collect()
    };
    let (steps, ends) = (keep(&schedule.steps), keep(&schedule.ends));
    if ends.is_empty() {
        return Err(NoReplay::NothingMarked);
    }
    write(
        SCHEDULE_NAME,
        &schedule_text(schedule.sites.len(), &steps, &ends),
    )?;
    write(SCRIPT_NAME, &script(&commands))?;
    let mut remarks: Vec<String> = schedule.unmarked.clone();
    let left_out = schedule.steps.iter().chain(&schedule.ends);
    remarks.extend(
        left_out
            .filter(|item| !is_marked[item.site])
            .map(|item| item.what.clone()),
    );
    remarks.dedup();
    remarks.truncate(5);
    let mut remarks: Vec<String> = remarks
        .into_iter()
        .map(|what| {
            format!("not forced, because it is no expression of its own in a source file: {what}")
        })
        .collect();
    let assumptions = trace.assumptions.iter();
    remarks.extend(assumptions.map(|assumption| format!("not forced: {assumption}")));
    Ok(Replay {
        script: directory.join(SCRIPT_NAME),
        forced: steps.len() + ends.len(),
        steps: total,
        remarks,
    })
}

/// Writes the copy with as many marks as the compiler takes.
fn write_marked<'s>(
    project: &Project,
    unit: &TranslationUnit,
    text: &str,
    sites: Vec<(usize, &'s Site)>,
    copy: &Path,
) -> Result<Vec<(usize, &'s Site, Mark)>, NoReplay> {
    let mut marks: Vec<(usize, &Site, Mark)> = sites
        .into_iter()
        .map(|(number, site)| (number, site, Mark::first_for(site)))
        .collect();
    for attempt in 0..=MOST_ATTEMPTS {
        let first_line = format!("#line 1 \"{}\"\n", quoted(&unit.file));
        let whole = format!("{first_line}{}", marked(text, &marks));
        whole_file::write(copy, whole.as_bytes())
            .map_err(|error| NoReplay::Write(copy.to_owned(), error))?;
        let header = copy.with_file_name(HEADER_NAME);
        let search_path = project.preprocessor.search_path();
        let wrong: BTreeSet<u32> = compiler_errors(unit, search_path, copy, &header);
        if wrong.is_empty() {
            break;
        }
        let mut is_changed = false;
        for (_, site, mark) in &mut marks {
            if wrong.contains(&site.line) || attempt == MOST_ATTEMPTS - 1 {
                is_changed |= *mark != Mark::Not;
                *mark = mark.weaker();
            }
        }
        if !is_changed {
            break;
        }
    }
    Ok(marks)
}

/// The file's own name, with a number if another file has the same.
fn free_name(file: &Path, names: &mut BTreeSet<String>) -> String {
    let own = file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut name = own.clone();
    let mut number = 2;
    while !names.insert(name.clone()) {
        name = format!("{number}_{own}");
        number += 1;
    }
    name
}

fn schedule_text(sites: usize, steps: &[Item], ends: &[Item]) -> String {
    let mut text = format!(
        "/* The order of the interleaving. */\n#define RACELENS_SITES {}\n#define RACELENS_STEPS {}\n#define RACELENS_ENDS {}\n\
         static const struct racelens_item racelens_items[] = {{\n",
        sites.max(1),
        steps.len(),
        ends.len()
    );
    for item in steps.iter().chain(ends) {
        let _ = writeln!(
            text,
            "    {{ {}, {}, {}, \"{}\" }},",
            item.thread,
            item.site,
            item.visit,
            item.what.replace('\\', "\\\\").replace('"', "\\\"")
        );
    }
    text.push_str("};\n");
    text
}

/// Compiles everything and runs it.
fn script(commands: &[(&TranslationUnit, PathBuf)]) -> String {
    let mut text = "#!/bin/sh\n# Compiles the program with ThreadSanitizer and lets the interleaving happen.\n\
                    # CC, CFLAGS and LDLIBS can be set; arguments go to the program.\n\
                    set -e\ncd \"$(dirname \"$0\")\"\nCC=${CC:-gcc}\n"
        .to_owned();
    let _ = writeln!(
        text,
        "$CC -O1 -g -w -c {SCHEDULER_NAME} -o racelens_replay.o"
    );
    let mut objects = String::new();
    let mut directories: BTreeMap<&Path, usize> = BTreeMap::new();
    for (number, (unit, file)) in commands.iter().enumerate() {
        let arguments: Vec<String> = unit
            .arguments
            .iter()
            .map(|argument| shell(argument))
            .collect();
        let parent = unit.file.parent().unwrap_or(Path::new("/"));
        directories.entry(parent).or_insert(number);
        let _ = writeln!(
            text,
            "$CC -fsanitize=thread -O0 -g -w -pthread $CFLAGS {} -iquote {} -include {HEADER_NAME} -c {} -o part{number}.o",
            arguments.join(" "),
            shell(&parent.to_string_lossy()),
            shell(&file.to_string_lossy()),
        );
        let _ = write!(objects, " part{number}.o");
    }
    let _ = writeln!(
        text,
        "$CC -fsanitize=thread -pthread -Wl,--wrap=pthread_create racelens_replay.o{objects} -o replay ${{LDLIBS:--lm}}"
    );
    text.push_str(
        "export TSAN_OPTIONS=\"history_size=7 suppress_equal_addresses=0 report_thread_leaks=0 detect_deadlocks=0 $TSAN_OPTIONS\"\n\
         # What is reported may depend on which of the two accesses comes first.\nstatus=0\nfor first in 0 1; do\n    \
         RACELENS_FIRST=$first ./replay \"$@\" || status=$?\ndone\nexit $status\n",
    );
    text
}

fn shell(argument: &str) -> String {
    format!("'{}'", argument.replace('\'', "'\\''"))
}

fn quoted(path: &Path) -> String {
    path.to_string_lossy()
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
}
