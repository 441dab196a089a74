//! A program of one text that is changed and checked again, and what a user can see of the result.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{Analysis, AnalysisHost, Change, CheckedProgram, UnitChange};
use racelens_analysis::models::Models;
use racelens_analysis::races::Options;
use racelens_analysis::stop::Stop;
use std::sync::Arc;
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
    for race in &program.races {
        text.push_str(&format!(
            "{:#018x} {} {}\n",
            race.id, race.rank, race.location
        ));
        for pair in &race.pairs {
            text.push_str(&format!("  {pair:?}\n"));
        }
        text.push_str(&format!("  {:?}\n", race.reasons));
    }
    for function in program.functions.ids() {
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
    text
}
