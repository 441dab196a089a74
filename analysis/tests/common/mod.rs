//! Small C programs as bodies, with summaries that are computed when they are asked for.

use racelens_analysis::frontend::layout::DataModel;
use racelens_analysis::host::{AnalysisHost, Change, UnitChange};
use racelens_analysis::ir::{Body, FunctionRef};
use racelens_analysis::locksets::{LockCalls, LockEffect, Lockset, Mode, locksets};
use racelens_analysis::symexec::{CallEffect, Calls, ValueSummary, summarise};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use ustr::Ustr;

/// A program whose functions are summarised callees first; one that is being summarised is unknown.
pub struct Program {
    pub bodies: Vec<Arc<Body>>,
    values: RefCell<HashMap<Ustr, Option<Arc<ValueSummary>>>>,
    locks: RefCell<HashMap<Ustr, Option<Arc<Lockset>>>>,
}

impl Program {
    pub fn new(text: &str) -> Program {
        let mut host = AnalysisHost::default();
        let unit = UnitChange {
            path: Ustr::from("test.c"),
            text: Some(Arc::from(text)),
            data_model: DataModel::LP64,
        };
        host.apply(Change { units: vec![unit] });
        let analysis = host.analysis();
        let bodies = analysis
            .functions()
            .into_iter()
            .filter_map(|function| analysis.body(function))
            .collect();
        Program {
            bodies,
            values: RefCell::default(),
            locks: RefCell::default(),
        }
    }

    fn body(&self, function: FunctionRef) -> Option<&Arc<Body>> {
        self.bodies
            .iter()
            .find(|body| body.function.name == function.name)
    }
}

impl Calls for Program {
    fn effect(&self, function: FunctionRef) -> Option<CallEffect> {
        match function.name.as_str() {
            "malloc" => return Some(CallEffect::Allocates),
            "probe" | "lock" | "unlock" | "read_lock" => return Some(CallEffect::WritesNothing),
            _ => {}
        }
        if let Some(known) = self.values.borrow().get(&function.name) {
            return known.clone().map(CallEffect::Summary);
        }
        let body = self.body(function)?;
        self.values.borrow_mut().insert(function.name, None);
        let summary = Arc::new(summarise(body, self).0);
        self.values
            .borrow_mut()
            .insert(function.name, Some(summary.clone()));
        Some(CallEffect::Summary(summary))
    }
}

impl LockCalls for Program {
    fn lock_effect(&self, function: FunctionRef) -> Option<LockEffect> {
        match function.name.as_str() {
            "lock" => {
                return Some(LockEffect::Acquire {
                    argument: 0,
                    mode: Mode::Exclusive,
                });
            }
            "read_lock" => {
                return Some(LockEffect::Acquire {
                    argument: 0,
                    mode: Mode::Shared,
                });
            }
            "unlock" => return Some(LockEffect::Release { argument: 0 }),
            _ => {}
        }
        if let Some(known) = self.locks.borrow().get(&function.name) {
            return known.clone().map(LockEffect::Summary);
        }
        let body = self.body(function)?;
        self.locks.borrow_mut().insert(function.name, None);
        let (_, states) = summarise(body, self);
        let summary = Arc::new(locksets(body, &states, self, self).summary);
        self.locks
            .borrow_mut()
            .insert(function.name, Some(summary.clone()));
        Some(LockEffect::Summary(summary))
    }
}
