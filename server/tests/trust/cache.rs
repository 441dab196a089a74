//! What is kept for the next start, while several programs use it and some of them are killed.

use crate::program::{RACY, finish, racelens};
use crate::temporary_folder::TemporaryFolder;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn check(folder: &TemporaryFolder, kept: &Path) -> Command {
    let mut command = racelens(folder);
    command
        .args(["check", "--format", "json"])
        .env("RACELENS_CACHE_DIR", kept);
    command
}

/// The report without the time that it took.
fn report(command: Command) -> String {
    let run = finish(command);
    assert_eq!(run.status, 1, "{}", run.errors);
    let lines = run.output.lines();
    lines.filter(|line| !line.contains("\"seconds\"")).collect()
}

#[test]
fn two_programs_use_one_cache_at_once() {
    let folders = [
        TemporaryFolder::new(&[("a.c", RACY)]),
        TemporaryFolder::new(&[("a.c", &RACY.replace("counter", "other"))]),
    ];
    let kept = tempfile::tempdir().unwrap();
    let cold = folders
        .each_ref()
        .map(|folder| report(check(folder, Path::new(""))));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            for (folder, cold) in folders.iter().zip(&cold) {
                scope.spawn(|| {
                    for _ in 0..4 {
                        assert_eq!(report(check(folder, kept.path())), *cold);
                    }
                });
            }
        }
        // Somebody deletes all of it meanwhile.
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(20));
            for entry in std::fs::read_dir(kept.path()).unwrap() {
                let _ = std::fs::remove_dir_all(entry.unwrap().path());
            }
        }
    });
    for (folder, cold) in folders.iter().zip(&cold) {
        assert_eq!(report(check(folder, kept.path())), *cold);
    }
}

#[test]
fn a_program_is_killed_while_it_keeps_results() {
    let folder = TemporaryFolder::new(&[("a.c", RACY)]);
    let kept = tempfile::tempdir().unwrap();
    let cold = report(check(&folder, Path::new("")));
    for milliseconds in [5, 10, 20, 30, 40, 60, 80, 100, 130, 160, 200] {
        let mut child = check(&folder, kept.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(report(check(&folder, kept.path())), cold, "{milliseconds}");
        std::fs::remove_dir_all(kept.path()).unwrap();
    }
}
