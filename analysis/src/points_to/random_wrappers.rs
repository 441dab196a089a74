//! Random ways to hand pointers on: after an edit callers can rely on what they could rely on if everything were found anew.

use super::constraints::Constraints;
use super::handled_calls::HandledCalls;
use super::handling::{HandedOn, Handling, Origin, Pass, Returned, Source};
use super::random_tests::{Random, function};
use super::treatment::Treatment;
use super::wrappers::{other_wrappers, wrappers};
use crate::ir::FunctionRef;
use std::sync::Arc;

const FUNCTIONS: usize = 6;

fn pass(random: &mut Random) -> Pass {
    let treatments = [Treatment::HandedOn, Treatment::Touched, Treatment::Kept];
    let treatment = treatments[random.below(3)];
    Pass {
        callee: function(random.below(FUNCTIONS + 1)),
        argument: random.below(2),
        model: (!random.one_in(4)).then_some(treatment),
        into_result: random.one_in(4),
        returned: random.one_in(2),
    }
}

fn passes(random: &mut Random) -> Vec<Pass> {
    (0..random.below(3)).map(|_| pass(random)).collect()
}

fn source(random: &mut Random) -> Source {
    let origin = |random: &mut Random| match random.one_in(5) {
        true => Origin::Other,
        false => Origin::Formals((0..random.below(2)).collect()),
    };
    Source {
        callee: function(random.below(FUNCTIONS + 1)),
        model: (!random.one_in(4)).then_some(true),
        contents: (0..random.below(2)).collect(),
        arguments: (0..2).map(|_| origin(random)).collect(),
    }
}

fn said(random: &mut Random) -> Arc<Constraints> {
    let formals = (0..2).map(|_| {
        (!random.one_in(6)).then(|| HandedOn {
            passes: passes(random),
            returned: random.one_in(4),
        })
    });
    let formals = formals.collect();
    let returned = (!random.one_in(4)).then(|| Returned {
        sources: (0..random.below(3)).map(|_| source(random)).collect(),
        passes: passes(random),
        formals: (0..random.below(2)).collect(),
    });
    Arc::new(Constraints {
        handling: Handling { formals, returned },
        ..Constraints::default()
    })
}

#[test]
fn callers_rely_on_the_same_after_edits_as_if_it_were_found_anew() {
    let positions: Vec<Vec<usize>> = (0..FUNCTIONS).map(|position| vec![position]).collect();
    let names: Vec<FunctionRef> = (0..FUNCTIONS).map(function).collect();
    let bodies = |name: FunctionRef| {
        let position = names.iter().position(|known| *known == name);
        position.map_or(&[][..], |position| &positions[position])
    };
    let mut kept = 0;
    for seed in 0..5_000 {
        let mut random = Random(seed);
        let mut program: Vec<Arc<Constraints>> =
            (0..FUNCTIONS).map(|_| said(&mut random)).collect();
        let mut known = wrappers(&program.iter().collect::<Vec<_>>(), &bodies);
        let mut calls = HandledCalls::default();
        for _ in 0..5 {
            let edited = random.below(FUNCTIONS);
            program[edited] = said(&mut random);
            let functions: Vec<&Arc<Constraints>> = program.iter().collect();
            let anew = wrappers(&functions, &bodies);
            calls.update(&functions, &bodies);
            let around = calls.around(&[edited]);
            let mut calls_anew = HandledCalls::default();
            calls_anew.update(&functions, &bodies);
            assert_eq!(around, calls_anew.around(&[edited]), "seed {seed}");
            for (position, wrapper) in other_wrappers(&functions, &bodies, &known, &around) {
                assert_ne!(known[position], wrapper, "seed {seed}");
                known[position] = wrapper;
            }
            assert_eq!(known, anew, "seed {seed}");
            kept += anew
                .iter()
                .filter(|wrapper| wrapper.result.is_some())
                .count();
        }
    }
    assert!(
        kept > 1_000,
        "{kept} functions return what callers can rely on"
    );
}
