//! Edits a project over and over, and compares after each.

use super::comparison::{Questions, compare};
use super::kind::EditKind;
use super::session::Session;
use super::state::State;
use crate::random::Random;
use racelens::store::Store;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub struct Run {
    pub seed: u64,
    pub edits: u64,
    /// Nothing is compared before the edit with this number, to get quickly to one that is known.
    pub from: u64,
    /// No edit begins when it is over.
    pub budget: Duration,
}

/// An edit after which something else was said than by who reads the project anew.
pub struct Disagreement {
    pub edit: u64,
    pub kind: &'static str,
    /// The file that was edited, from the project's folder.
    pub file: PathBuf,
    pub difference: String,
    /// Whether this edit alone leads there, without those before it.
    pub is_alone: bool,
}

#[derive(Default)]
pub struct Outcome {
    /// How many edits of each kind were made and compared.
    pub compared: BTreeMap<&'static str, u64>,
    /// After how many of these something did not parse.
    pub broken: u64,
    pub disagreements: Vec<Disagreement>,
}

/// After how many disagreements nothing new is to be expected.
const MOST_DISAGREEMENTS: usize = 5;

/// How many states are remembered, to go back to.
const REMEMBERED: usize = 12;

/// How many edits something may not parse before it is mended.
const MOST_BROKEN: usize = 8;

/// How many edits one state may be away from the last one in which everything parsed; then both sides begin with it.
const MOST_REPEATED: usize = 24;

/// On how many threads who reads the project anew does so, in turn.
const THREADS: [usize; 3] = [1, 4, 2];

/// Room for what the preprocessor has said.
const STORE_BYTES: u64 = 256 << 20;

/// A project while it is edited.
struct Course {
    random: Random,
    session: Session,
    first: State,
    now: State,
    earlier: Vec<State>,
    /// The last state in which everything parsed, and how many edits ago that was.
    whole: State,
    broken: usize,
    /// Where who reads the project anew begins, and the states since then.
    begin: State,
    since: Vec<State>,
    store: Arc<Store>,
    _kept: TempDir,
}

impl Run {
    /// Edits a project that lies on the disk as the state says. Tells `watch` the number and the kind of each edit.
    pub fn run(
        &self,
        first: &State,
        watch: &mut dyn FnMut(u64, EditKind, &Path),
    ) -> Result<Outcome, String> {
        let started = Instant::now();
        let mut course = Course::new(first, self.seed)?;
        let mut outcome = Outcome::default();
        for edit in 0..self.edits {
            if started.elapsed() >= self.budget || outcome.disagreements.len() >= MOST_DISAGREEMENTS
            {
                break;
            }
            let Some((kind, next, file)) = course.next_state() else {
                continue;
            };
            watch(edit, kind, &file);
            let before = course.go_to(next)?;
            let threads = THREADS[edit as usize % THREADS.len()];
            let anew = course.read_anew(threads)?;
            if edit < self.from {
                continue;
            }
            let anew = course.checked(anew, threads)?;
            let mut random = Random::new(self.seed ^ (edit << 20));
            let questions = Questions::new(&before, &course.now, &file, &mut random);
            *outcome.compared.entry(kind.word()).or_default() += 1;
            outcome.broken += u64::from(course.broken > 0);
            if let Err(difference) = compare(&course.session, &anew, &questions) {
                let is_alone = course.differs_alone(&before, &anew, &questions)?;
                let file = file.strip_prefix(&first.root).unwrap_or(&file);
                outcome.disagreements.push(Disagreement {
                    edit,
                    kind: kind.word(),
                    file: file.to_owned(),
                    difference,
                    is_alone,
                });
                // Otherwise it would be found again and again.
                course.begin_here()?;
            }
        }
        Ok(outcome)
    }
}

impl Course {
    fn new(first: &State, seed: u64) -> Result<Course, String> {
        let mut session = Session::load(first, None, None)?;
        session.check_again();
        let kept = tempfile::tempdir().map_err(|error| error.to_string())?;
        let store = Store::open(kept.path(), STORE_BYTES).map_err(|error| error.to_string())?;
        Ok(Course {
            store: Arc::new(store),
            _kept: kept,
            random: Random::new(seed),
            session,
            first: first.clone(),
            now: first.clone(),
            earlier: Vec::new(),
            whole: first.clone(),
            broken: 0,
            begin: first.clone(),
            since: Vec::new(),
        })
    }

