//! `racelens.verify`: looks for an interleaving that shows a race, in a thread of its own.

use super::asked::Asked;
use crate::lsp::driver::{NewAnswer, View};
use crate::lsp::outbox::Outbox;
use crate::lsp::progress::{Progress, Work};
use crate::races::VerificationJob;
use racelens_analysis::kiss::search::Bounds;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tower_lsp::ls_types::ProgressToken;

/// A search that is ready to begin.
pub struct Prepared {
    root: PathBuf,
    id: String,
    job: VerificationJob,
    budget: Duration,
}

const VERIFYING: Work = Work {
    title: "Looking for an interleaving",
    can_be_stopped: true,
    after: Duration::from_millis(200),
};
/// Stack for the thread that searches.
const STACK_BYTES: usize = 64 << 20;

/// Takes out of the program what the search needs, so that the program can change meanwhile.
pub fn prepare(view: &View<'_>, asked: &Asked) -> Result<Prepared, String> {
    let id = asked.race(view)?;
    let mut programs = view.programs();
    let program = programs.find(|program| program.race(&id).is_some());
    let program = program.ok_or_else(|| format!("there is no race {id} any more"))?;
    let job = program
        .check
        .verification_job(program.workspace, &id, Bounds::default())?;
    Ok(Prepared {
        root: program.root.to_owned(),
        id,
        job,
        budget: view.settings.verify_budget,
    })
}

impl Prepared {
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Searches in a thread of its own. `None` if the user has stopped it; it stops as well when nobody waits any more.
    pub async fn run(
        self,
        outbox: &Outbox,
        token: Option<ProgressToken>,
    ) -> Result<Option<NewAnswer>, String> {
        let progress = Progress::begin_as(outbox, VERIFYING, token);
        let stop = StopOnDrop(progress.stop.clone());
        let (send, received) = oneshot::channel();
        let search = move || {
            let answer = self.search(&progress);
            // Whoever waits for the answer may have gone.
            let _ = send.send(answer);
        };
        std::thread::Builder::new()
            .name("racelens search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(search)
            .map_err(|error| format!("no thread can be started: {error}"))?;
        let answer = received.await;
        drop(stop);
        answer.map_err(|_| "the search ended in an unexpected way".to_owned())
    }

    fn search(self, progress: &Progress) -> Option<NewAnswer> {
        let started = Instant::now();
        let whole_seconds = self.budget.as_secs();
        let stop = || {
            let passed = started.elapsed();
            let (done, total) = (
                passed.as_millis() as usize,
                self.budget.as_millis() as usize,
            );
            progress.tell(done, total, || {
                format!("{} of at most {whole_seconds} s", passed.as_secs())
            });
            passed >= self.budget || progress.stop.load(Ordering::Relaxed)
        };
        let race = self.job.run(&stop);
        (!progress.stop.load(Ordering::Relaxed)).then_some(NewAnswer {
            root: self.root,
            id: self.id,
            race,
        })
    }
}

/// A request that is cancelled is dropped, and with it the wish for an answer.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
