//! The second run on a program: what was kept by the first one gives the same answers, and nothing is trusted that has changed.

use crate::program::Program;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

const MAIN: &str = "\
#include <pthread.h>
#include \"shared.h\"
int unguarded;
static void *worker(void *unused)
{
    count();
    unguarded++;
    return unused;
}
void extra(void) { unguarded = 2; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    count();
    unguarded++;
    return pthread_join(thread, 0);
}
";
const SHARED: &str = "\
#include <pthread.h>
static pthread_mutex_t lock;
static int counter;
static inline void count(void) { pthread_mutex_lock(&lock); counter++; pthread_mutex_unlock(&lock); }
";
/// As long as `SHARED`, and without the lock.
const UNLOCKED: &str = "\
#include <pthread.h>
static pthread_mutex_t lock;
static int counter;
static inline void count(void) { pthread_mutex_init(&lock,0); counter++; pthread_self();              }
";

/// A program with a place where results are kept, and a compiler that writes down what it preprocesses.
struct Stage {
    program: Program,
    cache: tempfile::TempDir,
}

impl Stage {
    fn new() -> Stage {
        let program = Program::new(&[("src/main.c", MAIN), ("include/shared.h", SHARED)]);
        let stage = Stage {
            program,
            cache: tempfile::tempdir().unwrap(),
        };
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *-E*) echo run >> {};; esac\nexec gcc \"$@\"\n",
            stage.trace().display()
        );
        std::fs::write(stage.compiler(), script).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(stage.compiler(), mode).unwrap();
        std::fs::create_dir(stage.kept()).unwrap();
        stage.write_database("");
        stage
    }

    fn write_database(&self, flags: &str) {
        let command = format!("cc {flags} -Iearly -Iinclude -c src/main.c");
        let commands = [("src/main.c", command.as_str())];
        self.program
            .write_database("compile_commands.json", &commands);
    }

    fn compiler(&self) -> PathBuf {
        self.cache.path().join("cc")
    }

    fn trace(&self) -> PathBuf {
        self.cache.path().join("trace")
    }

    fn kept(&self) -> PathBuf {
        self.cache.path().join("kept")
    }

    /// How often the compiler has preprocessed something since the last call.
    fn preprocessed(&self) -> usize {
        let text = std::fs::read_to_string(self.trace()).unwrap_or_default();
        let _ = std::fs::remove_file(self.trace());
        text.lines().count()
    }

    fn check(&self, arguments: &[&str]) -> Command {
        let mut command = self.program.command(&["check", "--format", "json"]);
        command
            .arg("--compiler")
            .arg(self.compiler())
            .args(arguments);
        command.env("RACELENS_CACHE_DIR", self.kept());
        command
    }

    /// The report and the status, without the time that it took.
    fn answer(&self, mut command: Command) -> (String, Option<i32>, String) {
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8_lossy(&output.stdout);
        let report: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{errors}"));
        assert!(report["stats"]["seconds"].is_number(), "{text}");
        let (before, after) = text.split_once("\"seconds\": ").unwrap();
        let number = after.find([',', '\n', '}']).unwrap();
        let text = format!("{before}{}", &after[number..]);
        (text, output.status.code(), errors)
    }

    /// A run with what was kept must say what one without says. Returns how much was preprocessed for it.
    fn assert_right(&self, what: &str) -> usize {
        let cold = self.answer(self.check(&["--no-cache"]));
        self.preprocessed();
        let warm = self.answer(self.check(&[]));
        let preprocessed = self.preprocessed();
        assert_eq!(warm, cold, "{what}");
        preprocessed
    }

    /// The files of the entries.
    fn entries(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.kept()).unwrap();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
        files.map(|file| file.unwrap().path()).collect()
    }
}

#[test]
fn nothing_is_preprocessed_twice_and_the_answers_are_the_same() {
    let stage = Stage::new();
    assert_eq!(stage.assert_right("the first run"), 1);
    assert_eq!(stage.entries().len(), 2);
    for format in ["json", "text", "sarif", "html"] {
        let run = |arguments: &[&str]| {
            let mut command = stage.check(arguments);
            command.args(["--format", format]);
            let output = command.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let lines = text.lines().filter(|line| !line.contains(" s")).count();
            (lines, output.status.code())
        };
        assert_eq!(run(&[]), run(&["--no-cache"]), "{format}");
    }
    stage.preprocessed();
    assert_eq!(stage.assert_right("the second run"), 0);
    // Other commands read the program, and do not preprocess it again.
    let mut stats = stage.program.command(&["stats", "--compiler"]);
    stats
        .arg(stage.compiler())
        .env("RACELENS_CACHE_DIR", stage.kept());
    assert!(stats.output().unwrap().status.success());
    assert_eq!(stage.preprocessed(), 0);
}

