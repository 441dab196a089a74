//! `racelens/status`: what the server is doing, for the editor's status bar.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub state: State,
    pub races: usize,
    pub violations: usize,
    pub message: Option<String>,
    /// How many checks have ended. `racelens/races` says the same of what it lists.
    pub checks: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The program is being read.
    Indexing,
    /// Races are being looked for.
    Checking,
    /// What is shown is true.
    Ready,
    /// Nothing can be shown; the message says why.
    Failed,
}

pub enum StatusNotification {}

impl Notification for StatusNotification {
    type Params = Status;
    const METHOD: &'static str = "racelens/status";
}
