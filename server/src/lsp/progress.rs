//! Progress of long work, which the client shows and the user can stop.

use super::outbox::{Message, Outbox, PATIENCE};
use super::session::Session;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::Client;
use tower_lsp::ls_types::ProgressToken;

/// The end of the one who works. The work is over when it is dropped.
pub struct Progress {
    steps: UnboundedSender<Step>,
    /// Set when the user does not want to wait any longer.
    pub stop: Arc<AtomicBool>,
    last_percentage: AtomicU64,
}

/// The end of the one who tells the client.
pub struct ProgressSession {
    title: &'static str,
    steps: UnboundedReceiver<Step>,
    stop: Arc<AtomicBool>,
    /// Work that ends sooner is not worth a message.
    after: Duration,
}

struct Step {
    percentage: u32,
    message: String,
}

static NEXT_TOKEN: AtomicU64 = AtomicU64::new(1);

impl Progress {
    pub fn begin(outbox: &Outbox, title: &'static str, after: Duration) -> Progress {
        let (sender, steps) = unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        outbox.send(Message::Progress(ProgressSession {
            title,
            steps,
            stop: stop.clone(),
            after,
        }));
        Progress {
            steps: sender,
            stop,
            last_percentage: AtomicU64::new(u64::MAX),
        }
    }

    /// May be called from several threads, and often: only whole percentages reach the client.
    pub fn step(&self, done: usize, total: usize, what: &str) {
        let percentage = (done * 100 / total.max(1)) as u64;
        if self.last_percentage.swap(percentage, Ordering::Relaxed) != percentage {
            let _ = self.steps.send(Step {
                percentage: percentage as u32,
                message: format!("{what}, {done} of {total}"),
            });
        }
    }
}

impl ProgressSession {
    pub async fn show(mut self, client: Client, session: Arc<Session>) {
        let is_wanted = session
            .client
            .get()
            .is_some_and(|facts| facts.shows_progress);
        if !is_wanted || self.is_over_within(self.after).await {
            return;
        }
        let number = NEXT_TOKEN.fetch_add(1, Ordering::Relaxed);
        let name = format!("racelens/{number}");
        let token = ProgressToken::String(name.clone());
        session.stoppable.insert(name.clone(), self.stop.clone());
        let created = client.create_work_done_progress(token.clone());
        if let Ok(Ok(())) = tokio::time::timeout(PATIENCE, created).await {
            let progress = client
                .progress(token, self.title)
                .with_percentage(0)
                .with_cancel_button();
            let shown = progress.begin().await;
            while let Some(step) = self.steps.recv().await {
                shown
                    .report_with_message(step.message, step.percentage, None)
                    .await;
            }
            shown.finish().await;
        }
        session.stoppable.remove(&name);
    }

    /// Steps that are made in the meantime are not shown.
    async fn is_over_within(&mut self, time: Duration) -> bool {
        let over = async { while self.steps.recv().await.is_some() {} };
        tokio::time::timeout(time, over).await.is_ok()
    }
}
