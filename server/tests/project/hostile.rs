//! A workspace that tries to run something of its own: nothing it brings along may run.

#![cfg(unix)]

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use racelens::project::{Note, Project};

use crate::workspace::{Workspace, code, database};

/// Flags with which the compiler itself runs something of the workspace.
const DANGEROUS: &[&str] = &[
    "-fplugin=./plugin.so",
    "-fplugin=$W/plugin.so",
    "-wrapper ./bin/canary",
    "-wrapper $W/bin/canary,x",
    "-B ./bin/",
    "-B$W/bin",
    "--prefix=$W/bin/",
    "-specs=evil.specs",
    "--specs=$W/evil.specs",
    "@response",
    "@$W/response",
];

/// A workspace full of canaries: programs, specs, response files and a plug-in that all leave a trace.
fn hostile_workspace() -> (Workspace, PathBuf) {
    let workspace = Workspace::new(&[("a.c", "int a;\n"), ("response", "-wrapper ./bin/canary\n")]);
    let trace = workspace.canary("bin/canary");
    for name in [
        "bin/gcc", "bin/cc", "bin/cc1", "gcc", "cc", "cc1", "evil-gcc",
    ] {
        workspace.canary(name);
    }
    let specs = format!("@c:\n{}\n\n", workspace.path("bin/canary").display());
    workspace.write("evil.specs", specs.as_bytes());
    let plugin = format!(
        "#include <fcntl.h>\n__attribute__((constructor)) static void run(void) {{ creat(\"{}\", 0600); }}\n",
        trace.display()
    );
    workspace.write("plugin/plugin.c", plugin.as_bytes());
    let status = Command::new("gcc")
        .args(["-shared", "-fPIC", "-o", "plugin.so", "plugin/plugin.c"])
        .current_dir(workspace.root())
        .status()
        .unwrap();
    assert!(status.success());
    (workspace, trace)
}

#[test]
fn the_canaries_do_run_where_nothing_holds_them_back() {
    let (workspace, trace) = hostile_workspace();
    for flags in DANGEROUS {
        let flags = flags.replace("$W", workspace.root().to_str().unwrap());
        Command::new("gcc")
            .arg("-E")
            .args(shlex::split(&flags).unwrap())
            .arg("a.c")
            .current_dir(workspace.root())
            .output()
            .unwrap();
        assert!(trace.exists(), "{flags}");
        std::fs::remove_file(&trace).unwrap();
    }
}

/// Loads and preprocesses a workspace whose compile command is `command`. The text must come out,
/// and no canary must have run.
fn check_canary_stays_silent(command: &str) -> Vec<Note> {
    let (workspace, trace) = hostile_workspace();
    let command = command.replace("$W", workspace.root().to_str().unwrap());
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &[("a.c", &command)]).as_bytes(),
    );
    let mut options = workspace.options();
    // Even where the workspace's own directories are in front of everything in PATH.
    let mut search = OsString::from(format!(
        "{}:{}/bin:.:",
        workspace.root().display(),
        workspace.root().display()
    ));
    search.push(std::env::var_os("PATH").unwrap());
    options.search_path = Some(search);
    let (project, mut notes) = Project::load(&options);
    let preprocessed = project.preprocess_all(&HashMap::new()).remove(0).1.unwrap();
    assert!(!trace.exists(), "the canary ran for: {command}");
    assert_eq!(code(&preprocessed), ["int a;"], "{command}");
    notes.extend(preprocessed.notes);
    notes
}

#[test]
fn programs_of_the_workspace_do_not_run() {
    for command in [
        "gcc -c a.c",
        "./gcc -c a.c",
        "$W/bin/gcc -c a.c",
        "$W/bin/canary -c a.c",
        "./evil-gcc -c a.c",
        "evil-gcc -c a.c",
        "ccache ./bin/gcc -c a.c",
        "sh -c ./bin/canary a.c",
    ] {
        check_canary_stays_silent(command);
    }
}

