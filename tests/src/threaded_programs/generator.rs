//! Random small programs with threads, so small that every interleaving can be tried.

use crate::random::Random;

const VARIABLES: &[&str] = &["x", "y", "z"];
const LOCKS: &[&str] = &["m", "n"];

fn statement(random: &mut Random, depth: u32) -> String {
    let variable = random.pick(VARIABLES);
    match random.below(if depth > 1 { 7 } else { 12 }) {
        0 => format!("{variable} = {};", random.below(3)),
        1 => format!("{variable}++;"),
        2 => format!("local = {variable};"),
        3 => format!("assert({variable} != {});", 1 + random.below(3)),
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

/// Three threads, a few statements each.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let body = |random: &mut Random| {
        let count = 1 + random.below(3);
        let statements: Vec<String> = (0..count).map(|_| statement(random, 0)).collect();
        statements.join("\n    ")
    };
    let (first, second) = (body(&mut random), body(&mut random));
    let main = statement(&mut random, 1);
    let join = ["pthread_join(s, 0);", ""][random.below(2)];
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
    pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);
    {join}
    {main}
    pthread_join(t, 0); return local; }}"
    )
}
