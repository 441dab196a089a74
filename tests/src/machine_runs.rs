//! Runs ordinary programs on the machine that verification uses, so that a compiler and another interpreter can judge it.

use std::sync::Arc;

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::kiss::machine::stop::Stop;
use racelens_analysis::kiss::machine::{Machine, Next, SchedulingPoints};
use racelens_analysis::models::Models;
use ustr::Ustr;

/// What a program handed to `out`: how many numbers, and a digest of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    pub count: u64,
    pub digest: u64,
}

const FACTOR: u64 = 1_000_003;

/// `out` for the machine, which keeps its output in memory like everything else.
const OUT: &str = "
unsigned long racelens_output_count, racelens_output_digest;
void out(long n) { racelens_output_count++; racelens_output_digest = racelens_output_digest * 1000003ul + (unsigned long)n; }
";

impl Output {
    pub fn of(numbers: impl IntoIterator<Item = i64>) -> Output {
        let start = Output {
            count: 0,
            digest: 0,
        };
        numbers.into_iter().fold(start, |output, number| Output {
            count: output.count + 1,
            digest: output
                .digest
                .wrapping_mul(FACTOR)
                .wrapping_add(number as u64),
        })
    }
}

/// Why a program was not run to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotRun {
    /// The machine says that it does not know something.
    Limit(String),
    /// The machine says that the program does something undefined.
    Fault(String),
}

const MOST_STEPS: usize = 400_000;

/// Runs preprocessed text that calls `out`.
///
/// # Panics
/// If there is no `main`.
pub fn run(text: &str) -> Result<Output, NotRun> {
    let mut host = AnalysisHost::default();
    host.apply(Change {
        units: vec![UnitChange {
            path: Ustr::from("test.c"),
            text: Some(Arc::from(format!("{text}{OUT}"))),
            data_model: DataModel::LP64,
        }],
    });
    let program = host.analysis().executable("main");
    let program = program.unwrap_or_else(|error| panic!("{error}"));
    let machine = Machine::new(&program, Models::builtin(), SchedulingPoints::Everywhere);
    let machine = machine.map_err(|stop| not_run(&stop))?;
    let mut state = machine.start().map_err(|stop| not_run(&stop))?;
    for _ in 0..MOST_STEPS {
        match machine.next(&state, 0).map_err(|stop| not_run(&stop))? {
            Next::Step { .. } => machine.step(&mut state, 0).map_err(|stop| not_run(&stop))?,
            Next::Finished | Next::Blocked => {
                let number =
                    |name: &str| machine.number_in(&state, name).map(|number| number as u64);
                let count = number("racelens_output_count");
                let digest = number("racelens_output_digest");
                return match (count, digest) {
                    (Some(count), Some(digest)) => Ok(Output { count, digest }),
                    _ => Err(NotRun::Limit(
                        "a value that is put out is not known".to_owned(),
                    )),
                };
            }
        }
    }
    Err(NotRun::Limit("the program runs too long".to_owned()))
}

fn not_run(stop: &Stop) -> NotRun {
    match stop {
        Stop::Fault(fault) => NotRun::Fault(fault.to_string()),
        stop => NotRun::Limit(format!("{stop:?}")),
    }
}
