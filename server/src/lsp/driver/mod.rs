//! The one thread that owns the programs. It takes events in order, checks when it is time, and answers questions
//! from what it has checked.

mod event;
mod publishing;
mod recalled;
mod root;
#[cfg(test)]
mod tests;
mod verification;
mod view;

pub use event::{Event, Question, Refusal};
pub use publishing::all_diagnostics;
pub use verification::NewAnswer;
pub use view::{Findings, Program, View};

use super::document::Document;
use super::documentation::Documentation;
use super::outbox::{Message, Outbox};
use super::progress::{Progress, Work};
use super::session::Session;
use super::settings::{Run, Settings};
use super::status::{State, Status};
use crate::internal_error::internal_error;
use crate::store::Store;
use crate::workspace;
use publishing::Published;
use racelens_analysis::stop::{Stop, Stopped};
use root::{OpenFiles, Root};
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};
use tower_lsp::ls_types::MessageType;

pub struct Driver {
    session: Arc<Session>,
    outbox: Outbox,
    documentation: Documentation,
    /// Where results are kept for the next start.
    store: Option<Arc<Store>>,
    /// The result of the last check is not kept yet.
    is_unkept: bool,
    settings: Settings,
    roots: Vec<Root>,
    open: OpenFiles,
    /// Files with other text than the programs have.
    changed: BTreeSet<PathBuf>,
    /// What describes the projects has changed.
    must_reload: bool,
    /// When the next check begins, if there is to be one.
    due: Option<Instant>,
    waiting: Vec<Question>,
    published: Published,
    /// How many have ended.
    checks: usize,
    /// The result of the last check is not shown yet.
    is_unpublished: bool,
    /// The user did not want to wait until a program was read.
    is_stopped: bool,
    /// The user has been told of an internal error; further ones go to the log.
    has_apologised: bool,
}

/// Stack for the thread: explanations walk through nested code.
pub const STACK_BYTES: usize = 16 << 20;

/// How long nothing must have happened before results are kept for the next start.
const QUIET: Duration = Duration::from_secs(2);

const READING: Work = Work {
    title: "Reading the program",
    can_be_stopped: true,
    after: Duration::ZERO,
};
const CHECKING: Work = Work {
    title: "Looking for races",
    can_be_stopped: true,
    after: Duration::from_millis(500),
};

impl Driver {
    pub fn new(session: Arc<Session>, outbox: Outbox, store: Option<Arc<Store>>) -> Driver {
        Driver {
            session,
            outbox,
            documentation: Documentation::write(),
            store,
            is_unkept: false,
            settings: Settings::default(),
            roots: Vec::new(),
            open: OpenFiles::new(),
            changed: BTreeSet::new(),
            must_reload: false,
            due: None,
            waiting: Vec::new(),
            published: Published::default(),
            checks: 0,
            is_unpublished: false,
            is_stopped: false,
            has_apologised: false,
        }
    }

