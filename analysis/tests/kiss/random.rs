//! Random small programs: the search finds exactly what trying every interleaving finds.

use super::harness::{ANY_RACE, Small};
use racelens_analysis::kiss::schedule::{Goal, Position};
use racelens_analysis::kiss::search::{Bounds, Targets};
use std::collections::BTreeSet;

/// `RACELENS_KISS_PROGRAMS=5000` asks for more.
fn how_many() -> u64 {
    let asked = std::env::var("RACELENS_KISS_PROGRAMS").ok();
    asked.and_then(|asked| asked.parse().ok()).unwrap_or(60)
}

/// A small generator of numbers that is the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len() as u64) as usize]
    }
}

const VARIABLES: &[&str] = &["x", "y", "z"];
const LOCKS: &[&str] = &["m", "n"];

fn statement(numbers: &mut Numbers, depth: u32) -> String {
    let variable = numbers.pick(VARIABLES);
    match numbers.below(if depth > 1 { 5 } else { 9 }) {
        0 => format!("{variable} = {};", numbers.below(3)),
        1 => format!("{variable}++;"),
        2 => format!("local = {variable};"),
        3 => format!("assert({variable} != {});", 1 + numbers.below(3)),
        4 => format!(
            "__atomic_fetch_add(&c, 1, 5); if (c == {}) {variable} = 1;",
            numbers.below(3)
        ),
        5 | 6 => {
            let lock = numbers.pick(LOCKS);
            let inner = statement(numbers, depth + 1);
            format!("pthread_mutex_lock(&{lock}); {inner} pthread_mutex_unlock(&{lock});")
        }
        7 => {
            let inner = statement(numbers, depth + 1);
            format!("if ({variable} == {}) {{ {inner} }}", numbers.below(2))
        }
        _ => {
            let lock = numbers.pick(LOCKS);
            let inner = statement(numbers, depth + 1);
            format!(
                "if (pthread_mutex_trylock(&{lock}) == 0) {{ {inner} pthread_mutex_unlock(&{lock}); }}"
            )
        }
    }
}

fn program(seed: u64) -> String {
    let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let body = |numbers: &mut Numbers| {
        let count = 1 + numbers.below(3);
        let statements: Vec<String> = (0..count).map(|_| statement(numbers, 0)).collect();
        statements.join("\n    ")
    };
    let (first, second) = (body(&mut numbers), body(&mut numbers));
    let main = statement(&mut numbers, 1);
    let join = ["pthread_join(s, 0);", ""][numbers.below(2) as usize];
    format!(
        "static pthread_mutex_t m, n; static int x, y, z; static _Atomic int c;
static void *one(void *a) {{ int local = 0;
    {first}
    return local ? a : 0; }}
static void *two(void *a) {{ int local = 0;
    {second}
    return local ? a : 0; }}
int main(void) {{ int local = 0; pthread_t s, t;
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    {join}
    {main}
    pthread_join(t, 0); return local; }}"
    )
}

#[test]
fn the_search_finds_what_every_interleaving_finds() {
    let mut compared = 0;
    let mut with_races = 0;
    for seed in 1..=how_many() {
        let text = program(seed);
        let small = Small::new(&text);
        let all = small.everything(200_000);
        if !all.complete {
            continue;
        }
        compared += 1;
        with_races += u64::from(!all.races.is_empty());
        let targets = Targets {
            assertions: true,
            ..ANY_RACE
        };
        let bounds = Bounds {
            switches: 30,
            ..Bounds::default()
        };
        for found in [
            small.verify_deep(&targets, bounds),
            small.verify_everywhere(&targets, bounds),
        ] {
            assert!(
                found.outcome.complete,
                "seed {seed}: {:?}\n{text}",
                found.outcome
            );
            let mut races: BTreeSet<(Position, Position)> = BTreeSet::new();
            let mut failed: BTreeSet<Position> = BTreeSet::new();
            for witnessed in &found.witnessed {
                match witnessed.witness.goal {
                    Goal::Race { first, second } => {
                        races.insert((first.1.min(second.1), first.1.max(second.1)));
                    }
                    Goal::Assertion { at, .. } => {
                        failed.insert(at);
                    }
                }
            }
            assert_eq!(races, all.races, "seed {seed}\n{text}");
            assert_eq!(failed, all.failed_assertions, "seed {seed}\n{text}");
        }
    }
    assert!(
        compared * 10 >= how_many() * 9,
        "only {compared} programs were small enough"
    );
    assert!(
        with_races * 4 >= compared,
        "only {with_races} of {compared} programs race"
    );
}