#[test]
fn whatever_changes_is_noticed() {
    let stage = Stage::new();
    stage.assert_right("the first run");
    let program = &stage.program;
    let steps: &[(&str, &dyn Fn())] = &[
        ("a source", &|| {
            program.write("src/main.c", format!("\n{MAIN}").as_bytes())
        }),
        ("a header", &|| {
            program.write("include/shared.h", UNLOCKED.as_bytes())
        }),
        ("the header as it was", &|| {
            program.write("include/shared.h", SHARED.as_bytes())
        }),
        ("a header that is found earlier", &|| {
            program.write("early/shared.h", UNLOCKED.as_bytes())
        }),
        ("that header is gone", &|| {
            std::fs::remove_file(program.path("early/shared.h")).unwrap()
        }),
        ("a flag", &|| stage.write_database("-Dunguarded=renamed")),
        ("no flag", &|| stage.write_database("")),
        ("a comment that accepts a race", &|| {
            let text = MAIN.replace("unguarded++;", "unguarded++; // racelens: benign -- a test");
            program.write("src/main.c", text.as_bytes());
        }),
        ("the source as it was", &|| {
            program.write("src/main.c", MAIN.as_bytes())
        }),
        ("the configuration", &|| {
            program.write("racelens.toml", b"[threads]\nentries = [\"extra\"]\n");
        }),
        ("a mistake in the configuration", &|| {
            program.write(
                "racelens.toml",
                b"[threads]\nentries = [\"nobody\"]\nwrong = 1\n",
            );
        }),
        ("a model", &|| {
            program.write("racelens.toml", b"[models]\nfiles = [\"m.toml\"]\n");
            program.write(
                "m.toml",
                b"[[model]]\nfunctions = [\"extra\"]\neffects = []\n",
            );
        }),
        ("another model", &|| {
            let model = "[[model]]\nfunctions = [\"count\"]\neffects = [{ acquire = { lock = \"arg0\" } }]\n";
            program.write("m.toml", model.as_bytes());
        }),
        ("no configuration", &|| {
            std::fs::remove_file(program.path("racelens.toml")).unwrap()
        }),
        ("another unit", &|| {
            program.write(
                "src/more.c",
                b"extern int unguarded;\nint more(void) { return unguarded; }\n",
            );
            let commands = [
                ("src/main.c", "cc -Iinclude -c src/main.c"),
                ("src/more.c", "cc -c src/more.c"),
            ];
            program.write_database("compile_commands.json", &commands);
        }),
        ("a unit that is gone", &|| {
            std::fs::remove_file(program.path("src/more.c")).unwrap()
        }),
        ("a header that is missing", &|| {
            program.write(
                "src/main.c",
                format!("#include \"missing.h\"\n{MAIN}").as_bytes(),
            );
        }),
        ("the missing header", &|| {
            program.write("include/missing.h", b"int missing;\n")
        }),
        ("text that does not parse", &|| {
            program.write("src/main.c", MAIN.replace("++", "+ +;;(").as_bytes())
        }),
        ("a file that `#line` names", &|| {
            program.write(
                "src/main.c",
                MAIN.replace("static void", "# line 3 \"grammar.y\"\nstatic void")
                    .as_bytes(),
            );
            program.write("grammar.y", b"one\ntwo\nthree\nfour\nfive\nsix\n");
        }),
        ("its text", &|| {
            program.write(
                "grammar.y",
                b"\n\n\n\n\n  count(  )  // racelens: benign -- a test\n\n\n",
            )
        }),
    ];
    for (what, change) in steps {
        change();
        stage.assert_right(what);
        stage.assert_right(what);
    }
}

#[test]
fn what_is_touched_and_the_same_is_not_read_again() {
    let stage = Stage::new();
    stage.assert_right("the first run");
    for file in ["src/main.c", "include/shared.h"] {
        let content = std::fs::read(stage.program.path(file)).unwrap();
        stage.program.write(file, &content);
    }
    assert_eq!(stage.assert_right("written again"), 0);
    let file = std::fs::File::options()
        .append(true)
        .open(stage.program.path("include/shared.h"));
    // The clock was set back.
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(100_000);
    file.unwrap().set_modified(time).unwrap();
    assert_eq!(stage.assert_right("with another time"), 0);
    stage.program.write("include/shared.h", UNLOCKED.as_bytes());
    let file = std::fs::File::options()
        .append(true)
        .open(stage.program.path("include/shared.h"));
    file.unwrap().set_modified(time).unwrap();
    assert_eq!(
        stage.assert_right("other content at the same time, with the same length"),
        1
    );
}

