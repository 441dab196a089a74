//! A workspace that something is wrong with, a user with a secret beside it, and runs of the real program.

use super::attacks::Attack;
use crate::program::RACY;
use crate::server_process::{ServerProcess, uri};
use crate::temporary_folder::TemporaryFolder;
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What nobody but the user may see.
pub const SECRET: &str = "hunter2_do_not_tell";

pub struct Stage {
    pub workspace: TemporaryFolder,
    /// The user's own files.
    home: TemporaryFolder,
    environment: RefCell<Vec<(String, OsString)>>,
}

/// Files by path with what they contain, or where they lead.
type Everything = BTreeMap<PathBuf, Vec<u8>>;

impl Stage {
    pub fn new() -> Stage {
        let secret = format!("{SECRET}\n{SECRET};\nint {SECRET};\n");
        Stage {
            workspace: TemporaryFolder::new(&[("a.c", RACY)]),
            home: TemporaryFolder::new(&[("private_key", &secret)]),
            environment: RefCell::default(),
        }
    }

    /// The file that only a canary makes.
    pub fn trace(&self) -> PathBuf {
        self.home.path("trace")
    }

    pub fn secret(&self) -> String {
        self.home.path("private_key").display().to_string()
    }

    pub fn write(&self, path: &str, content: &str) {
        let content = content
            .replace("$W", self.workspace.root().to_str().unwrap())
            .replace("$SECRET", &self.secret())
            .replace("$HOME", self.home.root().to_str().unwrap())
            .replace("$TRACE", self.trace().to_str().unwrap());
        self.workspace.write(path, content.as_bytes());
    }

    pub fn append(&self, path: &str, content: &str) {
        let old = std::fs::read_to_string(self.workspace.path(path)).unwrap();
        self.write(path, &format!("{old}{content}"));
    }

    /// A program that leaves a trace.
    pub fn program(&self, path: &str) {
        self.write(path, "#!/bin/sh\ntouch '$TRACE'\n");
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.workspace.path(path), permissions).unwrap();
    }

    /// A library that leaves a trace when it is loaded.
    pub fn library(&self, path: &str) {
        self.write(
            "library.txt",
            "#include <fcntl.h>\n__attribute__((constructor)) static void run(void) { creat(\"$TRACE\", 0600); }\n",
        );
        let status = Command::new("gcc")
            .args(["-shared", "-fPIC", "-x", "c", "library.txt", "-o", path])
            .current_dir(self.workspace.root())
            .status();
        assert!(status.unwrap().success());
    }

    pub fn link(&self, target: &str, path: &str) {
        let target = target
            .replace("$SECRET", &self.secret())
            .replace("$HOME", self.home.root().to_str().unwrap());
        symlink(target, self.workspace.path(path)).unwrap();
    }

    pub fn pipe(&self, path: &str) {
        let status = Command::new("mkfifo")
            .arg(self.workspace.path(path))
            .status();
        assert!(status.unwrap().success());
    }

    /// A compilation database with this command for `a.c`.
    pub fn command(&self, command: &str) {
        self.command_for("a.c", command);
    }

    pub fn command_for(&self, file: &str, command: &str) {
        let entry = json!([
            { "directory": "$W", "file": file, "command": command },
            { "directory": "$W", "file": "a.c", "command": "cc -c a.c" },
        ]);
        let entries = match file {
            "a.c" => json!([entry[0]]),
            _ => entry,
        };
        self.write("compile_commands.json", &entries.to_string());
    }

    pub fn set(&self, variable: &str, value: &str) {
        let value = value
            .replace("$W", self.workspace.root().to_str().unwrap())
            .replace("$TRACE", self.trace().to_str().unwrap())
            .replace("$PATH", &std::env::var("PATH").unwrap());
        let mut environment = self.environment.borrow_mut();
        environment.push((variable.to_owned(), value.into()));
    }

    fn racelens(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_racelens"));
        command
            .current_dir(self.workspace.root())
            .env("RACELENS_CACHE_DIR", "")
            .envs(self.environment.borrow().iter().cloned());
        command
    }

    /// All that `racelens check` says.
    pub fn check(&self, format: &str) -> String {
        let mut command = self.racelens();
        let output = command
            .args(["check", "--format", format])
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(output.status.code().is_some_and(|code| code <= 2), "{said}");
        if format == "text" {
            let is_command = |character: char| character.is_control() && character != '\n';
            assert!(!said.contains(is_command), "{said:?}");
        }
        said
    }

    /// How many races the language server finds, and all that it says when everything is asked.
    pub fn edit(&self) -> (usize, String) {
        let mut server = ServerProcess::start(self.racelens(), &self.workspace.root());
        let mut races = 0;
        for file in self.sources() {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            server.open(&file, &text);
            races = server.races().len();
            let document = json!({ "uri": uri(&file) });
            for line in 0..text.lines().count().min(20) {
                let position = json!({ "line": line, "character": 5 });
                let params = json!({ "textDocument": document, "position": position });
                server.request("textDocument/hover", params);
            }
            let lenses =
                server.request("textDocument/codeLens", json!({ "textDocument": document }));
            for lens in lenses["result"].as_array().into_iter().flatten() {
                server.request("codeLens/resolve", lens.clone());
            }
        }
        (races, server.finish())
    }

    /// The regular C files at the top of the workspace.
    fn sources(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.workspace.root()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut sources: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
            .filter(|path| path.symlink_metadata().unwrap().is_file())
            .filter(|path| path.metadata().unwrap().len() < 1 << 20)
            .collect();
        sources.sort();
        sources
    }

    /// Every file of the workspace and of the user.
    pub fn everything(&self) -> Everything {
        let mut found = Everything::new();
        collect(&self.workspace.root(), &mut found);
        collect(&self.home.root(), &mut found);
        found
    }

    /// What went wrong, if anything did.
    pub fn harm(&self, attack: &Attack, before: &Everything, said: &str) -> Vec<String> {
        let now = self.everything();
        let changed: Vec<_> = now
            .iter()
            .filter(|file| before.get(file.0) != Some(file.1))
            .collect();
        let harms = [
            (self.trace().exists(), "the canary has run"),
            (
                now.len() != before.len() || !changed.is_empty(),
                "files are others",
            ),
            (said.contains(SECRET), "the secret is told"),
            (said.contains("internal error"), "an internal error"),
        ];
        let harms = harms.into_iter().filter(|(happened, _)| *happened);
        harms
            .map(|(_, what)| format!("{}: {what}: {}", attack.name, shortened(said)))
            .collect()
    }
}

/// Enough to see what happened.
pub fn shortened(text: &str) -> String {
    text.chars().take(600).collect()
}

fn collect(folder: &Path, found: &mut Everything) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let content = if metadata.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            target.into_os_string().into_encoded_bytes()
        } else if metadata.is_dir() {
            collect(&path, found);
            Vec::new()
        } else if metadata.is_file() && metadata.len() < 1 << 20 {
            std::fs::read(&path).unwrap()
        } else {
            metadata.len().to_ne_bytes().to_vec()
        };
        found.insert(path, content);
    }
}
