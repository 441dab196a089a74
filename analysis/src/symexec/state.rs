//! The symbolic store: what registers and memory hold at one point of a function.

use super::path::{Index, Path, Root, Step};
use super::value::{Targets, Value};
use crate::dataflow::Domain;
use crate::ir::{BlockId, LocalId, Operand, Place, Projection, RecordRef};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use ustr::Ustr;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Registers that were assigned and may still be read.
    registers: BTreeMap<LocalId, Value>,
    /// Memory that was written since the entry; everything else holds its entry value.
    memory: BTreeMap<Path, Value>,
    /// Locals whose address others may know.
    escaped: BTreeSet<LocalId>,
    /// Members that were written in objects without a name.
    clobbered: BTreeSet<(RecordRef, Ustr)>,
    /// More was written than is listed: memory of others may hold anything.
    forgot: bool,
}

/// More written places than this are not told apart.
const MOST_ENTRIES: usize = 96;
const MOST_CLOBBERED: usize = 64;

impl State {
    /// The state at the entry of a function with so many formals.
    pub fn entry(formals: usize) -> State {
        let formal = |index: usize| {
            let value = Value::Entry(Path::new(Root::Formal(index as u32)));
            (LocalId(index as u32), value)
        };
        State {
            registers: (0..formals).map(formal).collect(),
            ..State::default()
        }
    }

    pub fn operand(&self, operand: &Operand) -> Value {
        match operand {
            Operand::Local(local) => self.registers.get(local).cloned().unwrap_or_default(),
            Operand::Integer(value) => Value::Constant(*value),
            Operand::Function(function) => Value::Function(*function),
            Operand::Float(_) | Operand::String(_) | Operand::Unknown => Value::Anything,
        }
    }

    pub fn set_register(&mut self, local: LocalId, value: Value) {
        self.registers.insert(local, value);
    }

    pub fn registers(&self) -> impl Iterator<Item = LocalId> {
        self.registers.keys().copied()
    }

    pub fn retain_registers(&mut self, mut is_needed: impl FnMut(LocalId) -> bool) {
        self.registers.retain(|local, _| is_needed(*local));
    }

    /// Gives registers another value, where `change` has one.
    pub fn change_registers(&mut self, mut change: impl FnMut(LocalId, &Value) -> Option<Value>) {
        for (local, value) in &mut self.registers {
            if let Some(new) = change(*local, value) {
                *value = new;
            }
        }
    }

    /// Which memory a place names.
    pub fn place(&self, place: &Place) -> Targets {
        let base = match &place.base {
            crate::ir::Base::Local(local) => Targets::Exactly(Path::new(Root::Local(*local))),
            crate::ir::Base::Global(global) => Targets::Exactly(Path::new(Root::Global(*global))),
            crate::ir::Base::Deref(pointer) => self.operand(pointer).targets(),
        };
        let mut targets = base;
        // Behind a pointer to one object, the n-th element is counted from it; an array that is a
        // variable, a member or an element has its own elements.
        let mut behind_pointer = matches!(place.base, crate::ir::Base::Deref(_));
        for projection in &place.path {
            targets = self.project(targets, projection, behind_pointer);
            behind_pointer = false;
        }
        targets
    }

    fn project(&self, targets: Targets, projection: &Projection, behind_pointer: bool) -> Targets {
        let step = |path: Path| match projection {
            Projection::Field { record, name } => path.then(Step::Field {
                record: *record,
                name: *name,
            }),
            Projection::Index(index) => {
                let index = self.operand(index).as_index();
                if behind_pointer {
                    path.element(index)
                } else {
                    path.then(Step::Index(index))
                }
            }
        };
        match targets {
            Targets::Exactly(path) => {
                let path = step(path);
                if path.is_too_long() {
                    Targets::Unknown
                } else {
                    Targets::Exactly(path)
                }
            }
            Targets::OneOf(paths) => Targets::OneOf(paths.into_iter().map(step).collect()),
            Targets::Unknown => Targets::Unknown,
        }
    }

    pub fn read(&self, targets: &Targets) -> Value {
        match targets {
            Targets::Exactly(path) => self.read_path(path),
            Targets::OneOf(paths) => {
                let mut value = Value::Nothing;
                for path in paths {
                    value.join(&self.read_path(path));
                }
                value
            }
            Targets::Unknown => Value::Anything,
        }
    }

