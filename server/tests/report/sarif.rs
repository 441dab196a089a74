//! SARIF 2.1.0 as GitHub code scanning reads it.

use crate::sample::{Folder, counter, race, report, witnessed};
use racelens::project::{Note, Place};
use racelens::report::{Access, AccessKind, Report, Tier, sarif};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The only run of the log, after the checks that hold for every log.
fn run(folder: &Folder, report: &Report) -> Value {
    let log: Value = serde_json::from_str(&sarif::sarif(report, &folder.base())).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let [run] = log["runs"].as_array().unwrap().as_slice() else {
        panic!("{log}");
    };
    check_rules(run);
    for result in run["results"].as_array().unwrap() {
        check_result(run, result);
    }
    each_object(run, &mut check_object);
    run.clone()
}

/// What GitHub requires of a rule.
fn check_rules(run: &Value) {
    let driver = &run["tool"]["driver"];
    assert!(!text(&driver["name"]).is_empty());
    let rules = driver["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    for rule in rules {
        assert!(!text(&rule["id"]).is_empty());
        assert!(text(&rule["name"]).len() <= 255);
        for description in ["shortDescription", "fullDescription", "help"] {
            let length = text(&rule[description]["text"]).len();
            let most = if description == "help" { 10_000 } else { 1024 };
            assert!((1..=most).contains(&length), "{description}");
        }
        assert!(text(&rule["help"]["markdown"]).starts_with("# "));
        let tags = rule["properties"]["tags"].as_array().unwrap();
        assert!((1..=20).contains(&tags.len()));
        assert!(is_one_of(
            &rule["properties"]["precision"],
            &["very-high", "high", "medium", "low"]
        ));
    }
}

/// What the standard and GitHub require of a result.
fn check_result(run: &Value, result: &Value) {
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(
        run["tool"]["driver"]["rules"][index]["id"],
        result["ruleId"]
    );
    assert!(is_one_of(&result["level"], &["error", "warning", "note"]));
    assert!((0.0..=100.0).contains(&result["rank"].as_f64().unwrap()));
    assert_eq!(result["locations"].as_array().unwrap().len(), 1);
    let fingerprints = result["partialFingerprints"].as_object().unwrap();
    assert!(fingerprints.contains_key("primaryLocationLineHash"));
    assert!(fingerprints.values().all(|value| !text(value).is_empty()));
    let related = result["relatedLocations"].as_array().unwrap();
    let ids: BTreeSet<u64> = related
        .iter()
        .map(|one| one["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids.len(), related.len(), "ids of related locations differ");
    for link in links(text(&result["message"]["text"])) {
        assert!(ids.contains(&link), "{result}");
    }
    for flow in result["codeFlows"].as_array().unwrap() {
        let threads = flow["threadFlows"].as_array().unwrap();
        let names: BTreeSet<&str> = threads.iter().map(|thread| text(&thread["id"])).collect();
        assert!(
            !threads.is_empty() && names.len() == threads.len(),
            "{flow}"
        );
        for thread in threads {
            assert!(!thread["locations"].as_array().unwrap().is_empty());
        }
    }
}

/// What the standard requires of objects wherever they stand.
fn check_object(object: &Value) {
    if let Some(message) = object.get("message") {
        assert!(!text(&message["text"]).is_empty(), "{object}");
    }
    if let Some(region) = object.get("region") {
        let line = region["startLine"].as_u64().unwrap();
        let column = region["startColumn"].as_u64().unwrap();
        assert!(line >= 1 && column >= 1, "{region}");
        assert!(
            region["endColumn"].as_u64().unwrap_or(column) >= column,
            "{region}"
        );
    }
    if let Some(uri) = object.get("uri") {
        let uri = text(uri);
        let is_relative = object.get("uriBaseId").is_some();
        assert_ne!(is_relative, uri.starts_with("file:///"), "{uri}");
        assert!(
            uri.is_ascii() && !uri.contains([' ', '#', '[', '\\']),
            "{uri}"
        );
    }
    if let Some(importance) = object.get("importance") {
        assert!(is_one_of(
            importance,
            &["important", "essential", "unimportant"]
        ));
    }
}

fn each_object(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Object(members) => {
            visit(value);
            members
                .values()
                .for_each(|member| each_object(member, visit));
        }
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| each_object(element, visit)),
        _ => {}
    }
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
}

fn is_one_of(value: &Value, words: &[&str]) -> bool {
    words.contains(&text(value))
}

/// The ids that `](…)` names.
fn links(message: &str) -> Vec<u64> {
    let ends = message
        .match_indices("](")
        .filter(|(at, _)| !message[..*at].ends_with('\\'));
    ends.map(|(at, _)| {
        let id = message[at + 2..].split(')').next().unwrap();
        id.parse().unwrap_or_else(|_| panic!("{message}"))
    })
    .collect()
}

