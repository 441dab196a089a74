//! The driver by itself, with questions that no client can ask.

use super::root::{OpenFiles, Root};
use super::{Driver, Event, Question};
use crate::lsp::outbox::{Message, Outbox};
use crate::lsp::session::{ClientFacts, Session};
use crate::lsp::settings::Settings;
use crate::lsp::status::State;
use racelens_analysis::stop::{Stop, Stopped};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};

#[test]
fn a_question_that_panics_costs_itself_only() {
    let (events, received) = mpsc::channel();
    let session = Arc::new(Session::new(events));
    assert!(session.client.set(ClientFacts::default()).is_ok());
    let (outbox, mut messages) = Outbox::new();
    session.tell(Event::Start);
    for _ in 0..2 {
        session.tell(Event::Ask(Question::new(None, None, |_| {
            panic!("a bad day")
        })));
    }
    let (answer, answered) = mpsc::channel();
    session.tell(Event::Ask(Question::new(None, None, move |outcome| {
        let _ = answer.send(outcome.is_ok());
    })));
    let (told, driver_session) = (session.clone(), session.clone());
    let driver =
        std::thread::spawn(move || Driver::new(driver_session, outbox, None).run(&received));
    assert_eq!(answered.recv(), Ok(true));
    told.tell(Event::Shutdown);
    driver.join().expect("the driver ends well");
    let mut logged = Vec::new();
    let mut shown = Vec::new();
    let mut states = Vec::new();
    while let Ok(message) = messages.try_recv() {
        match message {
            Message::Log(_, text) => logged.push(text),
            Message::Show(_, text) => shown.push(text),
            Message::Status(status) => states.push(status.state),
            _ => {}
        }
    }
    // The user hears of it once.
    let text = "an internal error happened (a bad day); everything else goes on. Please report it, with what you did \
                before and the code that it is about";
    assert_eq!(shown, [text]);
    assert_eq!(logged, [text]);
    assert_eq!(states.last(), Some(&State::Failed));
}

#[test]
fn a_check_that_is_stopped_can_be_begun_again() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/demo");
    let mut root = Root::new(demo.into());
    let (settings, open) = (Settings::default(), OpenFiles::new());
    let loaded = root.load(&settings, &open, None, &AtomicBool::new(false), &|_| ());
    assert_eq!(loaded, Ok(()));
    let stop = Stop::from(Arc::new(AtomicBool::new(true)));
    assert_eq!(root.check(&settings, &stop), Err(Stopped));
    assert!(root.checked().is_none());
    assert_eq!(root.check(&settings, &Stop::default()), Ok(None));
    assert!(
        root.checked()
            .is_some_and(|checked| !checked.report.races.is_empty())
    );
}
