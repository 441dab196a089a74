//! What tells one text of a function from another one, as far as statements and their order go.

use super::Analysis;
use crate::db::Function;
use crate::frontend::layout::DataModel;
use crate::frontend::scope::Scope;
use std::sync::{Arc, Weak};

/// As long as it is the same, the function has the same statements under the same numbers, each at the same tokens. White space and
/// comments are no part of it.
pub struct TextMark {
    text: (u64, u64),
    /// Of the text that it is taken to have while its own does not parse.
    good: Option<(u64, u64)>,
    /// What its names mean decides how it is read. This keeps the address from being used again.
    scope: Weak<Scope>,
    data_model: DataModel,
}

impl Analysis {
    pub fn text_mark(&self, function: Function) -> TextMark {
        let unit = function.unit(&self.db);
        TextMark {
            text: function.source(&self.db).marks(),
            good: self.good_marks(function),
            scope: Arc::downgrade(unit.scope(&self.db)),
            data_model: unit.data_model(&self.db),
        }
    }

    /// Whether the function has still the text that the mark is of.
    pub fn has_text(&self, function: Function, mark: &TextMark) -> bool {
        let unit = function.unit(&self.db);
        mark.text == function.source(&self.db).marks()
            && mark.good == self.good_marks(function)
            && std::ptr::eq(mark.scope.as_ptr(), Arc::as_ptr(unit.scope(&self.db)))
            && mark.data_model == unit.data_model(&self.db)
    }

    fn good_marks(&self, function: Function) -> Option<(u64, u64)> {
        let good = function.last_good(&self.db).as_ref();
        good.map(|source| source.marks())
    }
}
