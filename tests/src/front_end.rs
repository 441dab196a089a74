//! Asks the front end about one piece of C, for tests that compare it with a compiler.

use std::sync::Arc;

use racelens_analysis::db::{FunctionKind, Unit, unit_environment};
use racelens_analysis::frontend::layout::{DataModel, Extent};
use racelens_analysis::frontend::lower::{Constant, Environment, ItemTypes, LoweredBody};
use racelens_analysis::host::{Analysis, AnalysisHost, Change, UnitChange};
use racelens_analysis::ir::{RecordLayout, RecordRef, Ty};
use ustr::Ustr;

/// One translation unit as the front end sees it.
pub struct FrontEnd {
    analysis: Analysis,
    unit: Unit,
    data_model: DataModel,
}

impl FrontEnd {
    /// Reads preprocessed text.
    pub fn read(text: &str) -> FrontEnd {
        FrontEnd::with_data_model(text, DataModel::LP64)
    }

    pub fn with_data_model(text: &str, data_model: DataModel) -> FrontEnd {
        let path = Ustr::from("test.c");
        let mut host = AnalysisHost::default();
        host.apply(Change {
            units: vec![UnitChange {
                path,
                text: Some(Arc::from(text)),
                data_model,
            }],
        });
        let analysis = host.analysis();
        let unit = analysis.program().units[&path].unit;
        FrontEnd {
            analysis,
            unit,
            data_model,
        }
    }

    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Every function, in the order of the text.
    ///
    /// # Panics
    /// If something does not parse: a test would otherwise compare nothing.
    pub fn bodies(&self) -> Vec<Arc<LoweredBody>> {
        self.bodies_of(FunctionKind::Function)
    }

    /// What gives variables at file scope their first values.
    pub fn initialisers(&self) -> Vec<Arc<LoweredBody>> {
        self.bodies_of(FunctionKind::Initialiser)
    }

    fn bodies_of(&self, kind: FunctionKind) -> Vec<Arc<LoweredBody>> {
        let lower = |function| {
            let lowered = self.analysis.lowered(function);
            match (&lowered.body, &lowered.error) {
                (Some(body), None) => body.clone(),
                (_, error) => panic!("does not lower: {error:?}"),
            }
        };
        self.analysis
            .functions()
            .into_iter()
            .filter(|function| function.kind(self.analysis.database()) == kind)
            .map(lower)
            .collect()
    }

    /// The body of the function with that name.
    pub fn body(&self, name: &str) -> Arc<LoweredBody> {
        self.bodies()
            .into_iter()
            .find(|lowered| lowered.body.function.name == name)
            .unwrap_or_else(|| panic!("there is no function `{name}`"))
    }

    pub fn typedef(&self, name: &str) -> Option<Ty> {
        let name = Ustr::from(name);
        let environment = unit_environment(self.analysis.database(), self.unit);
        let source = environment.bindings(name).typedef.clone()?;
        find(&environment.item_types(&source).typedefs, name)
    }

    /// The type of a variable or function.
    pub fn variable(&self, name: &str) -> Option<Ty> {
        let name = Ustr::from(name);
        let types = self.value_types(name)?;
        let (_, value) = types.values.iter().find(|(bound, _)| *bound == name)?;
        Some(value.ty.clone())
    }

    pub fn enumerator(&self, name: &str) -> Option<Constant> {
        let name = Ustr::from(name);
        find(&self.value_types(name)?.enumerators, name)
    }

    pub fn layout(&self, record: RecordRef) -> Option<Arc<RecordLayout>> {
        unit_environment(self.analysis.database(), self.unit).record_layout(record)
    }

    pub fn extent(&self, ty: &Ty) -> Option<Extent> {
        self.data_model.extent(ty, &|record| self.layout(record))
    }

    fn value_types(&self, name: Ustr) -> Option<Arc<ItemTypes>> {
        let environment = unit_environment(self.analysis.database(), self.unit);
        let binding = environment.bindings(name).value.clone()?;
        Some(environment.item_types(&binding.source))
    }
}

fn find<T: Clone>(bindings: &[(Ustr, T)], name: Ustr) -> Option<T> {
    let (_, found) = bindings.iter().find(|(bound, _)| *bound == name)?;
    Some(found.clone())
}
