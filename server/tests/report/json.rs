//! The JSON for programs, and its schema.

use crate::sample::{Folder, counter, race, witnessed};
use crate::schema;
use expect_test::expect;
use racelens::project::{Note, Place};
use racelens::report::{AccessKind, PathBase, Report, Tier, json};
use serde_json::{Value, json};
use std::sync::Arc;

fn parsed(report: &Report, base: &PathBase) -> Value {
    serde_json::from_str(&json::json(report, base)).unwrap()
}

/// A report with every kind of value that there is.
fn everything() -> (Folder, Report) {
    let (folder, mut report) = counter();
    let atomic = racelens::report::Access {
        atomic: true,
        ..folder.access("main.c", "i++", "i", AccessKind::Update)
    };
    let mut seen = race("0123456789ab", "i", vec![atomic.clone(), atomic]);
    witnessed(&mut seen);
    let mut safe = race("ba9876543210", "i", vec![]);
    safe.tier = Tier::ProvenSafe;
    report.races_mut().extend([seen, safe].map(Arc::new));
    report.notes = vec![
        Note::warning("`x.h` was not found")
            .at(Place::new(folder.path("main.c"), 1, 2))
            .with_help("look for it"),
        Note::information("nothing"),
    ];
    (folder, report)
}

#[test]
fn a_race_has_the_fields_of_the_manual_in_their_order() {
    let (folder, mut report) = counter();
    Arc::make_mut(&mut report.races_mut()[0])
        .accesses
        .truncate(2);
    expect![[r#"
        {
          "version": 1,
          "races": [
            {
              "id": "a1b2c3d4e5f6",
              "tier": "possible",
              "rank": 87,
              "location": "conn.hits",
              "reasons": [
                {
                  "kind": "inferred_guard",
                  "text": "`conn.hits` is guarded by `conn.mu` in 7 of 8 accesses",
                  "doubt": false
                },
                {
                  "kind": "doubt_initialisation",
                  "text": "`reset` looks like an initialisation before the threads run",
                  "doubt": true
                }
              ],
              "accesses": [
                {
                  "file": "src/server.c",
                  "line": 4,
                  "column": 2,
                  "length": 7,
                  "kind": "write",
                  "atomic": false,
                  "expression": "c->hits",
                  "function": "bump",
                  "thread": "worker",
                  "thread_many": true,
                  "thread_started": {
                    "file": "main.c",
                    "line": 3,
                    "column": 9
                  },
                  "locks": [],
                  "path": [
                    {
                      "function": "handle",
                      "file": "src/server.c",
                      "line": 12,
                      "column": 2
                    },
                    {
                      "function": "bump",
                      "file": "src/server.c",
                      "line": 8,
                      "column": 2
                    }
                  ]
                },
                {
                  "file": "src/stats.c",
                  "line": 5,
                  "column": 16,
                  "length": 7,
                  "kind": "read",
                  "atomic": false,
                  "expression": "c->hits",
                  "function": "total",
                  "thread": "main",
                  "thread_many": false,
                  "thread_started": null,
                  "locks": [
                    {
                      "name": "c->mu",
                      "shared": false,
                      "acquired": {
                        "file": "src/stats.c",
                        "line": 4,
                        "column": 5
                      }
                    }
                  ],
                  "path": [
                    {
                      "function": "total",
                      "file": "main.c",
                      "line": 4,
                      "column": 12
                    }
                  ]
                }
              ],
              "more_accesses": 0,
              "benign_comments": []
            }
          ],
          "suppressed": [],
          "violations": [],
          "notes": [],
          "stats": {
            "units": 3,
            "functions": 6,
            "threads": 2,
            "shared_locations": 1,
            "accesses": 3,
            "suppressed": 0,
            "seconds": 0.25
          }
        }
    "#]]
    .assert_eq(&json::json(&report, &folder.base()));
}

#[test]
fn reports_are_as_the_schema_says() {
    let (folder, report) = everything();
    let schema = schema::of_reports();
    let value = parsed(&report, &folder.base());
    assert_eq!(schema::errors(&schema, &value), [""; 0]);
    let empty = parsed(&Report::default(), &folder.base());
    assert_eq!(schema::errors(&schema, &empty), [""; 0]);
    let elsewhere = parsed(&report, &PathBase::new("/nowhere"));
    assert_eq!(schema::errors(&schema, &elsewhere), [""; 0]);
    assert!(Value::is_string(
        &value["races"][1]["accesses"][0]["thread"]
    ));
    assert_eq!(value["races"][1]["accesses"][0]["kind"], "write");
    assert_eq!(value["races"][2]["tier"], "proven_safe");
    assert_eq!(value["notes"][0]["place"]["file"], "main.c");
}

#[test]
fn every_field_of_the_schema_is_there_and_nothing_else_passes() {
    let (folder, report) = everything();
    let schema = schema::of_reports();
    let value = parsed(&report, &folder.base());
    let changes: [(&str, Value); 12] = [
        ("/version", json!(2)),
        ("/races/0/id", json!("A1B2C3D4E5F6")),
        ("/races/0/tier", json!("certain")),
        ("/races/0/rank", json!(101)),
        ("/races/0/reasons/0/kind", json!("Inferred guard")),
        ("/races/0/accesses/0/line", json!(0)),
        ("/races/0/accesses/0/kind", json!("update")),
        ("/races/0/accesses/0/thread", json!({ "name": "main" })),
        ("/races/0/accesses/1/locks/0/acquired", json!("main.c:3")),
        ("/races/0/accesses/0/path/0/file", json!("")),
        ("/notes/0/severity", json!("note")),
        ("/stats/seconds", json!(-1)),
    ];
    for (pointer, wrong) in changes {
        let mut changed = value.clone();
        *changed.pointer_mut(pointer).unwrap() = wrong;
        let errors = schema::errors(&schema, &changed);
        assert_eq!(errors.len(), 1, "{pointer}: {errors:?}");
    }
    for object in ["", "/races/0", "/races/0/accesses/0", "/stats", "/notes/0"] {
        let names: Vec<String> = match value.pointer(object).unwrap() {
            Value::Object(members) => members.keys().cloned().collect(),
            other => panic!("{other}"),
        };
        for name in names {
            let mut changed = value.clone();
            let members = changed
                .pointer_mut(object)
                .unwrap()
                .as_object_mut()
                .unwrap();
            let member = members.remove(&name).unwrap();
            members.insert(format!("{name}_new"), member);
            let errors = schema::errors(&schema, &changed);
            assert_eq!(errors.len(), 2, "{object}/{name}: {errors:?}");
        }
    }
}

#[test]
fn a_witnessed_race_has_its_interleaving() {
    let (folder, report) = everything();
    let report = parsed(&report, &folder.base());
    assert_eq!(report["races"][0].get("verification"), None);
    let race = &report["races"][1];
    assert_eq!(race["tier"], "witnessed");
    let verification = &race["verification"];
    assert_eq!(verification["verdict"], "witnessed");
    let trace = &verification["trace"];
    assert_eq!(trace["steps"][0]["what"], "takes guard");
    assert_eq!(trace["ends"][1]["what"], "reads x = 0");
    assert_eq!(trace["threads"][2]["entry"], "worker");
}
