//! A program of one text that is changed and checked again, and what a user can see of the result.

use racelens_analysis::callgraph::Functions;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{Analysis, AnalysisHost, Change, CheckedProgram, UnitChange};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use racelens_analysis::stages::{Stage, Stages};
use racelens_analysis::stop::{Stop, Stopped};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use ustr::Ustr;

/// As gcc calls what it reads from its standard input.
pub const MAIN_FILE: &str = "<stdin>";

pub fn apply(host: &mut AnalysisHost, text: &str) {
    host.apply(Change {
        units: vec![UnitChange {
            path: Ustr::from(MAIN_FILE),
            text: Some(Arc::from(text)),
            data_model: DataModel::LP64,
        }],
    });
}

pub fn check(analysis: &Analysis, before: Option<&CheckedProgram>) -> CheckedProgram {
    let stop = Stop::default();
    let check = analysis.check_again(Models::builtin(), Options::default(), &[], before, &stop);
    check.expect("nobody stops it")
}

/// A text that is checked from scratch.
pub fn fresh(text: &str) -> CheckedProgram {
    let mut host = AnalysisHost::default();
    apply(&mut host, text);
    check(&host.analysis(), None)
}

/// Goes from one text to the next, and expects of each what is found from scratch.
pub fn assert_as_if_afresh(texts: &[&str]) {
    let mut host = AnalysisHost::default();
    let mut before: Option<CheckedProgram> = None;
    for text in texts {
        apply(&mut host, text);
        let now = check(&host.analysis(), before.as_ref());
        assert_eq!(described(&now), described(&fresh(text)), "{text}");
        before = Some(now);
    }
}

/// The same for somebody who stops it as soon as it comes to a stage; a check that takes over everything does not come there.
pub fn check_until(
    analysis: &Analysis,
    before: &CheckedProgram,
    last: Stage,
) -> Result<CheckedProgram, Stopped> {
    let is_set = Arc::new(AtomicBool::new(false));
    let stop = Stop::from(is_set.clone());
    let until = Until { last, is_set };
    let (models, options) = (Models::builtin(), Options::default());
    analysis.check_watched(models, options, &[], Some(before), &stop, &until)
}

/// Stops a check when a stage begins.
struct Until {
    last: Stage,
    is_set: Arc<AtomicBool>,
}

impl Stages for Until {
    fn begin(&self, stage: Stage) {
        if stage == self.last {
            self.is_set.store(true, Ordering::Relaxed);
            Stop::from(self.is_set.clone()).check();
        }
    }
}

/// The same for who asks for races and nothing else.
pub fn check_for_races(analysis: &Analysis) -> CheckedProgram {
    let options = Options {
        only_reachable: true,
        ..Options::default()
    };
    analysis.check(Models::builtin(), options)
}

/// All that a user can see of a result, without the numbers of classes, which have no meaning.
pub fn described(checked: &CheckedProgram) -> String {
    let program = &checked.program;
    let mut text = format!(
        "{} shared locations, {} violations, {} threads\n",
        program.shared_locations,
        checked.violations.len(),
        program.contexts.roots.len()
    );
    for root in &program.contexts.roots {
        let name = program.functions.body(root.entry).function;
        text.push_str(&format!("{name:?} runs, many: {}\n", root.many));
    }
    for race in &*program.races {
        text.push_str(&format!(
            "{:#018x} {} {}\n",
            race.id, race.rank, race.location
        ));
        for pair in &race.pairs {
            text.push_str(&format!("  {pair:?}\n"));
        }
        text.push_str(&format!("  {:?}\n", race.reasons));
    }
    for function in program.functions.with_names() {
        let name = program.functions.body(function).function;
        for (_, context, roots) in program.contexts.of(function) {
            // Where a lock was taken is known by a name; what counts is where that leads.
            let taken = context.held.iter().map(|(lock, held)| {
                let at = held.at?;
                Some((lock, program.functions.body(held.by).position(at)))
            });
            let taken: Vec<_> = taken.collect();
            let known = (&context.held, taken, &context.bindings, &context.threads);
            text.push_str(&format!("{name:?}: {known:?} in {roots:?}\n"));
        }
    }
    with_ranks(&text, &program.functions)
}

/// The text with numbers of functions that leave out nobody's: which numbers are free depends on what was there before.
fn with_ranks(text: &str, functions: &Functions) -> String {
    let ranks = functions.with_names().zip(0..);
    let ranks: BTreeMap<u32, usize> = ranks.map(|(function, rank)| (function.0, rank)).collect();
    let mut parts = text.split("FunctionId(");
    let mut ranked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(')').expect("a number has an end");
        let rank = ranks[&number.parse::<u32>().expect("a number of a function")];
        ranked.push_str(&format!("FunctionId({rank}){rest}"));
    }
    ranked
}
