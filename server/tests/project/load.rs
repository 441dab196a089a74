//! Which files belong to a project, and with which flags.

use std::path::PathBuf;

use racelens::project::{LoadOptions, Note, Project};

use crate::workspace::{Workspace, code, database};

fn files(workspace: &Workspace, project: &Project) -> Vec<String> {
    project
        .units
        .iter()
        .map(|unit| {
            unit.file
                .strip_prefix(workspace.root())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

fn load(workspace: &Workspace, paths: &[&str]) -> (Project, Vec<Note>) {
    Project::load(&LoadOptions {
        paths: paths.iter().map(PathBuf::from).collect(),
        current_directory: Some(workspace.root()),
        ..LoadOptions::default()
    })
}

#[test]
fn without_a_database_the_files_are_found_and_it_is_said_once() {
    let workspace = Workspace::new(&[
        ("b.c", ""),
        ("a/x.c", ""),
        ("a/x.h", ""),
        ("a/x.cpp", ""),
        (".hidden/h.c", ""),
        ("node_modules/n.c", ""),
        ("target/t.c", ""),
    ]);
    let (project, notes) = load(&workspace, &[]);
    assert_eq!(files(&workspace, &project), ["a/x.c", "b.c"]);
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].message.contains("no compile_commands.json"),
        "{}",
        notes[0]
    );
}

#[test]
fn the_root_is_the_nearest_directory_with_a_mark() {
    for mark in ["racelens.toml", "compile_commands.json", ".git/HEAD"] {
        let workspace = Workspace::new(&[("p/src/deep/a.c", ""), ("p/other.c", "")]);
        let content = if mark.ends_with("json") { "[]" } else { "" };
        workspace.write(&format!("p/{mark}"), content.as_bytes());
        for path in ["p/src/deep/a.c", "p/src/deep", "p"] {
            let (project, _) = load(&workspace, &[path]);
            assert_eq!(project.root, workspace.path("p"), "{mark} {path}");
        }
    }
    let workspace = Workspace::new(&[("x/a.c", ""), ("x/y/b.c", "")]);
    let (project, _) = load(&workspace, &["x/y/b.c", "x/a.c"]);
    assert_eq!(project.root, workspace.path("x"));
}

#[test]
fn databases_are_found_in_the_usual_places() {
    for place in ["", "build", "builddir"] {
        let workspace = Workspace::new(&[("a.c", "int a;"), (".git/HEAD", "")]);
        let path = workspace.path(place).join("compile_commands.json");
        let text = database(&workspace.root(), &[("a.c", "gcc -DX -c a.c")]);
        workspace.write(path.to_str().unwrap(), text.as_bytes());
        let (project, notes) = load(&workspace, &["."]);
        assert!(notes.is_empty(), "{}", workspace.shown(&notes));
        assert_eq!(project.compile_commands, Some(path));
        assert_eq!(project.units[0].arguments, ["-DX"]);
    }
}

#[test]
fn paths_restrict_what_is_analysed() {
    let workspace = Workspace::new(&[
        ("a/one.c", ""),
        ("a/two.c", ""),
        ("b/three.c", ""),
        ("racelens.toml", "[project]\nexclude = [\"a/two.c\"]\n"),
    ]);
    let commands = ["a/one.c", "a/two.c", "b/three.c"].map(|file| (file, "gcc -c x.c"));
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &commands).as_bytes(),
    );
    for (paths, expected) in [
        (vec!["."], vec!["a/one.c", "b/three.c"]),
        (vec!["a"], vec!["a/one.c"]),
        (vec!["b", "a/one.c"], vec!["a/one.c", "b/three.c"]),
        // What the user names himself is analysed even if the project leaves it out.
        (vec!["a/two.c"], vec!["a/two.c"]),
    ] {
        let (project, _) = load(&workspace, &paths);
        assert_eq!(files(&workspace, &project), expected, "{paths:?}");
    }
}

#[test]
fn a_file_that_is_not_in_the_database_gets_the_nearest_flags() {
    let workspace = Workspace::new(&[
        ("a/one.c", ""),
        ("b/deep/two.c", ""),
        ("b/three.c", ""),
        ("a/new.c", ""),
        ("b/deep/er/new.c", ""),
    ]);
    let commands = [
        ("a/one.c", "gcc -DA -c a/one.c"),
        ("b/deep/two.c", "gcc -DDEEP -c b/deep/two.c"),
        ("b/three.c", "gcc -DB -c b/three.c"),
    ];
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &commands).as_bytes(),
    );
    for (file, flag, donor) in [
        ("a/new.c", "-DA", "a/one.c"),
        ("b/deep/er/new.c", "-DDEEP", "b/deep/two.c"),
    ] {
        let (project, notes) = load(&workspace, &[file]);
        assert_eq!(files(&workspace, &project), [file]);
        assert_eq!(project.units[0].arguments, [flag]);
        assert_eq!(notes.len(), 1);
        assert!(
            notes[0]
                .message
                .contains(&format!("it gets the flags of {donor}")),
            "{}",
            notes[0]
        );
    }
    // An editor may open one later.
    let (project, _) = load(&workspace, &["."]);
    let (unit, _) = project.adopt(&workspace.path("a/new.c"));
    assert_eq!(
        (unit.arguments, unit.spelling.as_str()),
        (vec!["-DA".to_owned()], "a/new.c")
    );
}

