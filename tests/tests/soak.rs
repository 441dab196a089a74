//! A sample of the long run: `cargo run --release -p racelens-tests --bin soak` is the whole.

use racelens_tests::compiler::preprocess;
use racelens_tests::racy_programs::{plan, source};
use racelens_tests::random::cases;
use racelens_tests::soak::{Memory, soak};

#[test]
fn memory_stays_flat() {
    let program = preprocess(&source(&plan(7)));
    let edits = cases("RACELENS_SOAK_EDITS", 600) as usize;
    let memory = soak(&program, edits, &mut |_, _| ());
    let growth = memory.growth_percent();
    // A short run has warmed up less than a long one.
    assert!(growth <= 20.0, "{growth:.1} %: {:?}", memory.samples);
}

#[test]
fn growth_is_that_of_the_second_half() {
    let rising = Memory {
        samples: (100..200).collect(),
    };
    assert!(rising.growth_percent() > 30.0);
    let settled = Memory {
        samples: (0..100).map(|at: u64| 100 + at.min(40)).collect(),
    };
    assert!(settled.growth_percent() < 1.0);
}
