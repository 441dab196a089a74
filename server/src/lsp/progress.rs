//! Progress of long work, which the client shows and the user may stop.

use super::outbox::{Message, Outbox, PATIENCE};
use super::session::Session;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::Client;
use tower_lsp::ls_types::notification;
use tower_lsp::ls_types::{
    ProgressParams, ProgressParamsValue, ProgressToken, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressEnd, WorkDoneProgressReport,
};

/// The end of the one who works. The work is over when it is dropped.
pub struct Progress {
    steps: UnboundedSender<Step>,
    /// Set when the user does not want to wait any longer.
    pub stop: Arc<AtomicBool>,
    last_percentage: AtomicU64,
}

/// The end of the one who tells the client.
pub struct ProgressSession {
    work: Work,
    steps: UnboundedReceiver<Step>,
    stop: Arc<AtomicBool>,
    /// The client has asked for progress by this token, so that nothing has to be created.
    token: Option<ProgressToken>,
}

/// What takes so long.
#[derive(Clone, Copy)]
pub struct Work {
    pub title: &'static str,
    pub can_be_stopped: bool,
    /// Work that ends sooner is not worth a message.
    pub after: Duration,
}

struct Step {
    percentage: u32,
    message: String,
}

static NEXT_TOKEN: AtomicU64 = AtomicU64::new(1);

impl Progress {
    pub fn begin(outbox: &Outbox, work: Work) -> Progress {
        Progress::begin_as(outbox, work, None)
    }

    /// The client may have said by which token it wants to know.
    pub fn begin_as(outbox: &Outbox, work: Work, token: Option<ProgressToken>) -> Progress {
        let (sender, steps) = unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        outbox.send(Message::Progress(ProgressSession {
            work,
            steps,
            stop: stop.clone(),
            token,
        }));
        Progress {
            steps: sender,
            stop,
            last_percentage: AtomicU64::new(u64::MAX),
        }
    }

    /// May be called from several threads, and often: only whole percentages reach the client.
    pub fn step(&self, done: usize, total: usize, what: &str) {
        self.tell(done, total, || format!("{what}, {done} of {total}"));
    }

    /// As `step`, in other words.
    pub fn tell(&self, done: usize, total: usize, message: impl FnOnce() -> String) {
        let percentage = (done * 100 / total.max(1)).min(100) as u64;
        if self.last_percentage.swap(percentage, Ordering::Relaxed) != percentage {
            let _ = self.steps.send(Step {
                percentage: percentage as u32,
                message: message(),
            });
        }
    }
}

impl ProgressSession {
    pub async fn show(mut self, client: Client, session: Arc<Session>) {
        let facts = session.client.get();
        let is_wanted = facts.is_some_and(|facts| facts.shows_progress) || self.token.is_some();
        if !is_wanted || self.is_over_within(self.work.after).await {
            return;
        }
        let own = || {
            let number = NEXT_TOKEN.fetch_add(1, Ordering::Relaxed);
            ProgressToken::String(format!("racelens/{number}"))
        };
        let is_created = self.token.is_some();
        let token = self.token.take().unwrap_or_else(own);
        if self.work.can_be_stopped {
            session.stoppable.insert(token.clone(), self.stop.clone());
        }
        let created = async {
            let request = client.create_work_done_progress(token.clone());
            matches!(tokio::time::timeout(PATIENCE, request).await, Ok(Ok(())))
        };
        if is_created || created.await {
            self.tell(&client, &token).await;
        }
        session.stoppable.remove(&token);
    }

    async fn tell(&mut self, client: &Client, token: &ProgressToken) {
        let send = |value: WorkDoneProgress| {
            client.send_notification::<notification::Progress>(ProgressParams {
                token: token.clone(),
                value: ProgressParamsValue::WorkDone(value),
            })
        };
        send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title: self.work.title.to_owned(),
            cancellable: Some(self.work.can_be_stopped),
            message: None,
            percentage: Some(0),
        }))
        .await;
        while let Some(step) = self.steps.recv().await {
            send(WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: None,
                message: Some(step.message),
                percentage: Some(step.percentage),
            }))
            .await;
        }
        send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None })).await;
    }

    /// Steps that are made in the meantime are not shown.
    async fn is_over_within(&mut self, time: Duration) -> bool {
        let over = async { while self.steps.recv().await.is_some() {} };
        tokio::time::timeout(time, over).await.is_ok()
    }
}
