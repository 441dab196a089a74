//! Where statements and functions stand in the source.

use crate::project::Place;
use crate::workspace::{Reading, Since, Spot, Stretch, Texts};
use racelens_analysis::db::Function;
use racelens_analysis::host::{Analysis, FunctionLocations, Location};
use racelens_analysis::ir::StatementId;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Finds places. What it takes to find them in one function is kept, because questions come by function.
pub(super) struct Places<'w> {
    texts: &'w Texts,
    analysis: &'w Analysis,
    functions: RefCell<FxHashMap<Function, Option<Rc<FunctionLocations<'w>>>>>,
}

impl<'w> Places<'w> {
    pub fn new(texts: &'w Texts, analysis: &'w Analysis) -> Places<'w> {
        Places {
            texts,
            analysis,
            functions: RefCell::default(),
        }
    }

    /// Where a statement stands. `None` if its function is not in the text at the moment.
    pub fn statement(&self, function: Function, statement: StatementId) -> Option<Stretch> {
        self.spot(function, Spot::Statement(statement))
    }

    pub fn statement_place(&self, function: Function, statement: StatementId) -> Option<Place> {
        Some(self.statement(function, statement)?.place)
    }

    /// Where a function is defined. `None` if it is not in the text at the moment.
    pub fn function_place(&self, function: Function) -> Option<Place> {
        Some(self.spot(function, Spot::Name)?.place)
    }

    fn spot(&self, function: Function, spot: Spot) -> Option<Stretch> {
        let find = || self.find(function, spot);
        self.texts.spot(self.analysis, (function, spot), find)
    }

    fn find(&self, function: Function, spot: Spot) -> Option<Stretch> {
        let locations = self.locations(function)?;
        let location = match spot {
            Spot::Name => {
                let name = function.name(self.analysis.database());
                locations.name(&name).or_else(|| locations.whole())?
            }
            Spot::Statement(statement) => {
                let span = self.analysis.statement_span(function, statement)?;
                locations.location(span)?
            }
        };
        Some(self.texts.stretch(&location))
    }

    pub fn locations(&self, function: Function) -> Option<Rc<FunctionLocations<'w>>> {
        let mut functions = self.functions.borrow_mut();
        let known = functions.entry(function).or_insert_with(|| {
            let locations = self.texts.locations(self.analysis, function);
            locations.map(Rc::new)
        });
        known.clone()
    }

    pub fn stretch(&self, location: &Location) -> Stretch {
        self.texts.stretch(location)
    }

    /// What has become of the statements of a function that were asked for, in a unit that was read since.
    pub fn since(&self, function: Function, then: Reading) -> Since {
        let find = |spot| self.find(function, spot);
        self.texts.since(self.analysis, function, then, find)
    }
}