    /// What comes next: an edit, or a state that was there before.
    fn next_state(&mut self) -> Option<(EditKind, State, PathBuf)> {
        let broken = self.broken;
        let random = &mut self.random;
        if broken > 0 && (broken >= MOST_BROKEN || random.one_in(4)) {
            let whole = self.whole.clone();
            return self.gone_back(EditKind::Mending, whole);
        }
        if random.one_in(40) {
            let first = self.first.clone();
            return self.gone_back(EditKind::Undoing, first);
        }
        if random.one_in(9) && !self.earlier.is_empty() {
            // The last one most often.
            let ago = match random.one_in(2) {
                true => 0,
                false => random.below(self.earlier.len()),
            };
            let state = self.earlier[self.earlier.len() - 1 - ago].clone();
            return self.gone_back(EditKind::Undoing, state);
        }
        for _ in 0..20 {
            let kind = EditKind::FORWARD[random.below(EditKind::FORWARD.len())];
            if let Some((state, file)) = kind.apply(&self.now, random) {
                return Some((kind, state, file));
            }
        }
        None
    }

    fn gone_back(&self, kind: EditKind, state: State) -> Option<(EditKind, State, PathBuf)> {
        let changed = state.changed_on_disk(&self.now);
        let in_editor = state.changed_in_editor(&self.now);
        let file = changed.into_iter().chain(in_editor).next()?;
        Some((kind, state, file))
    }

    /// Makes an edit as who edits the project does; returns the state before it.
    fn go_to(&mut self, next: State) -> Result<State, String> {
        next.write_after(&self.now)
            .map_err(|error| error.to_string())?;
        self.session.update(&self.now, &next);
        self.session.check_again();
        let before = std::mem::replace(&mut self.now, next);
        self.earlier.push(before.clone());
        if self.earlier.len() > REMEMBERED {
            self.earlier.remove(0);
        }
        self.since.push(self.now.clone());
        if self.since.len() > MOST_REPEATED {
            self.begin_here()?;
        }
        Ok(before)
    }

    /// Running the preprocessor takes most of the time, so that it does so for all files only where one thread reads.
    fn store(&self, threads: usize) -> Option<Arc<Store>> {
        (threads > 1).then(|| self.store.clone())
    }

    /// The project as it is now, read anew.
    fn read_anew(&mut self, threads: usize) -> Result<Session, String> {
        let anew = Session::load(&self.now, Some(threads), self.store(threads))?;
        if anew.syntax_notes().is_empty() && !anew.keeps_something() {
            self.whole = self.now.clone();
            self.broken = 0;
            self.begin = self.now.clone();
            self.since.clear();
        } else {
            self.broken += 1;
        }
        Ok(anew)
    }

    /// The same for somebody who knows what parsed last, and nothing else, and checked.
    ///
    /// What does not parse is there as it was when it did. Who reads broken text has never seen that, so that the way to
    /// it begins with the last text in which everything parses.
    fn checked(&self, mut anew: Session, threads: usize) -> Result<Session, String> {
        if !self.since.is_empty() {
            self.begin
                .write_after(&self.now)
                .map_err(|error| error.to_string())?;
            anew = Session::load(&self.begin, Some(threads), self.store(threads))?;
            let mut before = &self.begin;
            for state in &self.since {
                state
                    .write_after(before)
                    .map_err(|error| error.to_string())?;
                anew.update(before, state);
                before = state;
            }
        }
        anew.check_anew();
        Ok(anew)
    }

    /// Whether the last edit makes a difference also to somebody who has read the project just before it.
    fn differs_alone(
        &self,
        before: &State,
        anew: &Session,
        questions: &Questions,
    ) -> Result<bool, String> {
        let written = |error: std::io::Error| error.to_string();
        before.write_after(&self.now).map_err(written)?;
        let mut session = Session::load(before, None, None)?;
        session.check_again();
        self.now.write_after(before).map_err(written)?;
        session.update(before, &self.now);
        session.check_again();
        Ok(compare(&session, anew, questions).is_err())
    }

    /// Forgets all that was before.
    fn begin_here(&mut self) -> Result<(), String> {
        self.session = Session::load(&self.now, None, None)?;
        self.session.check_again();
        self.begin = self.now.clone();
        self.since.clear();
        Ok(())
    }
}