#[test]
fn a_race_has_its_locations_fingerprint_and_both_threads() {
    let (folder, report) = counter();
    let run = run(&folder, &report);
    let result = &run["results"][0];
    assert_eq!(
        text(&result["message"]["text"]),
        "Possible data race on `conn.hits`: write in thread `worker` (one of several), holding no lock; \
         [read in thread `main`, holding `c->mu`](1). `conn.hits` is guarded by `conn.mu` in 7 of 8 accesses. \
         But: `reset` looks like an initialisation before the threads run."
    );
    assert_eq!(links(text(&result["message"]["text"])), [1]);
    assert_eq!(
        result["partialFingerprints"]["racelensId/v1"],
        "a1b2c3d4e5f6"
    );
    assert_eq!(result["rank"], 87.0);
    let place = |location: &Value| {
        let physical = &location["physicalLocation"];
        format!(
            "{}:{}:{}",
            text(&physical["artifactLocation"]["uri"]),
            physical["region"]["startLine"],
            physical["region"]["startColumn"]
        )
    };
    assert_eq!(place(&result["locations"][0]), "src/server.c:4:2");
    assert_eq!(
        result["locations"][0]["physicalLocation"]["region"]["endColumn"],
        9
    );
    let related: Vec<String> = result["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .map(place)
        .collect();
    assert_eq!(related, ["src/stats.c:5:16", "src/stats.c:11:5"]);
    let steps: Vec<Vec<String>> = result["codeFlows"][0]["threadFlows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| {
            let steps = thread["locations"].as_array().unwrap().iter();
            steps
                .map(|step| {
                    let location = &step["location"];
                    format!("{} {}", place(location), text(&location["message"]["text"]))
                })
                .collect()
        })
        .collect();
    assert_eq!(
        steps,
        [
            vec![
                "main.c:3:9 thread `worker` is started",
                "src/server.c:12:2 `handle` is called",
                "src/server.c:8:2 `bump` is called",
                "src/server.c:4:2 write in thread `worker` (one of several), holding no lock",
            ],
            vec![
                "main.c:4:12 `total` is called",
                "src/stats.c:4:5 `c->mu` is taken here",
                "src/stats.c:5:16 read in thread `main`, holding `c->mu`",
            ],
        ]
    );
}

#[test]
fn tier_and_rank_give_the_level_and_what_is_safe_is_left_out() {
    let folder = Folder::new(&[("a.c", "x;\n")]);
    let access = folder.access("a.c", "x", "x", AccessKind::Write);
    let one = |tier, rank| {
        let mut one = race("0123456789ab", "x", vec![access.clone(), access.clone()]);
        (one.tier, one.rank) = (tier, rank);
        one
    };
    let report = report(vec![
        one(Tier::Witnessed, 10),
        one(Tier::Possible, 30),
        one(Tier::Possible, 29),
        one(Tier::ProvenSafe, 90),
    ]);
    let run = run(&folder, &report);
    let levels: Vec<&str> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| text(&result["level"]))
        .collect();
    assert_eq!(levels, ["error", "warning", "note"]);
}

#[test]
fn odd_names_and_places_make_no_invalid_log() {
    let folder = Folder::new(&[("dir with space/ü#1[2].c", "locks[i](x);\n")]);
    let access = Access {
        locks: vec![crate::sample::lock("locks[i](x)")],
        ..folder.access(
            "dir with space/ü#1[2].c",
            "locks",
            "locks",
            AccessKind::Read,
        )
    };
    let outside = Access {
        place: Place::new("/else where/b.c", 0, 0),
        ..access.clone()
    };
    let mut report = report(vec![race("0123456789ab", "a[i](x)", vec![access, outside])]);
    report.notes = vec![
        Note::error("no file"),
        Note::information("here").at(Place::new("/else where/b.c", 3, 1)),
    ];
    let run = run(&folder, &report);
    let result = &run["results"][0];
    assert_eq!(links(text(&result["message"]["text"])), [1]);
    let notifications = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    assert_eq!(notifications.len(), 2);
    assert_eq!(notifications[1]["level"], "note");
}

#[test]
fn an_interleaving_is_a_flow_for_each_thread_in_execution_order() {
    let (folder, mut report) = counter();
    witnessed(Arc::make_mut(&mut report.races_mut()[0]));
    let run = run(&folder, &report);
    let result = &run["results"][0];
    assert_eq!(result["level"], "error");
    assert_eq!(result["properties"]["tier"], "witnessed");
    assert_eq!(result["properties"]["verification"]["verdict"], "witnessed");
    let flows = result["codeFlows"].as_array().unwrap();
    // The ways of both threads stay: they tell the calls.
    assert_eq!(flows.len(), 2);
    let threads = flows[0]["threadFlows"].as_array().unwrap();
    let told: Vec<Vec<(u64, &str)>> = threads
        .iter()
        .map(|thread| {
            let steps = thread["locations"].as_array().unwrap().iter();
            steps
                .map(|step| {
                    let order = step["executionOrder"].as_u64().unwrap();
                    (order, text(&step["location"]["message"]["text"]))
                })
                .collect()
        })
        .collect();
    assert_eq!(
        told,
        [
            vec![(1, "takes guard"), (2, "writes x = 1")],
            vec![(3, "reads x = 0")]
        ]
    );
}
