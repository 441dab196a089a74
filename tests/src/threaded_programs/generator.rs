//! Random small programs with threads, so small that every interleaving can be tried.

use crate::random::Random;

/// The last one is rare, so that threads often meet.
const VARIABLES: &[&str] = &["x", "y", "x", "y", "z"];
const LOCKS: &[&str] = &["m", "n"];

fn statement(random: &mut Random, depth: u32) -> String {
    let variable = random.pick(VARIABLES);
    match random.below(if depth > 1 { 7 } else { 12 }) {
        0 => format!("{variable} = {};", random.below(3)),
        1 => format!("{variable}++;"),
        2 => format!("local = {variable};"),
        3 => format!("assert({variable} != {});", 1 + random.below(2)),
        4 => format!(
            "__atomic_fetch_add(&c, 1, 5); if (c == {}) {variable} = 1;",
            random.below(3)
        ),
        5 => format!("add(&{variable});"),
        6 => random
            .pick(&["sem_post(&sem);", "sem_wait(&sem);"])
            .to_owned(),
        7 | 8 => {
            let lock = random.pick(LOCKS);
            let inner = statement(random, depth + 1);
            format!("pthread_mutex_lock(&{lock}); {inner} pthread_mutex_unlock(&{lock});")
        }
        9 => {
            let inner = statement(random, depth + 1);
            format!("if ({variable} == {}) {{ {inner} }}", random.below(2))
        }
        10 => {
            let inner = statement(random, depth + 1);
            format!("for (int turn = 0; turn < 2; turn++) {{ {inner} }}")
        }
        _ => {
            let lock = random.pick(LOCKS);
            let inner = statement(random, depth + 1);
            format!(
                "if (pthread_mutex_trylock(&{lock}) == 0) {{ {inner} pthread_mutex_unlock(&{lock}); }}"
            )
        }
    }
}

/// How large a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// One thread with a statement or two, beside the first one.
    Tiny,
    /// Two threads with a statement or two each, beside the first one.
    Small,
    /// A few statements each.
    Usual,
}

/// Three threads that share variables, locks and a semaphore.
pub fn program(seed: u64, size: Size) -> String {
    let mut random = Random::new(seed);
    let body = |random: &mut Random, most: usize| {
        let count = 1 + random.below(most);
        let statements: Vec<String> = (0..count).map(|_| statement(random, 0)).collect();
        statements.join("\n    ")
    };
    let (first, second, main) = match size {
        Size::Tiny => {
            let first = body(&mut random, 2);
            (first, String::new(), statement(&mut random, 1))
        }
        Size::Small => {
            let first = body(&mut random, 2);
            let second = match random.one_in(2) {
                true => statement(&mut random, 0),
                false => body(&mut random, 2),
            };
            let main = match random.one_in(2) {
                true => statement(&mut random, 2),
                false => String::new(),
            };
            (first, second, main)
        }
        Size::Usual => (
            body(&mut random, 3),
            body(&mut random, 3),
            statement(&mut random, 1),
        ),
    };
    let join = match size != Size::Tiny && random.one_in(2) {
        true => "pthread_join(s, 0);",
        false => "",
    };
    let start = |thread: &str, entry: &str| format!("pthread_create(&{thread}, 0, {entry}, 0);");
    let (starts, last) = match size {
        Size::Tiny => (start("s", "one"), ""),
        Size::Small | Size::Usual => (
            start("s", "one") + &start("t", "two"),
            "pthread_join(t, 0);",
        ),
    };
    format!(
        "static pthread_mutex_t m, n; static sem_t sem; static int x, y, z; static _Atomic int c;
static void add(int *p) {{ int old = *p, *copy = &old; *p = *copy + 1; }}
static void *one(void *a) {{ int local = 0;
    {first}
    return local ? a : 0; }}
static void *two(void *a) {{ int local = 0;
    {second}
    return local ? a : 0; }}
int main(void) {{ int local = 0; pthread_t s, t; sem_init(&sem, 0, 1);
    {starts}
    {join}
    {main}
    {last} return local; }}"
    )
}
