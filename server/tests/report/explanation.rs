//! What is known about a line, as text.

use crate::sample::{Folder, lock, thread};
use expect_test::expect;
use racelens::report::text::{Appearance, TextWriter};
use racelens::report::{
    AccessKind, Explanation, FunctionSummary, HeldLock, LineFact, Lock, LockOrigin, Outcome, Thread,
};

const QUEUE: &str = "\
int take(struct queue *q) {
    if (pthread_mutex_trylock(&q->mu) != 0)
        return 0;
    pthread_rwlock_rdlock(&config);
    q->count -= q->step;
    return 1;
}

void drain(struct queue *q) {
    take(q);
}
";

fn explained(folder: &Folder, explanation: &Explanation, width: Option<usize>) -> String {
    let appearance = Appearance {
        in_colour: false,
        width,
    };
    TextWriter::new(appearance, folder.base()).explanation(explanation)
}

fn fact(folder: &Folder, text: &str, expression: &str, kind: AccessKind) -> LineFact {
    let access = folder.access("queue.c", text, expression, kind);
    LineFact {
        place: access.place,
        length: access.length,
        kind,
        atomic: false,
        expression: access.expression,
        locks: Vec::new(),
        threads: Vec::new(),
        is_shared: true,
        races: Vec::new(),
        no_races: Vec::new(),
        remarks: Vec::new(),
    }
}

fn summary(folder: &Folder) -> FunctionSummary {
    FunctionSummary {
        name: "take".to_owned(),
        place: folder.place("queue.c", "take"),
        takes: Vec::new(),
        releases: Vec::new(),
        starts: Vec::new(),
        joins: Vec::new(),
        joined_handles: Vec::new(),
        threads: Vec::new(),
        returns_holding: Vec::new(),
        outcomes: Vec::new(),
    }
}

#[test]
fn accesses_show_their_locks_and_who_took_them() {
    let folder = Folder::new(&[("queue.c", QUEUE)]);
    let taken = |text: &str| LockOrigin::Here(vec![folder.place("queue.c", text)]);
    let held = |name: &str, shared, origin| HeldLock {
        name: name.to_owned(),
        shared,
        origin,
    };
    let worker = Thread {
        many: true,
        started: Some(folder.place("queue.c", "void drain")),
        ..thread("worker")
    };
    let write = LineFact {
        locks: vec![
            held("q->mu", false, taken("pthread_mutex_trylock")),
            held("config", true, taken("pthread_rwlock_rdlock")),
            held(
                "global",
                false,
                LockOrigin::EveryCaller(vec![folder.place("queue.c", "take(q)")]),
            ),
        ],
        threads: vec![thread("main"), worker.clone()],
        races: vec!["a1b2c3d4e5f6".to_owned()],
        ..fact(&folder, "q->count", "q->count", AccessKind::Write)
    };
    let read = LineFact {
        is_shared: false,
        remarks: vec!["`q->step` is never written".to_owned()],
        ..fact(&folder, "q->step", "q->step", AccessKind::Read)
    };
    let explanation = Explanation {
        lines: vec![write, read],
        summary: Some(FunctionSummary {
            takes: vec![Lock {
                acquired: Some(folder.place("queue.c", "pthread_mutex_trylock")),
                ..lock("q->mu")
            }],
            releases: vec![lock("global")],
            starts: vec![worker.clone()],
            joins: vec![thread("helper")],
            threads: vec![worker],
            outcomes: vec![
                Outcome {
                    result: "0".to_owned(),
                    holding: vec![],
                },
                Outcome {
                    result: "anything but 0".to_owned(),
                    holding: vec![lock("q->mu")],
                },
            ],
            ..summary(&folder)
        }),
    };
    expect![[r#"
        access: write of `q->count`
         --> queue.c:5:5
          |
        2 |     if (pthread_mutex_trylock(&q->mu) != 0)
          |         --------------------- `q->mu` is taken here
        3 |         return 0;
        4 |     pthread_rwlock_rdlock(&config);
          |     --------------------- `config` is taken here for reading
        5 |     q->count -= q->step;
          |     ^^^^^^^^ write, holding `q->mu`, `config` for reading and `global`
          |
          = note: `global` is held by every caller: queue.c:10:5
          = note: runs in thread `main`; thread `worker`, started at queue.c:9:1, several at once
          = warning: it is part of race a1b2c3d4e5f6: racelens check --explain a1b2c3d4e5f6

        access: read of `q->step`
         --> queue.c:5:17
          |
        5 |     q->count -= q->step;
          |                 ^^^^^^^ read, holding no lock
          |
          = note: only one thread can reach this memory
          = note: `q->step` is never written

        function `take` (queue.c:1:5)
          runs in thread `worker`, started at queue.c:9:1, several at once
          takes `q->mu` (queue.c:2:9)
          may release what it did not take: `global`
          may start thread `worker` at queue.c:9:1, several at once
          waits for thread `helper`
          if it returns 0: holding no lock
          if it returns anything but 0: holding `q->mu`
    "#]]
    .assert_eq(&explained(&folder, &explanation, None));
}

#[test]
fn a_function_without_effects_is_said_to_have_none() {
    let folder = Folder::new(&[("queue.c", QUEUE)]);
    let mut explanation = Explanation {
        lines: Vec::new(),
        summary: Some(summary(&folder)),
    };
    expect![[r#"
        function `take` (queue.c:1:5)
          no known thread runs it
          returns with the locks that it was called with
    "#]]
    .assert_eq(&explained(&folder, &explanation, None));
    let Some(function) = &mut explanation.summary else {
        unreachable!();
    };
    function.returns_holding = vec![lock("first_lock"), lock("second_lock")];
    expect![[r#"
        function `take` (queue.c:1:5)
          no known thread runs it
          returns holding `first_lock` and
            `second_lock`
    "#]]
    .assert_eq(&explained(&folder, &explanation, Some(40)));
}
