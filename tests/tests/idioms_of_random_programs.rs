//! Every idiom that random programs show, by itself: what is reported as it should be, and broken.

use racelens_tests::analysis::all_reported_races;
use racelens_tests::racy_programs::{Batch, Idiom, Plan, REPORTED_TODAY, all_idioms, source};
use racelens_tests::side_by_side::side_by_side;

/// The lines that are reported in a program of one scene.
fn reported(plan: &Plan) -> Vec<[u32; 2]> {
    let batch = match Batch::write(vec![plan.clone()]) {
        Ok(batch) => batch,
        Err(error) => panic!("{error}"),
    };
    let races = all_reported_races(&[batch.file(plan)]);
    let pairs = races.iter().map(|race| [race.first.line, race.second.line]);
    pairs.collect()
}

/// All subsets of the forms of an idiom.
fn forms(idiom: &Idiom) -> Vec<Vec<&'static str>> {
    let mut subsets = vec![Vec::new()];
    for form in idiom.forms {
        let with: Vec<Vec<&str>> = subsets
            .iter()
            .map(|subset: &Vec<&str>| subset.iter().chain([form]).copied().collect())
            .collect();
        subsets.extend(with);
    }
    subsets
}

#[test]
fn what_is_right_is_not_reported() {
    let mut plans = Vec::new();
    for idiom in all_idioms() {
        let plans_of_idiom = forms(idiom)
            .into_iter()
            .map(|forms| Plan::of_one_scene(idiom, None, forms));
        plans.extend(plans_of_idiom.filter(|plan| !plan.is_reported_today()));
    }
    let told = side_by_side(&plans, &|plan: &Plan| {
        let lines = reported(plan);
        let title = plan.scenes[0].title();
        (!lines.is_empty()).then(|| format!("{title}: lines {lines:?} of\n{}", source(plan)))
    });
    let wrong: Vec<String> = told.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_broken_is_reported() {
    let mut plans = Vec::new();
    for idiom in all_idioms() {
        for flaw in idiom.flaws {
            plans.extend(
                forms(idiom)
                    .into_iter()
                    .map(|forms| Plan::of_one_scene(idiom, Some(flaw), forms)),
            );
        }
    }
    let told = side_by_side(&plans, &|plan: &Plan| {
        let is_missed = reported(plan).is_empty();
        is_missed.then(|| format!("{}:\n{}", plan.scenes[0].title(), source(plan)))
    });
    let missed: Vec<String> = told.into_iter().flatten().collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_said_to_be_reported_wrongly_still_is() {
    let idioms = all_idioms();
    let mut gone = Vec::new();
    for known in REPORTED_TODAY {
        let Some(idiom) = idioms.iter().find(|idiom| idiom.name == known.idiom) else {
            panic!("there is no idiom {}", known.idiom);
        };
        let plan = Plan::of_one_scene(idiom, None, known.forms.to_vec());
        if reported(&plan).is_empty() {
            gone.push(plan.scenes[0].title());
        }
    }
    assert!(gone.is_empty(), "not reported any more: {gone:?}");
}
