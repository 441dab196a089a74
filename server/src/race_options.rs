//! What the user can say about how races are looked for.

use crate::project::Project;
use crate::workspace::Workspace;
use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RaceOptions {
    pub entries: Entries,
    /// Functions that run as threads although nothing starts them.
    pub named_entries: Vec<String>,
    /// Pairs of entries that never run at the same time.
    pub never_parallel: Vec<(String, String)>,
    /// Nothing is asked about functions that no thread gets to, so that nothing need be found out about them.
    pub only_reachable: bool,
}

/// Which functions begin threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Entries {
    /// Those that the program starts as threads, and those that `racelens.toml` names.
    #[default]
    Threads,
    /// In addition every function that other files can call: the program is a library, and its
    /// users call it from several threads.
    Exported,
}

impl RaceOptions {
    /// What the command line says, and else what the project's configuration says.
    pub fn new(workspace: &Workspace, entries: Option<Entries>) -> RaceOptions {
        RaceOptions::for_project(workspace.project.as_ref(), entries)
    }

    /// As `new`, for a program that is not read yet.
    pub fn for_project(project: Option<&Project>, entries: Option<Entries>) -> RaceOptions {
        let threads = project.map(|project| &project.config.threads);
        let Some(threads) = threads else {
            return RaceOptions {
                entries: entries.unwrap_or_default(),
                ..RaceOptions::default()
            };
        };
        let configured = if threads.exported {
            Entries::Exported
        } else {
            Entries::Threads
        };
        RaceOptions {
            entries: entries.unwrap_or(configured),
            named_entries: threads.entries.clone(),
            never_parallel: threads.never_parallel.clone(),
            only_reachable: false,
        }
    }

    /// The same, for who asks for races and nothing else.
    pub fn only_reachable(self) -> RaceOptions {
        RaceOptions {
            only_reachable: true,
            ..self
        }
    }
}
