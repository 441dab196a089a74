//! The symbolic store: what registers and memory hold at one point of a function.

use super::path::{Index, Path, Root, Step};
use super::shared_map::SharedMap;
use super::value::{Targets, Value};
use crate::dataflow::Domain;
use crate::ir::{BlockId, LocalId, Operand, Place, Projection, RecordRef};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;
use ustr::Ustr;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Registers that were assigned and may still be read.
    registers: SharedMap<LocalId, Value>,
    /// Memory that was written since the entry; everything else holds its entry value.
    memory: SharedMap<Path, Value>,
    /// Locals whose address others may know.
    escaped: Arc<BTreeSet<LocalId>>,
    /// Members that were written in objects without a name.
    clobbered: Arc<BTreeSet<(RecordRef, Ustr)>>,
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
            registers: SharedMap::from_sorted((0..formals).map(formal).collect()),
            ..State::default()
        }
    }

    pub fn operand(&self, operand: &Operand) -> Value {
        match operand {
            Operand::Local(local) => self.register(*local),
            Operand::Integer(value) => Value::Constant(*value),
            Operand::Function(function) => Value::Function(*function),
            Operand::Float(_) | Operand::String(_) | Operand::Unknown => Value::Anything,
        }
    }

    pub fn register(&self, local: LocalId) -> Value {
        self.registers.get(&local).cloned().unwrap_or_default()
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

    /// What is known of memory. To keep registers for each of many places would take the square of them.
    pub fn of_memory(&self) -> State {
        State {
            registers: SharedMap::default(),
            ..self.clone()
        }
    }

    /// Gives registers another value, where `change` has one.
    pub fn change_registers(&mut self, mut change: impl FnMut(LocalId, &Value) -> Option<Value>) {
        self.registers.change(|local, value| change(*local, value));
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
                    let member = origin.extended(&path.steps[whole.steps.len()..]);
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
        self.memory
            .before_key(path)
            .iter()
            .rev()
            .take_while(|(known, _)| known.root == path.root)
            .find(|(known, _)| known.contains(path))
            .map(|(known, value)| (known, value))
    }

    /// What was written inside a place.
    pub fn parts_of<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = (&'s Path, &'s Value)> {
        // Paths are sorted root first, step by step: all that begin with this one are neighbours.
        self.memory
            .starting_at(path)
            .iter()
            .take_while(|(known, _)| {
                known.root == path.root && known.steps.starts_with(&path.steps)
            })
            .filter(|(known, _)| path.contains(known))
            .map(|(known, value)| (known, value))
    }

    /// Whether nothing was written to a place or to a part of it, on any path and under any name.
    pub fn is_untouched(&self, path: &Path) -> bool {
        let is_elsewhere = |known: &Path| known != path && !known.may_overlap(path);
        self.parts_of(path).next().is_none()
            && self.whole_around(path).is_none()
            && self.memory.keys().all(is_elsewhere)
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
        // The entry of this very place is overwritten.
        if self.parts_of(path).any(|(known, _)| known != path) {
            self.memory
                .retain(|known, _| known == path || !path.contains(known));
        }
        self.memory.change(|known, held| {
            if known == path || !known.may_overlap(path) {
                return None;
            }
            let mut joined = held.clone();
            joined.join(value).then_some(joined)
        });
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
        if !self.clobbered.contains(&field) {
            Arc::make_mut(&mut self.clobbered).insert(field);
        }
        self.memory.change(|known, held| {
            let is_meant = *held != Value::Anything
                && known.outlives_function()
                && known.last_field() == Some(field);
            is_meant.then_some(Value::Anything)
        });
    }

    /// Somebody wrote somewhere: memory that others can reach may hold anything.
    pub fn forget_shared(&mut self) {
        self.forgot = true;
        let escaped = &self.escaped;
        self.memory.retain(|path, _| !path.outlives_function());
        self.memory.change(|path, value| {
            let is_escaped = matches!(path.root, Root::Local(local) if escaped.contains(&local));
            (is_escaped && *value != Value::Anything).then_some(Value::Anything)
        });
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
            let whole = match path.split_last() {
                Some((array, Step::Index(_))) => array,
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
        let forgotten = |value: &Value| stale_value(value).then_some(Value::Anything);
        self.registers.change(|_, value| forgotten(value));
        self.memory.change(|_, value| forgotten(value));
        let stale: Vec<Path> = self
            .memory
            .keys()
            .filter(|path| is_stale(path))
            .cloned()
            .collect();
        self.memory.retain(|path, _| !stale.contains(path));
        for path in stale {
            if path.outlives_function() && !matches!(path.root, Root::Heap(_)) {
                self.clobber(&path);
            }
        }
    }

    /// The address in a value becomes known to others.
    pub fn escape(&mut self, value: &Value) {
        let mut add = |path: &Path| {
            if let Root::Local(local) = path.root
                && !self.escaped.contains(&local)
            {
                Arc::make_mut(&mut self.escaped).insert(local);
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
            .map(|(path, value)| (path, value))
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
        Root::Heap(site) => !is_repeated(site.statement.position.block),
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
        let mut changed = self.join_registers(&other.registers);
        if self.memory != other.memory {
            let joined = self.joined_memory(other);
            if joined != self.memory {
                self.memory = joined;
                changed = true;
            }
        }
        changed |= unite(&mut self.escaped, &other.escaped);
        changed |= unite(&mut self.clobbered, &other.clobbered);
        changed |= other.forgot && !self.forgot;
        self.forgot |= other.forgot;
        changed
    }
}

impl State {
    fn join_registers(&mut self, theirs: &SharedMap<LocalId, Value>) -> bool {
        if self.registers.is_shared_with(theirs) {
            return false;
        }
        let mut changed = false;
        self.registers.change(|local, value| {
            let mut joined = value.clone();
            let is_new = joined.join(theirs.get(local)?);
            changed |= is_new;
            is_new.then_some(joined)
        });
        for (local, value) in theirs.iter() {
            if self.registers.get(local).is_none() && *value != Value::Nothing {
                self.registers.insert(*local, value.clone());
                changed = true;
            }
        }
        changed
    }

    /// What memory holds where it is either that of this state or that of another one.
    fn joined_memory(&self, other: &State) -> SharedMap<Path, Value> {
        let (mut mine, mut theirs) = (
            self.memory.iter().peekable(),
            other.memory.iter().peekable(),
        );
        let mut joined = Vec::with_capacity(self.memory.len().max(other.memory.len()));
        loop {
            let order = match (mine.peek(), theirs.peek()) {
                (Some((left, _)), Some((right, _))) => left.cmp(right),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return SharedMap::from_sorted(joined),
            };
            let left = if order.is_le() { mine.next() } else { None };
            let right = if order.is_ge() { theirs.next() } else { None };
            let Some((path, _)) = left.or(right) else {
                continue;
            };
            let held = |entry: Option<&(Path, Value)>, state: &State| match entry {
                Some((_, value)) => value.clone(),
                None => state.read_path(path),
            };
            let mut value = held(left, self);
            value.join(&held(right, other));
            joined.push((path.clone(), value));
        }
    }
}

/// Adds what is missing; returns whether anything was.
fn unite<T: Ord + Clone>(mine: &mut Arc<BTreeSet<T>>, theirs: &Arc<BTreeSet<T>>) -> bool {
    if Arc::ptr_eq(mine, theirs) || theirs.is_subset(mine) {
        return false;
    }
    Arc::make_mut(mine).extend(theirs.iter().cloned());
    true
}
