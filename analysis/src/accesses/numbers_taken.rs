//! Elements whose number the thread has taken from a counter: nobody else has that number.

use crate::ir::{Body, LocalId};
use crate::points_to::Class;
use crate::summaries::Callees;
use crate::symexec::{Definition, Index, Path, Root, Step, Targets, Value};

/// The numbers that the registers of a function hold.
pub(super) struct NumbersTaken<'n> {
    pub body: &'n Body,
    pub callees: &'n Callees<'n>,
}

impl NumbersTaken<'_> {
    /// The place, by the number that was taken for it.
    pub fn own_element(&self, place: &Targets) -> Option<Path> {
        match place {
            Targets::Exactly(path) => self.own_path(path),
            Targets::OneOf(_) | Targets::Unknown => None,
        }
    }

    /// The same for an argument.
    pub fn own_value(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Entry(path) => self.number(path).map(Value::Entry),
            Value::Address(path) => self.own_path(path).map(Value::Address),
            _ => None,
        }
    }

    fn own_path(&self, path: &Path) -> Option<Path> {
        let mut is_own = false;
        let steps = path.steps.iter().map(|step| match step {
            Step::Index(Index::Entry(index)) => match self.number(index) {
                Some(number) => {
                    is_own = true;
                    Step::Index(Index::Entry(number))
                }
                None => step.clone(),
            },
            step => step.clone(),
        });
        let renamed = Path::with_steps(path.root, steps.collect());
        is_own.then_some(renamed)
    }

    /// A value that is such a number, or is computed from one.
    fn number(&self, value: &Path) -> Option<Path> {
        let Root::Value(definition) = value.root else {
            return None;
        };
        let is_computed = |step: &Step| matches!(step, Step::Computed(..));
        let counter = self.counter(definition)?;
        let all = value.steps.iter().all(is_computed);
        all.then(|| value.from_root(Root::Ticket(counter)))
    }

    fn counter(&self, definition: Definition) -> Option<Class> {
        let register: LocalId = match definition {
            Definition::Statement(id) => self.body.statement(id).target()?,
            Definition::Merge(_, register) => register,
        };
        self.callees.counter(register)
    }
}
