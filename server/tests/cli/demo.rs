//! The program that the README shows has deliberate races; they are what is found.

use crate::program::Program;
use expect_test::expect;

fn demo() -> Program {
    Program::built(&[
        ("cache.c", include_str!("../../../tests/demo/cache.c")),
        ("cache.h", include_str!("../../../tests/demo/cache.h")),
        ("main.c", include_str!("../../../tests/demo/main.c")),
    ])
}

/// What is raced on with the highest rank, and the two accesses.
#[test]
fn the_totals_that_are_read_without_their_lock_come_first() {
    let run = demo().run(&["check", "--min-rank", "60"]);
    assert_eq!((run.status, run.notes.as_str()), (1, ""));
    let is_shown = |line: &&str| {
        line.starts_with("warning") || line.contains("^ #") || line.contains("is taken here")
    };
    let shown: Vec<&str> = run
        .output
        .lines()
        .filter(is_shown)
        .map(without_id)
        .collect();
    expect![[r#"
        warning[race]: possible data race on `cache.lookups`
           |     ------------------ `cache->stats_lock` is taken here
           |     ^^^^^^^^^^^^^^ #1 write in thread `worker` (one of several), holding `cache->stats_lock`
           |            ^^^^^^^^^^^^^^ #2 read in thread `main`, holding no lock
        warning[race]: possible data race on `cache.misses`
           |     ------------------ `cache->stats_lock` is taken here
           |         ^^^^^^^^^^^^^ #1 write in thread `worker` (one of several), holding `cache->stats_lock`
           |                                     ^^^^^^^^^^^^^ #2 read in thread `main`, holding no lock
        warning[race]: possible data race on `cache.closing`
           |                          ^^^^^^^^^^^^^ #1 read in thread `worker` (one of several), holding no lock
           |     ^^^^^^^^^^^^^ #2 write in thread `main`, holding no lock"#]].assert_eq(&shown.join("\n"));
}

fn without_id(line: &str) -> &str {
    line.split(" [").next().unwrap_or(line)
}

#[test]
fn the_lock_of_the_totals_is_the_reason_why_they_do_not_race_elsewhere() {
    let run = demo().run(&["explain", "cache.c:52"]);
    expect![[r#"
        access: write of `cache->misses`
          --> cache.c:52:9
           |
        49 |     pthread_mutex_lock(&cache->stats_lock);
           |     ------------------ `cache->stats_lock` is taken here
        ...
        52 |         cache->misses++;
           |         ^^^^^^^^^^^^^ write, holding `cache->stats_lock`
           |
           = note: runs in thread `worker`, started at main.c:31:9, several at once
           = note: no race with the write at cache.c:30:5 and the read at main.c:39:56: no two threads get there at the same time
           = note: no race with itself in another thread: both hold `cache->stats_lock`
           = warning: it is part of race f81b21dbc5cd: racelens check --explain f81b21dbc5cd

        function `cache_get` (cache.c:36:5)
          runs in thread `worker`, started at main.c:31:9, several at once
          takes `cache->locks[index]` (cache.c:41:5) and `cache->stats_lock` (cache.c:49:5)
          returns with the locks that it was called with
    "#]].assert_eq(&run.output);
}
