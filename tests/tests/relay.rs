//! RELAY's worked example (fig. 1): the summaries and the one race of the paper.

use expect_test::expect;
use racelens_analysis::ir::AccessKind;
use racelens_analysis::symexec::Targets;
use racelens_tests::analysis::Checked;
use racelens_tests::corpus::corpus;

#[test]
fn the_statistics_reader_has_the_summaries_of_the_paper() {
    let corpus = corpus();
    let airo = corpus
        .entries
        .iter()
        .find(|entry| entry.program.name == "relay/airo")
        .expect("the fixture is there");
    let checked = Checked::of_fixture(airo);
    let program = checked.program();
    let mut lines = Vec::new();
    for function in program.functions.with_names() {
        let name = program.functions.body(function).function.name;
        if name == "main" {
            continue;
        }
        let summary = program.summaries.get(function).locks.any();
        lines.push(format!("{name}: {summary}"));
        for access in &program.facts[function.0 as usize].accesses {
            let kind = match access.kind {
                AccessKind::Read => "reads",
                AccessKind::Write => "writes",
                AccessKind::Update => "updates",
            };
            let Targets::Exactly(place) = &access.place else {
                panic!("an access without a name in {name}");
            };
            lines.push(format!("  {kind} {place} with {}", **access.locks));
        }
    }
    for race in &*program.races {
        lines.push(format!("race on {}", race.location));
    }
    // The paper also counts the lock that the thread took itself as possibly released; holds are counted
    // here, so that giving up one's own hold is no loss to the caller.
    expect![[r#"
        airo_read_stats: {-$0->lock}
          reads $0->pwr.ev with {}
          reads vals[2] with {-$0->lock}
          writes $0->stats.rx_p with {-$0->lock}
        airo_thread: {}
          reads $0->priv with {}
        race on struct airo_info.rx_p"#]]
    .assert_eq(&lines.join("\n"));
}
