//! A program in a temporary directory, and runs of `racelens` on it.

use crate::temporary_folder::TemporaryFolder;
use expect_test::Expect;
use std::ops::Deref;
use std::process::Command;

pub struct Program {
    folder: TemporaryFolder,
}

/// A file that is fine, to see that it is analysed whatever is beside it.
pub const GOOD: (&str, &str) = ("good.c", "int x;\nint good(void) { return x; }\n");

impl Deref for Program {
    type Target = TemporaryFolder;

    fn deref(&self) -> &TemporaryFolder {
        &self.folder
    }
}

/// What a run gave, with the program's directory shown as `$W` and what differs from run to run
/// or from compiler to compiler shown as `N`.
pub struct Run {
    pub status: i32,
    pub output: String,
    pub notes: String,
}

impl Program {
    pub fn new(files: &[(&str, &str)]) -> Program {
        Program {
            folder: TemporaryFolder::new(files),
        }
    }

    /// With a database that compiles each C file, so that no note about default flags is in the way.
    pub fn built(files: &[(&str, &str)]) -> Program {
        let program = Program::new(files);
        program.write_database_for(files.iter().map(|(path, _)| *path));
        program
    }

    pub fn write_database_for<'p>(&self, paths: impl IntoIterator<Item = &'p str>) {
        let sources = paths.into_iter().filter(|path| path.ends_with(".c"));
        let commands: Vec<(&str, String)> = sources
            .map(|path| (path, format!("cc -c {path}")))
            .collect();
        let commands: Vec<(&str, &str)> = commands
            .iter()
            .map(|(path, command)| (*path, command.as_str()))
            .collect();
        self.write_database("compile_commands.json", &commands);
    }

    /// A compilation database in `path`, run in the program's directory.
    pub fn write_database(&self, path: &str, commands: &[(&str, &str)]) {
        let directory = self.path("");
        let entries: Vec<serde_json::Value> = commands
            .iter()
            .map(|(file, command)| {
                serde_json::json!({ "directory": directory, "file": file, "command": command })
            })
            .collect();
        let text = serde_json::to_string_pretty(&entries).unwrap();
        self.write(path, text.as_bytes());
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_racelens"));
        command.args(arguments).current_dir(self.path(""));
        // What the user keeps is none of a test's business.
        command.env("RACELENS_CACHE_DIR", "");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.finish(self.command(arguments))
    }

    pub fn finish(&self, mut command: Command) -> Run {
        let output = command.output().unwrap();
        let shown = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            let root = self.path("");
            masked(&text.replace(root.to_str().unwrap().trim_end_matches('/'), "$W"))
        };
        Run {
            status: output.status.code().expect("the program crashed"),
            output: shown(output.stdout),
            notes: shown(output.stderr),
        }
    }

    /// Runs `racelens` and compares all that it says.
    pub fn check(&self, arguments: &[&str], expected: Expect) {
        self.check_command(self.command(arguments), expected);
    }

    pub fn check_command(&self, command: Command, expected: Expect) {
        let run = self.finish(command);
        expected.assert_eq(&format!(
            "{}{}exit status {}\n",
            run.notes, run.output, run.status
        ));
    }
}

/// Puts `N` for times, and for the number of lines, which compilers disagree about.
fn masked(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut shown: Vec<String> = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).copied().unwrap_or("");
        let is_time = next == "s" || next.starts_with("s\n");
        let is_lines = next.starts_with("line") && words.get(index + 2) == Some(&"after");
        // A time may stand at the beginning of a line, behind the last word of the line before.
        let start = word.rfind('\n').map_or(0, |newline| newline + 1);
        if (is_time || is_lines) && word[start..].parse::<f64>().is_ok() {
            shown.push(format!("{}N", &word[..start]));
        } else {
            shown.push((*word).to_owned());
        }
    }
    shown.join(" ")
}
