//! A copy of a project that edits can do to what they want.

use super::state::{DATABASE, State};
use racelens::project::LoadOptions;
use racelens::workspace::Workspace;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// In a temporary folder, which goes with it.
pub struct ProjectCopy {
    _folder: TempDir,
    pub state: State,
}

/// What the configuration says of threads at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginnings {
    /// Nothing: the program starts its threads.
    Started,
    /// The project is a library, and its users call it from several threads.
    Exported,
}

impl ProjectCopy {
    /// A project without a compilation database gets one, so that there are flags to change.
    pub fn new(project: &Path, beginnings: Beginnings) -> Result<ProjectCopy, String> {
        let copy = copy_all(project).map_err(|error| format!("copying it failed: {error}"))?;
        let root = copy.root;
        if beginnings == Beginnings::Exported {
            let told = "[threads]\nentries = []\nexported = true\n";
            write(&root.join(super::state::CONFIGURATION), told)?;
        }
        let workspace = Workspace::load(&options(&root), None);
        let workspace = workspace.map_err(|error| error.to_string())?;
        if workspace.units == 0 {
            return Err("nothing could be analysed".to_owned());
        }
        let own = workspace.own_files().into_iter();
        let described = [DATABASE, super::state::CONFIGURATION].map(|name| root.join(name));
        let texts = own.chain(described).filter_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some((file, Arc::from(text)))
        });
        Ok(ProjectCopy {
            _folder: copy.folder,
            state: State {
                disk: texts.collect(),
                open: BTreeMap::new(),
                root,
            },
        })
    }
}

/// As the language server reads a folder.
pub fn options(root: &Path) -> LoadOptions {
    LoadOptions {
        paths: vec![root.to_owned()],
        current_directory: Some(root.to_owned()),
        ..LoadOptions::default()
    }
}

struct Copied {
    folder: TempDir,
    root: PathBuf,
}

fn copy_all(project: &Path) -> io::Result<Copied> {
    let folder = tempfile::tempdir()?;
    let name = project.canonicalize()?;
    let name = name.file_name().unwrap_or_default();
    let root = folder.path().canonicalize()?.join(name);
    copy_folder(project, &root)?;
    let database = root.join(DATABASE);
    let text = match std::fs::read_to_string(&database) {
        Ok(text) => renamed(&text, name.to_string_lossy().as_ref(), &root),
        Err(_) => written_database(&root)?,
    };
    std::fs::write(database, text)?;
    Ok(Copied { folder, root })
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != ".git" {
                copy_folder(&entry.path(), &target)?;
            }
        } else if entry.path().is_file() {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Directories and flags of a database name the folder that the project was built in, which has its name.
fn renamed(database: &str, name: &str, root: &Path) -> String {
    let entries: Vec<Value> = serde_json::from_str(database).unwrap_or_default();
    let directory = entries
        .first()
        .and_then(|entry| entry["directory"].as_str());
    let ancestors = directory.map(|directory| Path::new(directory).ancestors());
    let built = ancestors.into_iter().flatten().find(|folder| {
        let last = folder.file_name();
        last.is_some_and(|last| last.to_string_lossy() == name)
    });
    match built {
        Some(built) => database.replace(&*built.to_string_lossy(), &root.to_string_lossy()),
        None => database.to_owned(),
    }
}

/// A command for every source of a folder.
fn written_database(root: &Path) -> io::Result<String> {
    let mut entries = Vec::new();
    for file in std::fs::read_dir(root)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".c") {
            entries.push(serde_json::json!({
                "directory": root.to_string_lossy(),
                "file": name,
                "arguments": ["gcc", "-pthread", "-c", name],
            }));
        }
    }
    entries.sort_by_key(|entry| entry["file"].to_string());
    Ok(serde_json::to_string_pretty(&entries)?)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| error.to_string())
}