#[test]
fn dangerous_flags_do_not_run_anything_and_are_noted() {
    let others = [
        "-Wp,-fplugin=./plugin.so",
        "-Xpreprocessor -fplugin=./plugin.so",
        "-Xclang -load -Xclang ./plugin.so",
        "-fuse-ld=./bin/canary",
        "-I @response",
        "-include -wrapper",
        "-dumpdir $W/x",
    ];
    for flag in DANGEROUS.iter().chain(&others) {
        let notes = check_canary_stays_silent(&format!("gcc {flag} -c a.c"));
        let refusals = notes
            .iter()
            .filter(|note| note.message.contains("is not passed to the preprocessor"));
        assert_eq!(refusals.count(), 1, "{flag}: {notes:?}");
    }
}

#[test]
fn outputs_of_the_build_are_not_written() {
    let workspace = Workspace::new(&[("a.c", "int a;\n")]);
    let command =
        "gcc -save-temps -MMD -MF dep.d -Wp,-MD,dep2.d -o out.o -dumpdir d -ftime-report -c a.c";
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &[("a.c", command)]).as_bytes(),
    );
    workspace.preprocess_only_file().unwrap();
    let mut names: Vec<_> = std::fs::read_dir(workspace.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["a.c", "compile_commands.json"]);
}

#[test]
fn the_configuration_cannot_choose_a_program() {
    for line in [
        "compiler = \"$W/bin/gcc\"",
        "compiler = \"./bin/gcc\"",
        "compiler = \"canary\"",
        "allowed-compilers = [\"$W/bin/gcc\"]",
    ] {
        let workspace = Workspace::new(&[("a.c", "int a;\n")]);
        let trace = workspace.canary("bin/gcc");
        let line = line.replace("$W", workspace.root().to_str().unwrap());
        workspace.write(
            "racelens.toml",
            format!("[preprocessor]\n{line}\n").as_bytes(),
        );
        let (project, notes) = workspace.load();
        assert!(
            notes[0].help.as_ref().unwrap().contains("--compiler"),
            "{line}: {notes:?}"
        );
        let results = project.preprocess_all(&HashMap::new());
        assert_eq!(code(results[0].1.as_ref().unwrap()), ["int a;"]);
        assert!(!trace.exists(), "{line}");
    }
}

#[test]
fn the_user_can_choose_any_program() {
    let workspace = Workspace::new(&[("a.c", "int a;\n")]);
    let trace = workspace.canary("bin/gcc");
    let mut options = workspace.options();
    options.compiler = Some("bin/gcc".into());
    let (project, _) = Project::load(&options);
    project.preprocess_all(&HashMap::new());
    assert!(trace.exists());
}

#[test]
fn a_missing_compiler_is_said_once_and_nothing_breaks() {
    let workspace = Workspace::new(&[("a.c", "int a;\n"), ("b.c", "int b;\n")]);
    let mut options = workspace.options();
    options.search_path = Some("/nowhere".into());
    let (project, notes) = Project::load(&options);
    let complaints: Vec<_> = notes
        .iter()
        .filter(|note| note.message.contains("no C compiler was found"))
        .collect();
    assert_eq!(complaints.len(), 1);
    assert!(
        complaints[0]
            .help
            .as_ref()
            .unwrap()
            .contains("install gcc or clang")
    );
    for (_, result) in project.preprocess_all(&HashMap::new()) {
        assert!(result.unwrap_err().message.contains("no C compiler"));
    }
}

#[test]
fn the_environment_does_not_reach_the_compiler() {
    let workspace = Workspace::new(&[("a.c", "int a;\n")]);
    let compiler = "#!/bin/sh\nenv > \"$0.env\"\n";
    workspace.write("tool", compiler.as_bytes());
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(
        workspace.path("tool"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let mut options = workspace.options();
    options.compiler = Some(workspace.path("tool"));
    let (project, _) = Project::load(&options);
    project.preprocess_all(&HashMap::new());
    let environment = std::fs::read_to_string(workspace.path("tool.env")).unwrap();
    let mut names: Vec<&str> = environment
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    names.sort();
    // The shell adds these itself.
    names.retain(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name));
    assert_eq!(
        names,
        ["HOME", "LC_ALL", "PATH", "SOURCE_DATE_EPOCH", "TMPDIR"]
    );
}
