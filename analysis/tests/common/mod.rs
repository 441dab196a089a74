//! Small C programs with the summaries of their functions.

use racelens_analysis::callgraph::{CallGraph, Components, FunctionId, Functions};
use racelens_analysis::dataflow::visit_statements;
use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::ir::{Body, Callee, FunctionRef, Operand, Statement, StatementId};
use racelens_analysis::locksets::{Lockset, locksets};
use racelens_analysis::models::Models;
use racelens_analysis::points_to;
use racelens_analysis::summaries::{Callees, Summaries, SyncObjects, summarise_program};
use racelens_analysis::symexec::State;
use std::collections::HashMap;
use std::sync::Arc;
use ustr::Ustr;

/// What the library functions of the tests do.
const MODELS: &str = r#"
library = "test"

[[model]]
functions = ["lock"]
effects = [{ acquire = { lock = "arg0" } }]

[[model]]
functions = ["read_lock"]
effects = [{ acquire = { lock = "arg0", mode = "shared" } }]

[[model]]
functions = ["try_lock"]
effects = [{ acquire = { lock = "arg0", blocking = false, when = "zero" } }]

[[model]]
functions = ["unlock"]
effects = [{ release = { lock = "arg0" } }]

[[model]]
functions = ["probe"]
pure = true
"#;

/// What is shown of one statement.
pub type Visit<'v> = &'v mut dyn FnMut(&Body, &State, &Lockset, &Statement);

/// A program, given to `visit` statement by statement, function by function, and its summaries.
pub fn visit_program(text: &str, visit: Visit<'_>, finish: &mut dyn FnMut(&Body, &Lockset)) {
    let mut host = AnalysisHost::default();
    let unit = UnitChange {
        path: Ustr::from("test.c"),
        text: Some(Arc::from(text)),
        data_model: DataModel::LP64,
    };
    host.apply(Change { units: vec![unit] });
    let analysis = host.analysis();
    let models = Models::builtin()
        .extended(&[("test.toml", MODELS)])
        .expect("the models are right");
    let mut functions = Functions::default();
    for function in analysis.functions() {
        if let Some(body) = analysis.body(function) {
            let name = body.function;
            let id = functions.add(body);
            functions.name(name, id);
        }
    }
    let constraints: Vec<_> = functions
        .ids()
        .map(|id| {
            let body = functions.body(id);
            let constraints = points_to::constraints(body, &models);
            (body.function, Arc::new(constraints))
        })
        .collect();
    let resolve = |name: FunctionRef| {
        let known = functions.resolve(name).iter();
        known.map(|id| functions.body(*id).function).collect()
    };
    let points_to = points_to::solve(&constraints, &resolve);
    let graph = CallGraph::new(&functions, &points_to, &models);
    let objects = SyncObjects::new(&graph);
    let order = Arc::new(Components::new(graph.all_callees()));
    let summarised = summarise_program(&graph, &objects, order, &|_| true, None, &|_, _| ());
    for function in functions.ids() {
        visit_function(
            &graph,
            &summarised.summaries,
            &objects,
            function,
            visit,
            finish,
        );
    }
}

fn visit_function(
    graph: &CallGraph<'_>,
    summaries: &Summaries,
    objects: &SyncObjects,
    function: FunctionId,
    visit: Visit<'_>,
    finish: &mut dyn FnMut(&Body, &Lockset),
) {
    let callees = Callees {
        function,
        graph,
        summaries: summaries.known(),
        objects,
    };
    callees.execute(|run| {
        let solution = locksets(run.body, &run.states, run.execution, &callees);
        let mut held: HashMap<StatementId, Lockset> = HashMap::new();
        solution.visit(run.body, |lockset, id, _| {
            held.insert(id, lockset.clone());
        });
        visit_statements(
            run.execution,
            run.body,
            &run.states,
            |state, id, statement| {
                visit(run.body, state, &held[&id], statement);
            },
        );
        finish(run.body, &solution.summary.any());
    });
}

/// The arguments of a call of one of these functions.
#[allow(dead_code)]
pub fn call_of<'s>(statement: &'s Statement, names: &[&str]) -> Option<&'s [Operand]> {
    match statement {
        Statement::Call {
            callee: Callee::Direct(callee),
            arguments,
            ..
        } if names.contains(&callee.name.as_str()) => Some(arguments),
        _ => None,
    }
}
