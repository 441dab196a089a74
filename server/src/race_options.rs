//! What the user can say about how races are looked for.

use crate::workspace::Workspace;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaceOptions {
    pub entries: Entries,
}

/// Which functions begin threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
        let is_configured = workspace
            .project
            .as_ref()
            .is_some_and(|project| project.config.threads.exported);
        let configured = if is_configured {
            Entries::Exported
        } else {
            Entries::Threads
        };
        RaceOptions {
            entries: entries.unwrap_or(configured),
        }
    }
}
