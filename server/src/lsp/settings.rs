//! What the user sets in the editor, under `racelens`.

use crate::race_options::Entries;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    pub run: Run,
    /// How long nobody must have typed before a check begins.
    pub debounce: Duration,
    pub min_rank: Option<u8>,
    pub entries: Option<Entries>,
    pub inlay_hints: bool,
    pub semantic_highlighting: bool,
    pub code_lens: bool,
    pub delivery: Delivery,
    pub baseline: Option<PathBuf>,
    /// How long to look for an interleaving.
    pub verify_budget: Duration,
    pub project: ProjectSettings,
}

/// What decides how a program is read. If it changes, the program is read anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectSettings {
    pub compile_commands: Option<PathBuf>,
    pub config: Option<PathBuf>,
    pub compiler: Option<PathBuf>,
    pub jobs: Option<usize>,
}

/// When the program is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    #[default]
    OnType,
    OnSave,
    /// By the command `racelens.checkNow` only.
    Manual,
}

/// Who decides when diagnostics are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    #[default]
    Push,
    /// The client asks for them.
    Pull,
}

const DEFAULT_DEBOUNCE: Duration = Duration::from_millis(15);
const MOST_DEBOUNCE_MILLISECONDS: u64 = 60_000;
const MOST_JOBS: u64 = 1024;
const DEFAULT_VERIFY_BUDGET: Duration = Duration::from_secs(10);
const MOST_VERIFY_SECONDS: u64 = 3600;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            run: Run::default(),
            debounce: DEFAULT_DEBOUNCE,
            min_rank: None,
            entries: None,
            inlay_hints: false,
            semantic_highlighting: false,
            code_lens: true,
            delivery: Delivery::default(),
            baseline: None,
            verify_budget: DEFAULT_VERIFY_BUDGET,
            project: ProjectSettings::default(),
        }
    }
}

impl Settings {
    /// What is wrong costs only itself, and is said. `racelens` may or may not stand around the settings.
    pub fn read(value: &Value) -> (Settings, Vec<String>) {
        let mut settings = Settings::default();
        let value = value.get("racelens").unwrap_or(value);
        let mut reader = match value {
            Value::Object(fields) => Reader {
                fields,
                problems: Vec::new(),
            },
            Value::Null => return (settings, Vec::new()),
            _ => {
                let problem = "the settings of racelens are no object, and are left out".to_owned();
                return (settings, vec![problem]);
            }
        };
        reader.choice(
            "run",
            &[
                ("onType", Run::OnType),
                ("onSave", Run::OnSave),
                ("manual", Run::Manual),
            ],
            &mut settings.run,
        );
        if let Some(milliseconds) = reader.number("debounce", MOST_DEBOUNCE_MILLISECONDS) {
            settings.debounce = Duration::from_millis(milliseconds);
        }
        settings.min_rank = reader.number("minRank", 100).map(|rank| rank as u8);
        let mut entries = None;
        reader.choice(
            "entries",
            &[
                ("threads", Some(Entries::Threads)),
                ("exported", Some(Entries::Exported)),
            ],
            &mut entries,
        );
        settings.entries = entries;
        reader.flag("inlayHints", &mut settings.inlay_hints);
        reader.flag("semanticHighlighting", &mut settings.semantic_highlighting);
        reader.flag("codeLens", &mut settings.code_lens);
        reader.choice(
            "diagnostics",
            &[("push", Delivery::Push), ("pull", Delivery::Pull)],
            &mut settings.delivery,
        );
        settings.baseline = reader.path("baseline");
        if let Some(seconds) = reader.number("verifyBudget", MOST_VERIFY_SECONDS) {
            settings.verify_budget = Duration::from_secs(seconds);
        }
        settings.project = ProjectSettings {
            compile_commands: reader.path("compileCommands"),
            config: reader.path("config"),
            compiler: reader.path("compiler"),
            jobs: reader.number("jobs", MOST_JOBS).map(|jobs| jobs as usize),
        };
        // Zero means the default, because a settings page has no empty number.
        settings.project.jobs = settings.project.jobs.filter(|jobs| *jobs > 0);
        (settings, reader.problems)
    }
}

