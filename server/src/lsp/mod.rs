//! The language server: what the analysis knows, in the editor.

mod backend;
mod capabilities;
mod document;
mod documentation;
mod driver;
mod file_uri;
mod framing;
mod handlers;
mod markdown;
mod open_documents;
mod ordered_service;
mod outbox;
mod position_encoding;
mod progress;
mod session;
mod settings;
mod status;
mod to_proto;
mod verification;

use crate::store::Store;
use backend::Backend;
use driver::{Driver, Event};
use ordered_service::OrderedService;
use outbox::Outbox;
use session::Session;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::{LspService, Server};

/// How the client and the server reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    StandardStreams,
    /// A port of this machine, which no other machine can reach. One connection is served.
    Tcp(u16),
}

/// Whether the client said good-bye before it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    AfterShutdown,
    Abrupt,
}

/// More requests than this at a time wait for others to be answered.
const MOST_REQUESTS: usize = 512;
/// Between what the client sends and the framework.
const PIPE_BYTES: usize = 1 << 16;
/// How long the driver may take to clean up.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves one client. What it reads is kept in the store for the next start.
pub fn run(transport: Transport, store: Option<Arc<Store>>) -> io::Result<Ending> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ending = runtime.block_on(async {
        match transport {
            Transport::StandardStreams => {
                Ok(serve_with(tokio::io::stdin(), tokio::io::stdout(), store).await)
            }
            Transport::Tcp(port) => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
                let listener = tokio::net::TcpListener::bind(address).await?;
                eprintln!("listening on {}", listener.local_addr()?);
                let (stream, _) = listener.accept().await?;
                let (input, output) = stream.into_split();
                Ok(serve_with(input, output, store).await)
            }
        }
    });
    // A thread may still wait for standard input, which nobody closes.
    runtime.shutdown_background();
    ending
}

/// Serves one client on these streams, until it goes, and keeps nothing.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite) -> Ending {
    serve_with(input, output, None).await
}

/// As `serve`. What is read is kept in the store for the next start.
pub async fn serve_with(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite,
    store: Option<Arc<Store>>,
) -> Ending {
    let (events, received) = mpsc::channel();
    let session = Arc::new(Session::new(events));
    let (outbox, messages) = Outbox::new();
    let driver_session = session.clone();
    let driver_outbox = outbox.clone();
    let driver = std::thread::Builder::new()
        .name("racelens driver".to_owned())
        .stack_size(driver::STACK_BYTES)
        .spawn(move || Driver::new(driver_session, driver_outbox, store).run(&received));
    let (service, socket) = LspService::build(|client| {
        tokio::spawn(outbox::deliver(messages, client.clone(), session.clone()));
        Backend::new(client, session.clone(), outbox.clone())
    })
    .custom_method("racelens/races", Backend::races)
    .custom_method("racelens/interleaving", Backend::interleaving)
    .custom_method(verification::CONTENT, Backend::content)
    .custom_method("window/workDoneProgress/cancel", Backend::stop_work)
    .finish();
    let ordered = OrderedService {
        inner: service,
        session: session.clone(),
        outbox,
    };
    let (checked_input, passed) = tokio::io::duplex(PIPE_BYTES);
    let serving = Server::new(checked_input, output, socket)
        .concurrency_level(MOST_REQUESTS)
        .serve(ordered);
    let passing = async {
        framing::pass_messages(input, passed).await;
        // The end of the input ends the server, which may still have answers to write.
        std::future::pending::<()>().await;
    };
    futures_util::future::select(pin!(serving), pin!(passing)).await;
    session.tell(Event::Shutdown);
    if let Ok(driver) = driver {
        // It removes its temporary files. If it is busy, they stay.
        let patience = Instant::now() + FAREWELL;
        while !driver.is_finished() && Instant::now() < patience {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    if session.was_shut_down.load(Ordering::Relaxed) {
        Ending::AfterShutdown
    } else {
        Ending::Abrupt
    }
}