#[test]
fn a_file_that_is_compiled_twice_has_two_units() {
    let workspace = Workspace::new(&[("a.c", "int a = X;"), ("b.c", "")]);
    let commands = [
        ("b.c", "gcc -c b.c"),
        ("a.c", "gcc -DX=1 -c a.c"),
        ("a.c", "gcc -DX=2 -c a.c"),
    ];
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &commands).as_bytes(),
    );
    let (project, _) = load(&workspace, &["."]);
    assert_eq!(files(&workspace, &project), ["a.c", "a.c", "b.c"]);
    let units = project.units_of(&workspace.path("a.c"));
    assert_eq!(units, 0..2);
    let codes: Vec<_> = units
        .map(|unit| {
            code(
                &project
                    .preprocessor
                    .preprocess(&project.units[unit], None)
                    .unwrap(),
            )
            .join(" ")
        })
        .collect();
    assert_eq!(codes, ["int a = 1;", "int a = 2;"]);
    assert_eq!(project.units_of(&workspace.path("c.c")).len(), 0);
}

#[test]
fn paths_that_are_no_use_are_said() {
    let workspace = Workspace::new(&[("a.h", ""), ("empty/keep", ""), ("a.c", "")]);
    for (path, message) in [
        ("gone.c", "gone.c does not exist"),
        ("a.h", "a.h is a header and is not analysed alone"),
        ("empty", "there is no C file to analyse"),
    ] {
        let (project, notes) = load(&workspace, &[path]);
        assert!(project.units.is_empty());
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].message.contains(message), "{}", notes[0]);
        assert!(notes[0].help.is_some());
    }
    let (project, notes) = load(&workspace, &["gone.c", "a.c"]);
    assert_eq!(files(&workspace, &project), ["a.c"]);
    assert_eq!(notes.len(), 2);
}

#[test]
fn an_unknown_compiler_is_replaced_and_said_once() {
    let workspace = Workspace::new(&[("a.c", "int a;"), ("b.c", ""), ("c.c", "")]);
    let commands = [
        ("a.c", "/opt/arm/bin/none-eabi-gcc -c a.c"),
        ("b.c", "/opt/arm/bin/none-eabi-gcc -c b.c"),
        ("c.c", "tcc -c c.c"),
    ];
    workspace.write(
        "compile_commands.json",
        database(&workspace.root(), &commands).as_bytes(),
    );
    let (project, notes) = load(&workspace, &["."]);
    let messages: Vec<_> = notes
        .iter()
        .map(|note| note.message.split(';').next().unwrap())
        .collect();
    assert_eq!(
        messages,
        [
            "the compiler `/opt/arm/bin/none-eabi-gcc` of the compilation database is not run",
            "the compiler `tcc` of the compilation database is not run",
        ]
    );
    assert!(project.units.iter().all(|unit| unit.compiler.is_some()));
}

#[test]
fn every_unit_is_preprocessed_exactly_once() {
    let workspace = Workspace::new(&[("a.c", "int a;"), ("b.c", "int b;"), ("c.c", "int c;")]);
    let (project, _) = load(&workspace, &["."]);
    let results = project.preprocess_all(&Default::default()).into_iter();
    let seen = results.map(|(index, result)| (index, code(&result.unwrap()).join("")));
    let mut seen: Vec<(usize, String)> = seen.collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            (0, "int a;".to_owned()),
            (1, "int b;".to_owned()),
            (2, "int c;".to_owned())
        ]
    );
}

#[test]
fn a_broken_database_is_said_and_the_files_are_analysed_all_the_same() {
    let workspace = Workspace::new(&[("a.c", "int a;"), ("compile_commands.json", "[{")]);
    let (project, notes) = load(&workspace, &["."]);
    assert_eq!(files(&workspace, &project), ["a.c"]);
    let first = workspace.shown(&notes[..1]);
    assert!(
        first.starts_with(
            "$W/compile_commands.json:1:2: error: this is not a valid compilation database"
        ),
        "{first}"
    );
    assert!(notes[1].message.contains("default flags"), "{}", notes[1]);
}

#[cfg(unix)]
#[test]
fn a_project_behind_a_link_is_recognised_by_its_real_names() {
    let workspace = Workspace::new(&[
        ("real/a.c", "int a;"),
        ("real/racelens.toml", "[project]\nexclude = [\"b.c\"]\n"),
        ("real/b.c", ""),
    ]);
    let real = workspace.path("real");
    let commands = [("a.c", "gcc -DA -c a.c"), ("b.c", "gcc -c b.c")];
    workspace.write(
        "real/compile_commands.json",
        database(&real, &commands).as_bytes(),
    );
    std::os::unix::fs::symlink(&real, workspace.path("link")).unwrap();
    for path in ["link", "link/a.c"] {
        let (project, notes) = load(&workspace, &[path]);
        assert_eq!(files(&workspace, &project), ["real/a.c"]);
        assert!(notes.is_empty(), "{notes:?}");
    }
    let (project, _) = load(&workspace, &["link"]);
    assert_eq!(project.units_of(&workspace.path("link/a.c")), 0..1);
}
