//! Functions that say the same under other names of their own: the solution is renamed, and is what solving again gives.

use crate::harness::constraints_of;
use racelens_analysis::ir::{Body, Callee, FunctionRef, Operand, Statement};
use racelens_analysis::points_to::{Constraints, PointsTo, SaidAgain, solve, solve_for_edits};
use std::collections::HashMap;
use std::sync::Arc;

const TEXT: &str = "
struct node { struct node *next; int *value; } *list; int a, b;
static void *make(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }
static void one(int *p) { *p = 1; }
static void two(int *p) { *p = 2; }
static void (*call)(int *);
void f(int which) {
    int local = 0;
    /* here */
    struct node *made = make(sizeof *made);
    made->value = which ? &a : &local;
    made->next = list;
    list = made;
    call = which ? one : two;
    call(made->value);
    probe(made); probe(made->value); probe(&local); probe(\"text\");
}
void g(void) { list->next->value = &b; call(&b); probe(list); probe(list->value); }
";

type Program = Vec<(Arc<Body>, Arc<Constraints>)>;

fn read(text: &str) -> Program {
    let functions = constraints_of(text).into_iter();
    functions
        .map(|(body, said)| (body, Arc::new(said)))
        .collect()
}

fn named(program: &Program) -> Vec<(FunctionRef, Arc<Constraints>)> {
    let functions = program.iter();
    functions
        .map(|(body, said)| (body.function, said.clone()))
        .collect()
}

/// The functions of a program that a name means.
fn resolve(program: &Program) -> impl Fn(FunctionRef) -> Vec<FunctionRef> {
    let names = named(program).into_iter().map(|(name, _)| name);
    let names: Vec<FunctionRef> = names.collect();
    move |asked| {
        let known = names.iter().copied();
        known.filter(|name| *name == asked).collect()
    }
}

fn solved(program: &Program) -> PointsTo {
    solve(&named(program), &resolve(program))
}

/// The functions that say something else.
fn changed<'p>(before: &'p Program, now: &'p Program) -> Vec<SaidAgain<'p>> {
    let pairs = before.iter().zip(now);
    pairs
        .filter(|((_, old), (_, new))| old != new)
        .map(|((_, old), (body, new))| (body.function, old, new))
        .collect()
}

/// What is said of every operand and call of the program, where classes have letters in the order in which they come.
fn described(program: &Program, solution: &PointsTo) -> Vec<String> {
    let mut numbers = HashMap::new();
    let mut lines = Vec::new();
    for (body, _) in program {
        for (id, statement) in body.statements() {
            let Statement::Call {
                callee, arguments, ..
            } = statement
            else {
                continue;
            };
            if let Callee::Indirect(_) = callee {
                lines.push(format!("{:?}", solution.call_targets(body.function, id)));
            }
            let pointers: Vec<&Operand> = arguments.iter().collect();
            for pointer in pointers {
                let class = solution.pointee(body.function, pointer);
                let next = numbers.len();
                let number = class.map(|class| *numbers.entry(class).or_insert(next));
                let objects = class.map(|class| solution.objects(class));
                lines.push(format!("{number:?} {objects:?}"));
            }
        }
    }
    lines
}

#[test]
fn what_has_other_names_only_is_not_solved_again() {
    let before = read(TEXT);
    let solution = solved(&before);
    for statement in [
        "{ int edited = 1; (void)edited; }",
        "if (which > 2) { which = which + 1; }",
        "unknown();",
    ] {
        let now = read(&TEXT.replace("/* here */", statement));
        let changed = changed(&before, &now);
        assert!(!changed.is_empty(), "{statement}");
        match solution.renamed(&changed) {
            Some((renamed, _)) => {
                assert_eq!(
                    described(&now, &renamed),
                    described(&now, &solved(&now)),
                    "{statement}"
                );
            }
            // One call more is something else.
            None => assert_eq!(statement, "unknown();"),
        }
    }
}

#[test]
fn what_follows_from_the_rest_is_not_solved_again() {
    let before = read(TEXT);
    for (statement, settles) in [
        ("list = list->next;", true),
        ("call(list->value);", true),
        ("list = make(16);", true),
        ("probe(\"another text\");", true),
        ("int *alone = make(4); *alone = 1;", false),
        ("list->value = (int *)list;", false),
        ("unknown(&local);", true),
    ] {
        let now = read(&TEXT.replace("/* here */", statement));
        // It makes no difference that it comes, nor that it goes again.
        for (before, now) in [(&before, &now), (&now, &before)] {
            let resolve = resolve(now);
            let solution = solve_for_edits(&named(before), &resolve, None);
            let all = || now.iter().map(|(_, said)| said.clone()).collect();
            let standing = solution.standing_after(&changed(before, now), &all, &resolve);
            assert!(standing.is_err() || settles, "{statement}");
            match standing {
                Ok((standing, _)) => assert_eq!(
                    described(now, &standing),
                    described(now, &solved(now)),
                    "{statement}"
                ),
                Err(_) => assert!(!settles, "{statement}"),
            }
        }
    }
}