#[test]
fn a_corrupt_entry_costs_a_computation() {
    let stage = Stage::new();
    stage.assert_right("the first run");
    for round in 0..24 {
        for entry in stage.entries() {
            let mut bytes = std::fs::read(&entry).unwrap();
            match round {
                0 => bytes.clear(),
                1 => bytes.truncate(bytes.len() / 2),
                2 => bytes.push(0),
                // The version of the format, and the build.
                3 => bytes[8] ^= 1,
                4 => bytes[12] ^= 1,
                _ => {
                    let at = (round * 7919 + 13) * 31 % bytes.len();
                    bytes[at] ^= 1 << (round % 8);
                }
            }
            std::fs::write(&entry, bytes).unwrap();
        }
        assert_eq!(stage.assert_right("after damage"), 1, "{round}");
        assert_eq!(stage.assert_right("after mending"), 0, "{round}");
    }
    // An entry in the place of another one.
    let entries = stage.entries();
    std::fs::copy(&entries[0], &entries[1]).unwrap();
    stage.assert_right("a wrong entry");
}

#[test]
fn a_cache_that_cannot_be_used_is_said_and_does_not_matter() {
    let stage = Stage::new();
    let cold = stage.answer(stage.check(&["--no-cache"]));
    std::fs::remove_dir(stage.kept()).unwrap();
    std::fs::write(stage.kept(), "a file").unwrap();
    let (report, status, errors) = stage.answer(stage.check(&[]));
    assert_eq!((&report, status), (&cold.0, cold.1));
    assert!(
        errors.contains("cannot be used, so that nothing is kept"),
        "{errors}"
    );
    std::fs::remove_file(stage.kept()).unwrap();
    // No file may grow, as on a full disk; what goes to pipes does not matter.
    let mut command = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" check --format json --compiler gcc";
    command.args(["-c", script, env!("CARGO_BIN_EXE_racelens")]);
    command
        .current_dir(stage.program.path(""))
        .env("RACELENS_CACHE_DIR", stage.kept());
    let (report, status, errors) = stage.answer(command);
    assert_eq!((&report, status), (&cold.0, cold.1));
    assert!(
        errors.contains("cannot be written, so that less is kept"),
        "{errors}"
    );
    assert_eq!(stage.entries().len(), 0);
    // Others can write there.
    std::fs::set_permissions(stage.kept(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let (_, _, errors) = stage.answer(stage.check(&[]));
    assert!(errors.contains("other users can write to it"), "{errors}");
}

#[test]
fn a_cache_in_the_project_is_not_believed() {
    let stage = Stage::new();
    let (report, ..) = stage.answer(stage.check(&["--cache-dir", "kept"]));
    assert!(
        report.contains("it lies in the project that it would be about"),
        "{report}"
    );
    let folders = std::fs::read_dir(stage.program.path("kept")).unwrap();
    assert_eq!(folders.count(), 0);
}

#[test]
fn the_cache_can_be_looked_at_and_removed() {
    let stage = Stage::new();
    stage.assert_right("the first run");
    let cache = |arguments: &[&str]| {
        let mut command = stage.program.command(arguments);
        command.env("RACELENS_CACHE_DIR", stage.kept());
        stage.program.finish(command)
    };
    let shown = cache(&["cache"]);
    let kept = stage.kept();
    let begins = format!("{}: 2 entries, 0.0 MB, of at most 1024 MB", kept.display());
    assert_eq!(
        (shown.output.trim_end(), shown.status),
        (begins.as_str(), 0)
    );
    let cleared = cache(&["cache", "clear"]);
    assert!(
        cleared.output.contains("2 entries, 0.0 MB removed"),
        "{}",
        cleared.output
    );
    assert_eq!(std::fs::read_dir(&kept).unwrap().count(), 0);
    assert_eq!(stage.assert_right("after clearing"), 1);
    std::fs::remove_dir_all(&kept).unwrap();
    assert_eq!(stage.assert_right("after deleting"), 1);
    assert_eq!(stage.assert_right("after that"), 0);
    assert_eq!(cache(&["cache", "--no-cache"]).output, "nothing is kept\n");
}
