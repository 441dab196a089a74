//! The text for people.

use crate::sample::counter;
use expect_test::expect;
use racelens::report::text::{Appearance, Shown};

#[test]
fn a_race_shows_both_accesses_with_threads_locks_and_reasons() {
    let (folder, report) = counter();
    expect![[r#"
        warning[race]: possible data race on `conn.hits` [a1b2c3d4e5f6] (rank 87)
         --> src/server.c:4:2
          |
        4 |     c->hits++;
          |     ^^^^^^^ #1 write in thread `worker` (one of several), holding no lock
          |
         ::: src/stats.c:4:5
          |
        4 |     pthread_mutex_lock(&c->mu);
          |     ------------------ `c->mu` is taken here
        5 |     int hits = c->hits;
          |                ^^^^^^^ #2 read in thread `main`, holding `c->mu`
          |
          = note: #1 runs in thread `worker`, started at main.c:3:9, several at once
                  worker → handle (src/server.c:12:2) → bump (src/server.c:8:2)
          = note: #2 runs in thread `main`
                  main → total (main.c:4:12)
          = note: 1 other access has the same cause: write at src/stats.c:11:5
          = note: `conn.hits` is guarded by `conn.mu` in 7 of 8 accesses
          = doubt: `reset` looks like an initialisation before the threads run

        1 possible data race
        3 translation units, 6 functions, 2 threads, 1 shared location, 3 accesses, 0.25 s
        for all accesses and whole call paths of a race: racelens check --explain a1b2c3d4e5f6
    "#]]
    .assert_eq(&folder.text(&report));
}

#[test]
fn in_full_every_access_is_shown_and_no_summary() {
    let (folder, report) = counter();
    let shown = Shown {
        in_full: true,
        ..Shown::default()
    };
    expect![[r#"
        warning[race]: possible data race on `conn.hits` [a1b2c3d4e5f6] (rank 87)
          --> src/server.c:4:2
           |
         4 |     c->hits++;
           |     ^^^^^^^ #1 write in thread `worker` (one of several), holding no lock
           |
          ::: src/stats.c:4:5
           |
         4 |     pthread_mutex_lock(&c->mu);
           |     ------------------ `c->mu` is taken here
         5 |     int hits = c->hits;
           |                ^^^^^^^ #2 read in thread `main`, holding `c->mu`
        ...
        11 |     c->hits = 0;
           |     ^^^^^^^ #3 write in thread `worker` (one of several), holding no lock
           |
           = note: #1 runs in thread `worker`, started at main.c:3:9, several at once
                   worker → handle (src/server.c:12:2) → bump (src/server.c:8:2)
           = note: #2 runs in thread `main`
                   main → total (main.c:4:12)
           = note: #3 runs in thread `worker`, started at main.c:3:9, several at once
           = note: `conn.hits` is guarded by `conn.mu` in 7 of 8 accesses
           = doubt: `reset` looks like an initialisation before the threads run

    "#]]
    .assert_eq(&folder.text_with(&report, Appearance::default(), shown));
}
