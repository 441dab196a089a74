//! Objects by name, and which of them a value may point to.

use crate::symexec::{Path, Root, Step, Value};

/// The object that a place lies in: the place up to the last pointer that was followed.
pub fn object_of(place: &Path) -> Path {
    let last = place.steps.iter().rposition(|step| *step == Step::Deref);
    place.beginning(last.map_or(0, |at| at + 1))
}

/// Whether an object is one that can be unknown to others: a function's own local or allocation, or what a
/// formal leads to.
pub(super) fn can_be_private(object: &Path) -> bool {
    let follows = object.steps.contains(&Step::Deref);
    match object.root {
        Root::Formal(_) => follows,
        Root::Heap(_) | Root::Local(_) => !follows,
        _ => false,
    }
}

/// Whether the object is a variable that everybody knows.
fn is_public(object: &Path) -> bool {
    matches!(object.root, Root::Global(_)) && !object.steps.contains(&Step::Deref)
}

/// What a value may point to, as far as that can be private.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointees {
    /// Exactly one of these.
    pub objects: Vec<Path>,
    /// Perhaps another one too, whose address was loaded from memory.
    pub loaded: bool,
    /// Perhaps any object.
    pub any: bool,
}

pub(super) fn pointees(value: &Value) -> Pointees {
    let mut found = Pointees::default();
    match value {
        Value::Nothing | Value::Constant(_) | Value::Function(_) => {}
        Value::Anything => found.any = true,
        Value::Address(path) => found.add(path),
        Value::OneOf(paths) => paths.iter().for_each(|path| found.add(path)),
        Value::Entry(path) => {
            if matches!(path.steps.last(), Some(Step::Computed(..))) {
                found.any = true;
            } else {
                found.add(&path.then(Step::Deref));
            }
        }
    }
    found
}

impl Pointees {
    fn add(&mut self, place: &Path) {
        let object = object_of(place);
        if is_public(&object) {
            return;
        }
        let steps = object.steps.iter();
        let pointers = steps.filter(|step| **step == Step::Deref).count();
        if can_be_private(&object) {
            // What lies in memory at entry may have been put there under another name.
            self.loaded |= pointers > 1;
            self.objects.push(object);
        } else if matches!(object.root, Root::Global(_)) {
            self.objects.push(object);
        } else if matches!(object.root, Root::Value(_)) && pointers == 1 {
            self.objects.push(object);
            self.any = true;
        } else {
            self.loaded = true;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && !self.loaded && !self.any
    }
}