    /// Works until the connection ends.
    pub fn run(mut self, events: &Receiver<Event>) {
        loop {
            let mut next = match self.next_event(events) {
                Ok(event) => event,
                Err(Disconnected) => return,
            };
            // All that has come meanwhile is taken before anything long begins.
            while let Some(event) = next {
                if matches!(event, Event::Shutdown) {
                    self.guarded(Driver::keep_results);
                    return;
                }
                self.guarded(|driver| driver.take(event));
                next = match events.try_recv() {
                    Ok(event) => Some(event),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => return,
                };
            }
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.due = None;
                self.guarded_check();
            }
            self.answer_waiting();
        }
    }

    /// Waits for an event, or until a check is due.
    fn next_event(&mut self, events: &Receiver<Event>) -> Result<Option<Event>, Disconnected> {
        if let Some(due) = self.due {
            let time = due.saturating_duration_since(Instant::now());
            return match events.recv_timeout(time) {
                Ok(event) => Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(Disconnected),
            };
        }
        if self.is_unpublished {
            // What was typed during the last check may have turned out to change nothing.
            match events.try_recv() {
                Ok(event) => return Ok(Some(event)),
                Err(TryRecvError::Empty) => {
                    self.guarded(Driver::publish);
                }
                Err(TryRecvError::Disconnected) => return Err(Disconnected),
            }
        }
        if self.is_unkept {
            // Keeping takes time, which is there when nobody types.
            match events.recv_timeout(QUIET) {
                Ok(event) => return Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => {
                    self.guarded(Driver::keep_results);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Disconnected),
            }
        }
        events.recv().map(Some).map_err(|_| Disconnected)
    }

    /// Does some work. If it fails in an unexpected way, that costs this work only. Says whether it went well.
    fn guarded(&mut self, work: impl FnOnce(&mut Driver)) -> bool {
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        if let Err(panic) = &result {
            let text = internal_error(&**panic);
            if std::mem::replace(&mut self.has_apologised, true) {
                self.outbox.log(MessageType::ERROR, &text);
            } else {
                self.outbox
                    .send(Message::Show(MessageType::ERROR, text.clone()));
            }
            self.say(State::Failed, Some(text));
        }
        result.is_ok()
    }

    /// A program whose check failed half-way is read anew next time.
    fn guarded_check(&mut self) {
        if !self.guarded(Driver::check) {
            let roots = self.roots.iter_mut();
            let failed = roots.filter(|root| root.checked().is_none());
            failed.for_each(Root::forget);
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Start => self.start(),
            Event::Opened(path, document) => {
                self.open.insert(path.clone(), document.clone());
                self.add_lonely_file(&path);
                let roots = self.roots.iter();
                let mut known = roots.filter_map(|root| root.checked_text(&path));
                if !known.any(|source| source.text() == &*document.text) {
                    self.text_changed(path);
                }
            }
            Event::Changed(path, document) => {
                self.open.insert(path.clone(), document);
                self.text_changed(path);
            }
            Event::Closed(path) => {
                self.open.remove(&path);
                self.text_changed(path);
            }
            Event::Saved(path) => {
                if self.settings.run != Run::Manual {
                    self.changed.insert(path);
                    self.schedule(Duration::ZERO);
                }
            }
            Event::FilesChanged(paths) => self.files_changed(paths),
            Event::FoldersChanged { added, removed } => {
                self.roots.retain(|root| !removed.contains(&root.path));
                for folder in added {
                    self.add_root(folder);
                }
                self.schedule(Duration::ZERO);
            }
            Event::Settings(settings) => self.set(*settings),
            Event::CheckNow => {
                self.is_stopped = false;
                self.schedule(Duration::ZERO);
            }
            Event::Restart => self.restart(),
            Event::Verified(answer) => self.take_answer(*answer),
            Event::Ask(question) => self.waiting.push(question),
            // Ends the loop.
            Event::Shutdown => {}
        }
    }

    fn start(&mut self) {
        let Some(client) = self.session.client.get() else {
            return;
        };
        let (settings, problems) = Settings::read(&client.settings);
        self.settings = settings;
        for problem in problems {
            self.outbox.log(MessageType::WARNING, problem);
        }
        for folder in client.folders.clone() {
            self.add_root(folder);
        }
        self.schedule(Duration::ZERO);
    }

    fn add_root(&mut self, path: PathBuf) {
        if !self.roots.iter().any(|root| root.path == path) {
            self.roots.push(Root::new(path));
        }
    }

    /// A file of no folder is a program of its own.
    fn add_lonely_file(&mut self, path: &Path) {
        let is_source = path.extension().is_some_and(|extension| extension == "c");
        if is_source && !self.roots.iter().any(|root| root.concerns(path)) {
            self.add_root(path.to_owned());
        }
    }

    fn text_changed(&mut self, path: PathBuf) {
        self.changed.insert(path);
        if self.settings.run == Run::OnType {
            self.schedule(self.settings.debounce);
        }
    }

    fn files_changed(&mut self, paths: Vec<PathBuf>) {
        for path in paths {
            let name = path.file_name().and_then(|name| name.to_str());
            let is_project_file = matches!(name, Some("compile_commands.json" | "racelens.toml"));
            let is_new = !self.roots.iter().any(|root| root.name_of(&path).is_some());
            let is_gone = !path.exists();
            let is_source = path.extension().is_some_and(|extension| extension == "c");
            // A unit that comes or goes changes what the program consists of.
            if is_project_file || (is_source && (is_new || is_gone)) {
                self.must_reload = true;
            } else if !self.open.contains_key(&path) || !is_source {
                self.changed.insert(path);
            }
        }
        if self.settings.run != Run::Manual {
            self.schedule(self.settings.debounce);
        }
    }

    fn set(&mut self, settings: Settings) {
        if settings == self.settings {
            return;
        }
        let reads_anew = settings.project != self.settings.project;
        if settings.semantic_highlighting != self.settings.semantic_highlighting {
            let is_wanted = settings.semantic_highlighting;
            self.outbox.send(Message::Highlighting(is_wanted));
        }
        self.settings = settings;
        if reads_anew {
            self.restart();
        } else {
            // Whatever it is that has changed, a check is right afterwards.
            self.schedule(Duration::ZERO);
        }
    }

    fn restart(&mut self) {
        self.roots.iter_mut().for_each(Root::forget);
        self.is_stopped = false;
        self.schedule(Duration::ZERO);
    }

    /// Who types on puts the check off, unless it should have begun already.
    fn schedule(&mut self, after: Duration) {
        let now = Instant::now();
        if self.due.is_none_or(|due| due > now) {
            self.due = Some(now + after);
        }
    }

    /// Brings every program up to date, looks for races, and shows them.
    fn check(&mut self) {
        let edits = self.session.edits.load(Ordering::Relaxed);
        if self.is_stopped || !self.load_roots() {
            return;
        }
        self.say(State::Checking, None);
        let progress = Progress::begin(&self.outbox, CHECKING);
        let changed = std::mem::take(&mut self.changed);
        let must_reload = std::mem::take(&mut self.must_reload);
        let mut is_stopped = false;
        for index in 0..self.roots.len() {
            let root = &mut self.roots[index];
            if must_reload {
                root.reload(&self.settings, &self.open, self.store.as_ref());
            }
            let own: BTreeSet<PathBuf> = changed
                .iter()
                .filter(|path| root.concerns(path))
                .cloned()
                .collect();
            if !own.is_empty() {
                root.update(&own, &self.open);
            }
            match root.check(&self.settings, &Stop::from(progress.stop.clone())) {
                Ok(Some(problem)) => self.outbox.log(MessageType::ERROR, problem),
                Ok(None) => {}
                Err(Stopped) => is_stopped = true,
            }
        }
        drop(progress);
        if is_stopped {
            let text = "looking for races was stopped; the next edit, or the command to check now, begins it again";
            self.outbox.log(MessageType::INFO, text);
            self.say(State::Failed, Some(text.to_owned()));
            return;
        }
        self.checks += 1;
        self.is_unkept = self.store.is_some();
        self.is_unpublished = true;
        // Whoever has typed meanwhile wants to see what is true of the new text.
        if self.session.edits.load(Ordering::Relaxed) == edits {
            self.publish();
        }
    }

    /// Reads the programs that are not read yet. Says whether there is anything to check.
    fn load_roots(&mut self) -> bool {
        self.recall_roots();
        for index in 0..self.roots.len() {
            if self.roots[index].workspace().is_some() {
                continue;
            }
            self.say(State::Indexing, None);
            let progress = Progress::begin(&self.outbox, READING);
            let stop = progress.stop.clone();
            let watch = |step| match step {
                workspace::Progress::Preprocessed(done, total) => {
                    progress.step(done, total, "preprocessing files");
                }
                workspace::Progress::Lowered(done, total) => {
                    progress.step(done, total, "reading functions");
                }
            };
            let loaded = self.roots[index].load(
                &self.settings,
                &self.open,
                self.store.as_ref(),
                &stop,
                &watch,
            );
            if let Err(problem) = loaded {
                self.is_stopped = stop.load(Ordering::Relaxed);
                self.outbox.log(MessageType::ERROR, &problem);
                self.say(State::Failed, Some(problem));
                return false;
            }
        }
        true
    }

    fn say(&self, state: State, message: Option<String>) {
        let reports = self.roots.iter().filter_map(Root::report);
        let races = |report: &crate::report::Report| {
            report.races.iter().filter(|race| race.is_finding()).count()
        };
        self.outbox.send(Message::Status(Status {
            state,
            races: reports.clone().map(races).sum(),
            violations: reports.map(|report| report.violations.len()).sum(),
            message,
            checks: self.checks,
        }));
    }

    /// An editor may name a file through symbolic links, and a program has one name for it.
    fn open_by_name(&self) -> HashMap<PathBuf, &Arc<Document>> {
        let open = self.open.iter().map(|(path, document)| {
            let name = self.roots.iter().find_map(|root| root.name_of(path));
            (name.unwrap_or_else(|| path.clone()), document)
        });
        open.collect()
    }

    fn view(&self) -> View<'_> {
        View {
            roots: &self.roots,
            settings: &self.settings,
            encoding: self.session.encoding(),
            documentation: &self.documentation,
            open: self.open_by_name(),
            checks: self.checks,
            client_edits_versions: self
                .session
                .client
                .get()
                .is_some_and(|client| client.edits_versions),
        }
    }

    /// Answers what can be answered now; the rest waits for the check that is due.
    fn answer_waiting(&mut self) {
        for question in std::mem::take(&mut self.waiting) {
            match self.readiness(&question) {
                Readiness::Wait => self.waiting.push(question),
                Readiness::Refuse(refusal) => question.answer(Err(refusal)),
                Readiness::Answer => {
                    self.guarded(|driver| question.answer(Ok(&driver.view())));
                }
            }
        }
    }

    fn readiness(&self, question: &Question) -> Readiness {
        if let (Some(path), Some(asked)) = (&question.path, &question.document) {
            let now = self.session.documents.get(path);
            if now.is_none_or(|now| now.version != asked.version) {
                return Readiness::Refuse(Refusal::TextIsGone);
            }
        }
        if self.due.is_some() {
            return Readiness::Wait;
        }
        if let (Some(path), Some(asked)) = (&question.path, &question.document) {
            let roots = self.roots.iter();
            let mut texts = roots.filter_map(|root| root.checked_text(path));
            if !texts.any(|source| source.text() == &*asked.text) {
                return Readiness::Refuse(Refusal::NotChecked);
            }
        }
        Readiness::Answer
    }
}

/// Nobody is there any more who could tell or ask anything.
struct Disconnected;

enum Readiness {
    Answer,
    Wait,
    Refuse(Refusal),
}
