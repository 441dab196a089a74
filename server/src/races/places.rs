//! Where statements and functions stand in the source.

use crate::project::Place;
use crate::workspace::Workspace;
use racelens_analysis::db::Function;
use racelens_analysis::host::{Analysis, FunctionLocations, Location};
use racelens_analysis::ir::StatementId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Finds places. What it takes to find them in one function is kept, because questions come by function.
pub(super) struct Places<'w> {
    workspace: &'w Workspace,
    analysis: &'w Analysis,
    functions: RefCell<HashMap<Function, Option<Rc<FunctionLocations<'w>>>>>,
    /// A thread's start and a call on the way are asked for by every access behind them.
    statements: RefCell<HashMap<(Function, StatementId), Option<Stretch>>>,
}

/// A stretch of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub place: Place,
    /// Characters; 0 if it spans lines, or if a macro made it.
    pub length: u32,
    /// What stands there, if it is one line that the user wrote.
    pub text: Option<String>,
}

impl<'w> Places<'w> {
    pub fn new(workspace: &'w Workspace, analysis: &'w Analysis) -> Places<'w> {
        Places {
            workspace,
            analysis,
            functions: RefCell::default(),
            statements: RefCell::default(),
        }
    }

    /// Where a statement stands. `None` if its function is not in the text at the moment.
    pub fn statement(&self, function: Function, statement: StatementId) -> Option<Stretch> {
        let known = self
            .statements
            .borrow()
            .get(&(function, statement))
            .cloned();
        known.unwrap_or_else(|| {
            let found = self.find(function, statement);
            let mut statements = self.statements.borrow_mut();
            statements.insert((function, statement), found.clone());
            found
        })
    }

    fn find(&self, function: Function, statement: StatementId) -> Option<Stretch> {
        let span = self.analysis.statement_span(function, statement)?;
        Some(self.stretch(&self.locations(function)?.location(span)?))
    }

    pub fn statement_place(&self, function: Function, statement: StatementId) -> Option<Place> {
        Some(self.statement(function, statement)?.place)
    }

    pub fn locations(&self, function: Function) -> Option<Rc<FunctionLocations<'w>>> {
        let mut functions = self.functions.borrow_mut();
        let known = functions.entry(function).or_insert_with(|| {
            let locations = self.workspace.locations(self.analysis, function);
            locations.map(Rc::new)
        });
        known.clone()
    }

    pub fn stretch(&self, location: &Location) -> Stretch {
        let text = self.workspace.text_at(location);
        Stretch {
            place: self.workspace.place(location),
            length: text.as_ref().map_or(0, |text| text.chars().count() as u32),
            text,
        }
    }
}
