//! Broken and hostile text: nothing panics, and only what is broken is lost.

use racelens_analysis::db::FunctionKind;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::frontend::lex::lex;
use racelens_analysis::host::{Analysis, AnalysisHost, Change, UnitChange};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use ustr::Ustr;

const PROGRAM: &str = r#"# 1 "queue.c"
typedef struct node node_t;
struct node { node_t *next; void (*run)(void *arg, int flags); unsigned ready : 1; };
enum state { IDLE, BUSY = 3 };
static struct { node_t *head; enum state state; } queue = { .head = 0, .state = IDLE };
extern int lock(int *mutex), unlock(int *mutex);
static int mutex;

static void push(node_t *node)
{
  lock(&mutex);
  node->next = queue.head;
  queue.head = node;
  unlock(&mutex);
}

node_t *pop(void)
{
  node_t *first = ((void *)0);
  lock(&mutex);
  if (queue.head) {
    first = queue.head;
    queue.head = first->next;
  } else if (queue.state == BUSY) {
    queue.state = IDLE;
  }
  unlock(&mutex);
  return first;
}

int drain(int limit)
{
  int count = 0;
  for (node_t *node; count < limit && (node = pop()); count++) {
    switch (node->ready) {
    case 0: continue;
    default: node->run(node, (int)sizeof(node_t));
    }
  }
  return count ? count : -1;
}

int main(void) { push(&(node_t){ .ready = 1 }); return drain(5); }
"#;

/// What can happen to a text at one token.
const DAMAGES: &[&str] = &["delete", "(", ")", "{", "}", ";", "\"", "@", "else", "= ="];

fn host_with(text: &str) -> AnalysisHost {
    let mut host = AnalysisHost::default();
    apply(&mut host, text);
    host
}

fn apply(host: &mut AnalysisHost, text: &str) {
    let unit = UnitChange {
        path: Ustr::from("queue.c"),
        text: Some(Arc::from(text)),
        data_model: DataModel::LP64,
    };
    host.apply(Change { units: vec![unit] });
}

/// Each function's body as text; `None` if it has none.
fn bodies(analysis: &Analysis) -> BTreeMap<String, Option<String>> {
    let db = analysis.database();
    analysis
        .functions()
        .into_iter()
        .filter(|function| function.kind(db) == FunctionKind::Function)
        .map(|function| {
            let body = analysis
                .body(function)
                .map(|body| body.pretty().to_string());
            (function.name(db).to_string(), body)
        })
        .collect()
}

/// The text from a function's name to its closing brace.
fn function_ranges() -> Vec<(&'static str, Range<usize>)> {
    ["push", "pop", "drain", "main"]
        .into_iter()
        .map(|name| {
            let header = PROGRAM
                .lines()
                .find(|line| line.contains(&format!("{name}(")) && !line.starts_with(' '))
                .unwrap();
            let start = PROGRAM.find(header).unwrap();
            let end = if header.contains('}') {
                start + header.len()
            } else {
                start + PROGRAM[start..].find("\n}\n").unwrap() + 2
            };
            (name, start..end)
        })
        .collect()
}

fn damaged(token: Range<usize>, damage: &str) -> String {
    let insert = if damage == "delete" { "" } else { damage };
    let rest = if damage == "delete" {
        token.end
    } else {
        token.start
    };
    format!("{}{insert} {}", &PROGRAM[..token.start], &PROGRAM[rest..])
}

fn every_damage() -> impl Iterator<Item = (Range<usize>, &'static str, String)> {
    lex(PROGRAM).into_iter().flat_map(|token| {
        let range = token.start as usize..token.end as usize;
        DAMAGES
            .iter()
            .map(move |damage| (range.clone(), *damage, damaged(range.clone(), damage)))
    })
}