    /// What a place holds now.
    pub fn read_path(&self, path: &Path) -> Value {
        if let Some(value) = self.memory.get(path) {
            return value.clone();
        }
        // A struct of which a part was written holds no value that has a name.
        if self.parts_of(path).next().is_some() {
            return Value::Anything;
        }
        // A struct that was written as a whole: its members are those of the value.
        if let Some((whole, value)) = self.whole_around(path) {
            return match value {
                Value::Entry(origin) => {
                    let mut member = origin.clone();
                    member
                        .steps
                        .extend_from_slice(&path.steps[whole.steps.len()..]);
                    if member.is_too_long() {
                        Value::Anything
                    } else {
                        Value::Entry(member)
                    }
                }
                Value::Constant(0) => Value::Constant(0),
                _ => Value::Anything,
            };
        }
        self.entry_value(path)
    }

    /// The innermost written place that contains this one.
    fn whole_around(&self, path: &Path) -> Option<(&Path, &Value)> {
        // Sorted paths: those that contain this one stand before it, the innermost last.
        let before = (Bound::Unbounded, Bound::Excluded(path));
        self.memory
            .range::<Path, _>(before)
            .rev()
            .take_while(|(known, _)| known.root == path.root)
            .find(|(known, _)| known.contains(path))
    }

    /// What was written inside a place.
    pub fn parts_of<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = (&'s Path, &'s Value)> {
        // Paths are sorted root first, step by step: all that begin with this one are neighbours.
        self.memory
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded))
            .take_while(|(known, _)| {
                known.root == path.root && known.steps.starts_with(&path.steps)
            })
            .filter(|(known, _)| path.contains(known))
    }

    fn entry_value(&self, path: &Path) -> Value {
        if !path.outlives_function() && matches!(path.root, Root::Local(_)) {
            return Value::Nothing;
        }
        // UNSOUND: what another thread writes to a pointer between two reads of it in one function
        // is not seen; both reads name the same object.
        if path.is_too_long()
            || path.root == Root::Somewhere
            || (path.outlives_function() && (self.forgot || self.is_clobbered(path)))
        {
            Value::Anything
        } else {
            Value::Entry(path.clone())
        }
    }

    fn is_clobbered(&self, path: &Path) -> bool {
        !self.clobbered.is_empty()
            && path.steps.iter().any(|step| match step {
                Step::Field { record, name } => self.clobbered.contains(&(*record, *name)),
                _ => false,
            })
    }

    pub fn write(&mut self, targets: &Targets, value: &Value) {
        if targets_outlive(targets) {
            self.escape(value);
        }
        match targets {
            Targets::Exactly(path) => self.write_path(path, value),
            Targets::OneOf(paths) => {
                for path in paths {
                    let mut joined = self.read_path(path);
                    joined.join(value);
                    self.set(path.clone(), joined);
                }
            }
            Targets::Unknown => self.forget_shared(),
        }
    }

    fn write_path(&mut self, path: &Path, value: &Value) {
        if path.root == Root::Somewhere {
            self.clobber(path);
            return;
        }
        self.memory.retain(|known, _| !path.contains(known));
        for (known, held) in &mut self.memory {
            if known.may_overlap(path) {
                held.join(value);
            }
        }
        self.set(path.clone(), value.clone());
    }

    fn set(&mut self, path: Path, value: Value) {
        let is_ambiguous = path.steps.contains(&Step::Index(Index::Any));
        if is_ambiguous {
            let mut joined = self.read_path(&path);
            joined.join(&value);
            self.memory.insert(path, joined);
        } else {
            self.memory.insert(path, value);
        }
        if self.memory.len() > MOST_ENTRIES {
            self.forget_shared();
        }
    }

    /// Somewhere, what such a path ends with was written.
    fn clobber(&mut self, path: &Path) {
        match path.last_field() {
            Some(field) if self.clobbered.len() < MOST_CLOBBERED => self.clobber_field(field),
            _ => self.forget_shared(),
        }
    }

    /// This member was written in objects that nobody can name.
    pub fn clobber_field(&mut self, field: (RecordRef, Ustr)) {
        self.clobbered.insert(field);
        for (known, held) in &mut self.memory {
            if known.outlives_function() && known.last_field() == Some(field) {
                *held = Value::Anything;
            }
        }
    }

    /// Somebody wrote somewhere: memory that others can reach may hold anything.
    pub fn forget_shared(&mut self) {
        self.forgot = true;
        let escaped = &self.escaped;
        self.memory.retain(|path, _| !path.outlives_function());
        for (path, value) in &mut self.memory {
            if matches!(path.root, Root::Local(local) if escaped.contains(&local)) {
                *value = Value::Anything;
            }
        }
    }

    /// Somebody may have written to what a pointer points to, or to parts of it.
    pub fn forget_targets(&mut self, targets: &Targets) {
        let paths: Vec<Path> = match targets {
            Targets::Exactly(path) => vec![path.clone()],
            Targets::OneOf(paths) => paths.iter().cloned().collect(),
            Targets::Unknown => return,
        };
        for path in paths {
            // A pointer to an array's first element reaches the whole array.
            let whole = match path.steps.split_last() {
                Some((Step::Index(_), front)) => Path {
                    root: path.root,
                    steps: front.to_vec(),
                },
                _ => path,
            };
            self.memory.retain(|known, _| !whole.contains(known));
            self.set(whole, Value::Anything);
        }
    }

    /// Control goes back to a loop's head: names that were given in these blocks will be given anew.
    pub fn forget_definitions(&mut self, is_repeated: &dyn Fn(BlockId) -> bool) {
        let is_stale = |path: &Path| mentions_definition(path, is_repeated);
        let stale_value = |value: &Value| match value {
            Value::Entry(path) | Value::Address(path) => is_stale(path),
            Value::OneOf(paths) => paths.iter().any(is_stale),
            Value::Nothing | Value::Anything | Value::Constant(_) | Value::Function(_) => false,
        };
        let values = self.registers.values_mut().chain(self.memory.values_mut());
        for value in values.filter(|value| stale_value(value)) {
            *value = Value::Anything;
        }
        let stale: Vec<Path> = self
            .memory
            .keys()
            .filter(|path| is_stale(path))
            .cloned()
            .collect();
        for path in stale {
            self.memory.remove(&path);
            if path.outlives_function() && !matches!(path.root, Root::Heap(_)) {
                self.clobber(&path);
            }
        }
    }

    /// The address in a value becomes known to others.
    pub fn escape(&mut self, value: &Value) {
        let mut add = |path: &Path| {
            if let Root::Local(local) = path.root {
                self.escaped.insert(local);
            }
        };
        match value {
            Value::Address(path) => add(path),
            Value::OneOf(paths) => paths.iter().for_each(add),
            _ => {}
        }
    }

    pub fn has_escaped(&self, local: LocalId) -> bool {
        self.escaped.contains(&local)
    }

    /// What was written to memory that outlives the function.
    pub fn written(&self) -> impl Iterator<Item = (&Path, &Value)> {
        self.memory
            .iter()
            .filter(|(path, _)| path.outlives_function())
    }

    /// Members that were written in objects without a name.
    pub fn clobbered(&self) -> &BTreeSet<(RecordRef, Ustr)> {
        &self.clobbered
    }

    pub fn forgot(&self) -> bool {
        self.forgot
    }
}