/// Fields that are not there, or null, or empty, keep their defaults. Others than ours are the client's own.
struct Reader<'v> {
    fields: &'v Map<String, Value>,
    problems: Vec<String>,
}

impl<'v> Reader<'v> {
    fn get(&self, name: &str) -> Option<&'v Value> {
        let value = self.fields.get(name)?;
        (!value.is_null() && value.as_str() != Some("")).then_some(value)
    }

    fn complain(&mut self, name: &str, expected: &str) {
        self.problems.push(format!(
            "the setting racelens.{name} must be {expected}; it is left out"
        ));
    }

    fn choice<T: Copy>(&mut self, name: &str, known: &[(&str, T)], target: &mut T) {
        let Some(value) = self.get(name) else {
            return;
        };
        let word = value.as_str();
        match known.iter().find(|(known, _)| Some(*known) == word) {
            Some((_, choice)) => *target = *choice,
            None => {
                let words: Vec<String> =
                    known.iter().map(|(word, _)| format!("`{word}`")).collect();
                self.complain(name, &words.join(" or "));
            }
        }
    }

    fn flag(&mut self, name: &str, target: &mut bool) {
        match self.get(name) {
            Some(Value::Bool(value)) => *target = *value,
            Some(_) => self.complain(name, "true or false"),
            None => {}
        }
    }

    fn number(&mut self, name: &str, most: u64) -> Option<u64> {
        let value = self.get(name)?;
        let number = value.as_u64().filter(|number| *number <= most);
        if number.is_none() {
            self.complain(name, &format!("a whole number from 0 to {most}"));
        }
        number
    }

    fn path(&mut self, name: &str) -> Option<PathBuf> {
        let value = self.get(name)?;
        if value.as_str().is_none() {
            self.complain(name, "a path");
        }
        value.as_str().map(PathBuf::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_are_read_with_and_without_their_section() {
        let fields = json!({ "run": "onSave", "debounce": 20, "minRank": 40, "entries": "exported",
            "inlayHints": true, "semanticHighlighting": true, "codeLens": false, "diagnostics": "pull",
            "baseline": "b.json", "verifyBudget": 3, "compileCommands": "out", "jobs": 0, "trace": { "server": "off" } });
        let expected = Settings {
            run: Run::OnSave,
            debounce: Duration::from_millis(20),
            min_rank: Some(40),
            entries: Some(Entries::Exported),
            inlay_hints: true,
            semantic_highlighting: true,
            code_lens: false,
            delivery: Delivery::Pull,
            baseline: Some("b.json".into()),
            verify_budget: Duration::from_secs(3),
            project: ProjectSettings {
                compile_commands: Some("out".into()),
                ..ProjectSettings::default()
            },
        };
        assert_eq!(Settings::read(&fields), (expected.clone(), Vec::new()));
        let wrapped = json!({ "racelens": fields });
        assert_eq!(Settings::read(&wrapped), (expected, Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_said_and_left_out() {
        let (settings, problems) =
            Settings::read(&json!({ "run": "often", "minRank": 101, "codeLens": 1, "config": "" }));
        assert_eq!(settings, Settings::default());
        assert_eq!(
            problems,
            [
                "the setting racelens.run must be `onType` or `onSave` or `manual`; it is left out",
                "the setting racelens.minRank must be a whole number from 0 to 100; it is left out",
                "the setting racelens.codeLens must be true or false; it is left out",
            ]
        );
        assert_eq!(Settings::read(&json!(3)).1.len(), 1);
        assert_eq!(
            Settings::read(&Value::Null),
            (Settings::default(), Vec::new())
        );
    }
}
