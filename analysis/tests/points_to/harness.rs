//! Small C programs, and what their pointers point to in words.

use expect_test::Expect;
use racelens_analysis::db::unit_environment;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::frontend::lower::Environment;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::ir::{Body, Callee, FunctionRef, Statement};
use racelens_analysis::models::Models;
use racelens_analysis::points_to::{
    Class, Constraints, Object, PointsTo, constraints_with_layouts, disagreement, solve,
};
use std::collections::HashMap;
use std::sync::Arc;
use ustr::Ustr;

/// `probe(p)` prints what `p` points to: a letter for the class, the objects in it, whether it is
/// shared, and where its pointers lead. An indirect call prints the functions that it may call.
pub fn check(text: &str, expected: Expect) {
    let (bodies, solution) = analyse(text);
    let said: HashMap<FunctionRef, Constraints> = constraints_of(text)
        .into_iter()
        .map(|(body, said)| (body.function, said))
        .collect();
    let mut lines = Vec::new();
    let mut letters: Vec<Class> = Vec::new();
    for body in &bodies {
        let name = body.function.name;
        for (id, statement) in body.statements() {
            let Statement::Call {
                callee, arguments, ..
            } = statement
            else {
                continue;
            };
            match callee {
                Callee::Indirect(_) => {
                    let targets = solution.call_targets(body.function, id);
                    let names: Vec<&str> = targets.iter().map(|f| f.name.as_str()).collect();
                    lines.push(format!("{name} calls {}", list(&names)));
                }
                Callee::Direct(function) if function.name == "probe" => {
                    let line = match solution.pointee(body.function, &arguments[0]) {
                        Some(class) => describe(&solution, class, &said, &mut letters),
                        None => "nothing".to_owned(),
                    };
                    lines.push(format!("{name}: {line}"));
                }
                Callee::Direct(_) => {}
            }
        }
    }
    expected.assert_eq(&lines.join("\n"));
}

pub fn analyse(text: &str) -> (Vec<Arc<Body>>, PointsTo) {
    let mut bodies = Vec::new();
    let mut functions = Vec::new();
    for (body, found) in constraints_of(text) {
        functions.push((body.function, Arc::new(found)));
        bodies.push(body);
    }
    let names: Vec<FunctionRef> = functions.iter().map(|function| function.0).collect();
    let resolve = |function: FunctionRef| {
        let known = names.iter().copied();
        known.filter(|name| *name == function).collect()
    };
    // The slow twin of the solver reads every program, too.
    assert_eq!(disagreement(&functions, &resolve), None, "{text}");
    (bodies, solve(&functions, &resolve))
}

/// The functions of a program that has the usual declarations in front.
pub fn constraints_of(text: &str) -> Vec<(Arc<Body>, Constraints)> {
    let mut host = AnalysisHost::default();
    let unit = UnitChange {
        path: Ustr::from("test.c"),
        text: Some(Arc::from(format!("{DECLARATIONS}{text}"))),
        data_model: DataModel::LP64,
    };
    host.apply(Change { units: vec![unit] });
    let analysis = host.analysis();
    let models = Models::builtin()
        .extended(&[("probe.toml", PROBE)])
        .unwrap();
    let mut functions = Vec::new();
    for function in analysis.functions() {
        let Some(body) = analysis.body(function) else {
            continue;
        };
        let environment = unit_environment(analysis.database(), function.unit(analysis.database()));
        let found =
            constraints_with_layouts(&body, &models, &|record| environment.record_layout(record));
        functions.push((body, found));
    }
    functions
}

fn describe(
    solution: &PointsTo,
    class: Class,
    said: &HashMap<FunctionRef, Constraints>,
    letters: &mut Vec<Class>,
) -> String {
    let mut text = letter(class, letters);
    let objects = solution.objects(class).iter();
    let names: Vec<String> = objects.map(|object| name(object, said)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    text.push_str(&format!(" = {}", list(&names)));
    if let Some(target) = solution.deref(class) {
        text.push_str(&format!(" to {}", letter(target, letters)));
    }
    if solution.is_shared(class) {
        text.push_str(" shared");
    }
    text
}

fn letter(class: Class, letters: &mut Vec<Class>) -> String {
    let position = letters.iter().position(|known| *known == class);
    let position = position.unwrap_or_else(|| {
        letters.push(class);
        letters.len() - 1
    });
    char::from(b'A' + position as u8).to_string()
}

fn list(names: &[&str]) -> String {
    format!("{{{}}}", names.join(", "))
}

fn name(object: &Object, said: &HashMap<FunctionRef, Constraints>) -> String {
    match object {
        Object::Global(global) => global.name.to_string(),
        Object::Local(function, number) => {
            let local = said[function].local(*number).unwrap();
            format!("{}.{}", function.name, local.0)
        }
        Object::Heap => "new".to_owned(),
        Object::String => "string".to_owned(),
        Object::Function(function) => format!("{}()", function.name),
    }
}

const PROBE: &str = "library = \"test\"\n[[model]]\nfunctions = [\"probe\"]\narguments = 1\neffects = [{ read = { pointer = \"arg0\", size = \"unknown\" } }]\n";

const DECLARATIONS: &str = "typedef unsigned long size_t; typedef unsigned long pthread_t;
void *malloc(size_t n); void *calloc(size_t n, size_t m); void *realloc(void *p, size_t n); void free(void *p); void abort(void);
void *memcpy(void *d, const void *s, size_t n); void *memset(void *d, int c, size_t n);
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
int pthread_create(pthread_t *t, const void *a, void *(*entry)(void *), void *argument);
void probe(const void *p); void unknown();
int x, y, z; int *gp, *gq; __thread int tls;
";