/// Whether a path names a value or an allocation that one of these blocks makes again.
pub(crate) fn mentions_definition(path: &Path, is_repeated: &dyn Fn(BlockId) -> bool) -> bool {
    !path.all_roots(&|root| match root {
        Root::Value(definition) => !is_repeated(definition.block()),
        Root::Heap(site) => !is_repeated(site.statement.block),
        _ => true,
    })
}

fn targets_outlive(targets: &Targets) -> bool {
    match targets {
        Targets::Exactly(path) => path.outlives_function(),
        Targets::OneOf(paths) => paths.iter().any(Path::outlives_function),
        Targets::Unknown => true,
    }
}

impl Domain for State {
    fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        for (local, theirs) in &other.registers {
            changed |= self.registers.entry(*local).or_default().join(theirs);
        }
        if self.memory != other.memory {
            let keys: BTreeSet<&Path> = self.memory.keys().chain(other.memory.keys()).collect();
            let mut joined = BTreeMap::new();
            for path in keys {
                let mut value = self.read_path(path);
                value.join(&other.read_path(path));
                joined.insert(path.clone(), value);
            }
            changed |= joined != self.memory;
            self.memory = joined;
        }
        let before = (self.escaped.len(), self.clobbered.len(), self.forgot);
        self.escaped.extend(&other.escaped);
        self.clobbered.extend(&other.clobbered);
        self.forgot |= other.forgot;
        changed || before != (self.escaped.len(), self.clobbered.len(), self.forgot)
    }
}