#[test]
fn an_error_inside_a_function_costs_no_other_function() {
    let ranges = function_ranges();
    let good = bodies(&host_with(PROGRAM).analysis());
    let mut failures = Vec::new();
    for (token, damage, text) in every_damage() {
        let Some((hit, _)) = ranges
            .iter()
            .find(|(_, range)| range.contains(&token.start))
        else {
            continue;
        };
        let found = bodies(&host_with(&text).analysis());
        for (name, body) in &good {
            if name != hit
                && found.get(name) != Some(body)
                && !excusable(token.start, damage, hit, name)
            {
                failures.push(format!(
                    "{damage} at `{}` in {hit} costs {name}",
                    &PROGRAM[token.clone()]
                ));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Some damage is no error, but another program: a changed header of a function that others call.
fn excusable(at: usize, _damage: &str, hit: &str, _name: &str) -> bool {
    let (_, range) = function_ranges()
        .into_iter()
        .find(|(name, _)| *name == hit)
        .unwrap();
    let header_end = range.start + PROGRAM[range.start..].find('{').unwrap();
    at <= header_end
}

#[test]
fn while_a_text_is_edited_every_function_keeps_a_body() {
    let mut host = host_with(PROGRAM);
    let good = bodies(&host.analysis());
    let mut failures = Vec::new();
    for (token, damage, text) in every_damage() {
        apply(&mut host, &text);
        let found = bodies(&host.analysis());
        let ranges = function_ranges();
        let hit = ranges
            .iter()
            .find(|(_, range)| range.contains(&token.start))
            .map(|(name, _)| *name);
        for name in good.keys() {
            let lost = !found.contains_key(name) || found[name].is_none();
            if lost && hit != Some(name) {
                failures.push(format!(
                    "{damage} at `{}` ({}) costs {name}",
                    &PROGRAM[token.clone()],
                    token.start
                ));
            }
        }
        apply(&mut host, PROGRAM);
        assert_eq!(
            bodies(&host.analysis()),
            good,
            "after {damage} at {token:?} was taken back"
        );
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn an_error_in_a_declaration_costs_no_function_that_does_not_mention_it() {
    for (token, damage, text) in every_damage() {
        if function_ranges()
            .iter()
            .any(|(_, range)| range.contains(&token.start))
        {
            continue;
        }
        let extended = format!("{text}\nint untouched(int *p)\n{{\n  return *p + 1;\n}}\n");
        let found = bodies(&host_with(&extended).analysis());
        assert!(
            found.get("untouched").is_some_and(Option::is_some),
            "{damage} at {token:?}: {extended}"
        );
    }
}

#[test]
fn text_that_is_nested_too_deeply_is_refused_with_a_note() {
    for (what, body) in [
        (
            "parentheses",
            format!("return {}1{};", "(".repeat(10_000), ")".repeat(10_000)),
        ),
        (
            "blocks",
            format!("{}{}", "{".repeat(10_000), "}".repeat(10_000)),
        ),
        (
            "else-ifs",
            format!("{} return 1;", "if (x) return 0; else ".repeat(10_000)),
        ),
        (
            "initialisers",
            format!(
                "int a[] = {}1{}; return 0;",
                "{".repeat(10_000),
                "}".repeat(10_000)
            ),
        ),
        ("casts", format!("return {}x;", "(int)".repeat(10_000))),
        ("negations", format!("return {}x;", "!".repeat(10_000))),
        ("sums", format!("return x{};", " + x".repeat(10_000))),
        (
            "conditionals",
            format!("return {}x;", "x ? x : ".repeat(10_000)),
        ),
        ("loops", format!("{} return 1;", "for (;;) ".repeat(10_000))),
        (
            "pointers",
            format!("int {}p; return 1;", "*".repeat(10_000)),
        ),
        (
            "sizeof",
            format!(
                "return {}1{};",
                "sizeof(char[".repeat(10_000),
                "])".repeat(10_000)
            ),
        ),
        (
            "calls",
            format!("return {}1{};", "f(".repeat(10_000), ")".repeat(10_000)),
        ),
        (
            "statement expressions",
            format!("return {}1;{};", "({".repeat(10_000), "})".repeat(10_000)),
        ),
        (
            "labels",
            format!(
                "if (x) {} return 1;",
                (0..10_000).map(|i| format!("l{i}:")).collect::<String>()
            ),
        ),
        ("unclosed", "(".repeat(10_000)),
    ] {
        let text = format!(
            "int before(void)\n{{\n  return 1;\n}}\nint deep(int x)\n{{\n{body}\n}}\nint after(void)\n{{\n  return 2;\n}}\n"
        );
        let host = host_with(&text);
        let analysis = host.analysis();
        let found = bodies(&analysis);
        assert!(
            found["before"].is_some() && found["after"].is_some(),
            "{what}: {:?}",
            found.keys()
        );
        let deep = analysis
            .functions()
            .into_iter()
            .find(|function| function.name(analysis.database()) == "deep");
        let error = deep.and_then(|deep| analysis.lowered(deep).error.clone());
        assert!(error.is_some(), "{what} is refused");
    }
}

#[test]
fn text_that_is_just_not_too_deep_is_lowered() {
    for (what, body) in [
        (
            "parentheses",
            format!("return {}1{};", "(".repeat(240), ")".repeat(240)),
        ),
        (
            "blocks",
            format!("{}x = 1;{} return x;", "{".repeat(240), "}".repeat(240)),
        ),
        (
            "else-ifs",
            format!("{} return 1;", "if (x) return 0; else ".repeat(1_900)),
        ),
        ("casts", format!("return {}x;", "(int)".repeat(5_900))),
        ("negations", format!("return {}x;", "!".repeat(5_900))),
        ("sums", format!("return x{};", " + x".repeat(5_900))),
        (
            "conditionals",
            format!("return {}x;", "x ? x : ".repeat(2_900)),
        ),
        ("loops", format!("{} return 1;", "while (x) ".repeat(2_900))),
        (
            "cases",
            format!(
                "switch (x) {{ {} return 1; }} return 0;",
                (0..9_000)
                    .map(|i| format!("case {i}: "))
                    .collect::<String>()
            ),
        ),
        (
            "statements",
            format!("{} return x;", "x = x + 1; ".repeat(20_000)),
        ),
    ] {
        let host = host_with(&format!("int deep(int x)\n{{\n{body}\n}}\n"));
        let analysis = host.analysis();
        let deep = analysis.functions()[0];
        assert_eq!(analysis.lowered(deep).error, None, "{what}");
    }
}

#[test]
fn types_that_contain_themselves_end() {
    for text in [
        "typedef T T; T f(T x) { return x; }",
        "struct s { struct s inner; int a; }; int f(struct s *p) { return p->a + p->inner.a; }",
        "struct a { struct b b; }; struct b { struct a a; }; int f(struct a *p) { return sizeof(*p); }",
        "struct s { int a[sizeof(struct s)]; }; int f(struct s *p) { return p->a[0]; }",
        "enum { A = B, B = A }; int f(void) { return A + B; }",
        "typedef U V; typedef V U; U f(V x) { return x; }",
        "int x[sizeof(y)]; int y[sizeof(x)]; int f(void) { return x[0] + y[0]; }",
        "__typeof__(v) v; int f(void) { return v; }",
    ] {
        let found = bodies(&host_with(text).analysis());
        assert!(found.contains_key("f"), "{text}");
    }
}

#[test]
fn a_typedef_may_mention_itself_behind_a_first_declaration() {
    let text = "typedef struct node node_t;\ntypedef struct node { node_t *next; int value; } node_t;\nint f(node_t *n) { return n->next->value; }\n";
    let found = bodies(&host_with(text).analysis());
    assert!(
        found["f"]
            .as_ref()
            .is_some_and(|body| body.contains("->value")),
        "{found:?}"
    );
    let host = host_with(text);
    assert!(host.analysis().syntax_problems(&|_| None).is_empty());
}

#[test]
fn any_bytes_are_only_text() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let alphabet: Vec<char> = "(){}[];:,.#\"'\\\n\t *&=+-<>?aA0_$é@`if int struct typedef while"
        .chars()
        .collect();
    for _ in 0..400 {
        let text: String = (0..200)
            .map(|_| {
                random = random
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                alphabet[(random >> 33) as usize % alphabet.len()]
            })
            .collect();
        bodies(&host_with(&text).analysis());
    }
}
