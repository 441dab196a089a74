//! A small program in a temporary directory, and reports about it.

use crate::temporary_folder::TemporaryFolder;
use racelens::project::Place;
use racelens::report::text::{Appearance, Shown, TextWriter};
use racelens::report::{
    Access, AccessKind, Call, Lock, PathBase, Race, Reason, Report, SearchBounds, Stats, Thread,
    Tier, TraceStep, TraceThread, Unlisted, Verified, VerifyVerdict, WitnessTrace,
};
use std::ops::Deref;
use std::sync::Arc;

pub struct Folder {
    folder: TemporaryFolder,
}

impl Deref for Folder {
    type Target = TemporaryFolder;

    fn deref(&self) -> &TemporaryFolder {
        &self.folder
    }
}

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Folder {
        Folder {
            folder: TemporaryFolder::new(files),
        }
    }

    pub fn base(&self) -> PathBase {
        PathBase::new(self.root())
    }

    /// Where `text` stands in the file for the first time.
    pub fn place(&self, name: &str, text: &str) -> Place {
        let content = std::fs::read_to_string(self.path(name)).unwrap();
        let offset = content
            .find(text)
            .unwrap_or_else(|| panic!("{name} has no {text:?}"));
        Place::at_offset(&self.path(name), &content, offset)
    }

    /// An access of `expression` where `text`, which begins with it, stands.
    pub fn access(&self, name: &str, text: &str, expression: &str, kind: AccessKind) -> Access {
        assert!(text.starts_with(expression));
        Access {
            place: self.place(name, text),
            length: expression.chars().count() as u32,
            kind,
            atomic: false,
            expression: expression.to_owned(),
            function: "main".to_owned(),
            thread: thread("main"),
            locks: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The text of a report as it is when it goes to no terminal.
    pub fn text(&self, report: &Report) -> String {
        self.text_with(report, Appearance::default(), Shown::default())
    }

    pub fn text_with(&self, report: &Report, appearance: Appearance, shown: Shown) -> String {
        TextWriter::new(appearance, self.base()).report(report, shown)
    }
}

pub fn thread(name: &str) -> Thread {
    Thread {
        name: name.to_owned(),
        many: false,
        started: None,
    }
}

pub fn lock(name: &str) -> Lock {
    Lock {
        name: name.to_owned(),
        shared: false,
        acquired: None,
    }
}

pub fn reason(kind: &str, text: &str) -> Reason {
    Reason {
        kind: kind.to_owned(),
        text: text.to_owned(),
        doubt: kind.starts_with("doubt"),
    }
}

pub fn race(id: &str, location: &str, accesses: Vec<Access>) -> Race {
    Race {
        id: id.to_owned(),
        tier: Tier::Possible,
        rank: 50,
        location: location.to_owned(),
        reasons: Vec::new(),
        accesses,
        unlisted: Unlisted::default(),
        benign_comments: Vec::new(),
        verified: None,
    }
}

pub fn report(races: Vec<Race>) -> Report {
    Report {
        races: Arc::new(races.into_iter().map(Arc::new).collect()),
        ..Report::default()
    }
}

const SERVER: &str = "\
#include \"conn.h\"

static void bump(struct conn *c) {
\tc->hits++;
}

static void handle(struct conn *c) {
\tbump(c);
}

void *worker(void *argument) {
\thandle(argument);
\treturn NULL;
}
";

const STATS: &str = "\
#include \"conn.h\"

int total(struct conn *c) {
    pthread_mutex_lock(&c->mu);
    int hits = c->hits;
    pthread_mutex_unlock(&c->mu);
    return hits;
}

void reset(struct conn *c) {
    c->hits = 0;
}
";

const MAIN: &str = "\
int main(void) {
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, worker, &shared);
    return total(&shared);
}
";

/// A counter that one function guards and two do not: all that a race can have.
pub fn counter() -> (Folder, Report) {
    let folder = Folder::new(&[
        ("src/server.c", SERVER),
        ("src/stats.c", STATS),
        ("main.c", MAIN),
    ]);
    let worker = Thread {
        name: "worker".to_owned(),
        many: true,
        started: Some(folder.place("main.c", "pthread_create")),
    };
    let call = |file: &str, text: &str| Call {
        function: text.split('(').next().unwrap().to_owned(),
        place: folder.place(file, text),
    };
    let write = Access {
        function: "bump".to_owned(),
        thread: worker.clone(),
        path: vec![
            call("src/server.c", "handle(argument)"),
            call("src/server.c", "bump(c);"),
        ],
        ..folder.access("src/server.c", "c->hits++", "c->hits", AccessKind::Write)
    };
    let read = Access {
        function: "total".to_owned(),
        locks: vec![Lock {
            name: "c->mu".to_owned(),
            shared: false,
            acquired: Some(folder.place("src/stats.c", "pthread_mutex_lock")),
        }],
        path: vec![call("main.c", "total(&shared)")],
        ..folder.access("src/stats.c", "c->hits;", "c->hits", AccessKind::Read)
    };
    let reset = Access {
        function: "reset".to_owned(),
        thread: worker,
        ..folder.access("src/stats.c", "c->hits = 0", "c->hits", AccessKind::Write)
    };
    let race = Race {
        rank: 87,
        reasons: vec![
            reason(
                "inferred_guard",
                "`conn.hits` is guarded by `conn.mu` in 7 of 8 accesses",
            ),
            reason(
                "doubt_initialisation",
                "`reset` looks like an initialisation before the threads run",
            ),
        ],
        ..race("a1b2c3d4e5f6", "conn.hits", vec![write, read, reset])
    };
    let report = Report {
        stats: Stats {
            units: 3,
            functions: 6,
            threads: 2,
            shared_locations: 1,
            accesses: 3,
            seconds: 0.25,
        },
        ..report(vec![race])
    };
    (folder, report)
}

/// An interleaving of two threads in which the second access of a race comes after a step of the first thread, while a
/// third thread does nothing.
pub fn witnessed(race: &mut Race) {
    let step = |thread: usize, access: &Access, text: &str, locks: &[&str]| TraceStep {
        thread,
        place: Some(access.place.clone()),
        function: access.function.clone(),
        text: text.to_owned(),
        value: None,
        moment: (0, 0, 0),
        source: Some(access.expression.clone()),
        locks: locks.iter().map(|lock| (*lock).to_owned()).collect(),
    };
    let thread = |entry: &str| TraceThread {
        entry: entry.to_owned(),
        is_harness: false,
        started: None,
    };
    let [first, second] = [&race.accesses[0], &race.accesses[1]];
    let trace = WitnessTrace {
        threads: vec![thread("main"), thread("idle"), thread("worker")],
        steps: vec![step(0, first, "takes guard", &[])],
        ends: vec![
            step(0, first, "writes x = 1", &["guard"]),
            step(2, second, "reads x = 0", &[]),
        ],
        assumptions: vec!["`rand` returns 1 in thread 0".to_owned()],
    };
    race.set_verified(Verified::Answered {
        verdict: VerifyVerdict::Witnessed(trace),
        bounds: SearchBounds::default(),
    });
}
