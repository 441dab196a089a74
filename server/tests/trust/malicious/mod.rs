//! Workspaces that want to run a program, read the user's secrets, write files or never end. Each is given to
//! `racelens check` and to the language server; afterwards the canary is as it was, and the secret untold.

mod attacks;
mod shown_text;
mod stage;

use attacks::{ATTACKS, Attack};
use stage::{SECRET, Stage, shortened};

const FORMATS: &[&str] = &["text", "html", "json", "sarif"];

#[test]
fn there_are_enough_attacks_and_each_is_another_one() {
    let names: std::collections::BTreeSet<&str> =
        ATTACKS.iter().map(|attack| attack.name).collect();
    assert_eq!(names.len(), ATTACKS.len());
    assert!(names.len() >= 20, "{}", names.len());
}

#[test]
fn the_canary_does_tell_when_it_runs() {
    let stage = Stage::new();
    stage.program("gcc");
    let status = std::process::Command::new(stage.workspace.path("gcc")).status();
    assert!(status.unwrap().success());
    assert!(stage.trace().exists());
}

#[test]
fn the_secret_is_told_where_nobody_keeps_it() {
    let stage = Stage::new();
    stage.append("a.c", &format!("#error {SECRET}\n"));
    assert!(stage.check("html").contains(SECRET));
}

#[test]
fn the_command_line_withstands_every_attack() {
    let mut harms = Vec::new();
    for attack in ATTACKS {
        let stage = attack.stage();
        let before = stage.everything();
        // Where nothing is analysed, all formats say the same, after the same time.
        let formats = if attack.finds_the_race {
            FORMATS
        } else {
            &FORMATS[..1]
        };
        for &format in formats {
            let output = stage.check(format);
            harms.extend(stage.harm(attack, &before, &output));
            if format == "text" && attack.finds_the_race && !output.contains("race on `counter`") {
                harms.push(format!("{}: no race: {}", attack.name, shortened(&output)));
            }
        }
    }
    assert!(harms.is_empty(), "{}", harms.join("\n"));
}

#[test]
fn the_language_server_withstands_every_attack() {
    let mut harms = Vec::new();
    for attack in ATTACKS {
        let stage = attack.stage();
        let before = stage.everything();
        let (races, said) = stage.edit();
        harms.extend(stage.harm(attack, &before, &said));
        if attack.finds_the_race && races != 1 {
            harms.push(format!(
                "{}: {races} races: {}",
                attack.name,
                shortened(&said)
            ));
        }
    }
    assert!(harms.is_empty(), "{}", harms.join("\n"));
}

impl Attack {
    fn stage(&self) -> Stage {
        let stage = Stage::new();
        (self.prepare)(&stage);
        stage
    }
}
