//! What library functions do that other threads may notice, as their models say.

use super::extract::{Extraction, Point};
use super::facts::{
    Access, BarrierFact, CallFact, Cell, PostFact, Publishes, StartFact, StartedWith, Stored,
};
use super::listed::numbered_parts;
use crate::callgraph::FunctionId;
use crate::ir::{AccessKind, Operand, StatementId};
use crate::models::{
    Action, Atomic, AtomicOperation, Context, FunctionModel, Root, Size, Step, Value as ModelValue,
};
use crate::signals::{SignalCalls, certainly_sets, order_at, releases, stores_something};
use crate::symexec::{
    Definition, Index, Path, Root as PathRoot, Site, Step as PathStep, Targets, Value, model_value,
};

/// A call of a library function in front of its effects.
struct LibraryCall<'c> {
    point: &'c Point<'c>,
    arguments: &'c [Operand],
    values: &'c [Value],
}

pub(super) fn effects(
    extraction: &mut Extraction<'_>,
    point: &Point<'_>,
    model: &FunctionModel,
    arguments: &[Operand],
    values: &[Value],
) {
    let call = LibraryCall {
        point,
        arguments,
        values,
    };
    if let Some(barrier) = model.barrier() {
        extraction.facts.barriers.push(BarrierFact {
            statement: point.id,
            barrier: call.value(barrier).targets(),
        });
    }
    for effect in &model.effects {
        match &effect.action {
            Action::Read { pointer, size } => {
                call.access(extraction, pointer, Some(size), AccessKind::Read);
            }
            Action::Write { pointer, size, .. } => {
                call.access(extraction, pointer, Some(size), AccessKind::Write);
            }
            Action::Copy { to, from, size } => {
                call.access(extraction, from, Some(size), AccessKind::Read);
                call.access(extraction, to, Some(size), AccessKind::Write);
            }
            Action::Free { pointer } => {
                if let Some(access) = call.access(extraction, pointer, None, AccessKind::Write) {
                    access.frees = true;
                }
            }
            Action::Atomic(atomic) => {
                let kind = match atomic.operation {
                    AtomicOperation::Load => AccessKind::Read,
                    AtomicOperation::Store | AtomicOperation::Clear => AccessKind::Write,
                    _ => AccessKind::Update,
                };
                let size = Size::Bytes(0);
                let stored = call.stored(atomic);
                if let Some(pointer) = &atomic.pointer
                    && let Some(access) = call.access(extraction, pointer, Some(&size), kind)
                {
                    access.atomic = true;
                    access.stored = stored;
                }
            }
            Action::Call {
                function,
                arguments,
            }
            | Action::Once {
                entry: function,
                arguments,
                ..
            } => call.callback(extraction, function, arguments, &effect.action),
            Action::Start {
                entry,
                arguments,
                context,
                many,
                ..
            } => {
                if *context == Context::Signal
                    && arguments
                        .first()
                        .is_some_and(|number| is_fault(&call.value(number)))
                {
                    continue;
                }
                let started = call.functions(extraction, entry);
                let repeats = *many || extraction.loops.repeats(point.id);
                let each = |value| per_thread(extraction, point.id, call.value(value));
                let contents = call.contents(extraction, arguments);
                let itself = |value: &ModelValue| value.path.is_empty();
                let passed = arguments.iter().map(|value| {
                    let operand = call.operand(value);
                    operand.filter(|_| itself(value))
                });
                let passed = extraction.passed(passed);
                let arguments = arguments.iter().map(each).collect();
                extraction.facts.starts.push(StartFact {
                    statement: point.id,
                    targets: started,
                    entry: Some(call.value(entry)),
                    arguments,
                    passed,
                    contents,
                    context: *context,
                    locks: point.locks.clone(),
                    forks: point.forks.clone(),
                    signals: point.signals.clone(),
                    repeats,
                });
            }
            Action::Post { object } => call.post(extraction, object, model),
            Action::EndThread => extraction.facts.ends.push(point.forks.clone()),
            _ => {}
        }
    }
}

/// Whether a signal's number is that of a fault of the program itself: SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
// UNSOUND: what a handler does for a signal that reports a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) is not
// compared with what other threads do.
fn is_fault(number: &Value) -> bool {
    matches!(number, Value::Constant(4 | 6 | 7 | 8 | 11))
}

impl LibraryCall<'_> {
    fn post(&self, extraction: &mut Extraction<'_>, object: &ModelValue, model: &FunctionModel) {
        let Some(class) = extraction.callees.object(object, self.arguments) else {
            return;
        };
        let releases =
            |action: &Action| matches!(action, Action::Release { lock } if lock == object);
        extraction.facts.posts.push(PostFact {
            statement: self.point.id,
            class,
            object: self.value(object).targets(),
            counts: model.effects.iter().any(|effect| releases(&effect.action)),
            locks: self.point.locks.clone(),
            signals: self.point.signals.clone(),
        });
    }

    /// What an atomic operation leaves.
    fn stored(&self, atomic: &Atomic) -> Stored {
        let order = order_at(atomic.order, self.arguments);
        Stored {
            zero: !stores_something(atomic, &|value| self.value(value)),
            nonzero: certainly_sets(atomic, &|value| self.value(value)),
            publishes: if releases(order) {
                Publishes::Everything
            } else if self.point.signals.is_certainly_fenced() {
                Publishes::UpToAFence
            } else {
                Publishes::Nothing
            },
        }
    }

    fn value(&self, value: &ModelValue) -> Value {
        model_value(self.point.state, self.values, value)
    }

    /// The argument that a model's value starts from.
    fn operand(&self, value: &ModelValue) -> Option<&Operand> {
        match value.root {
            Root::Argument(index) => self.arguments.get(usize::from(index)),
            _ => None,
        }
    }

    /// The functions that a model's value may be.
    fn functions(&self, extraction: &Extraction<'_>, value: &ModelValue) -> Vec<FunctionId> {
        if let Value::Function(name) = self.value(value) {
            let operand = Operand::Function(name);
            return extraction.graph.functions_in(extraction.function, &operand);
        }
        match self.operand(value) {
            Some(operand) if value.path.is_empty() => {
                extraction.graph.functions_in(extraction.function, operand)
            }
            _ => Vec::new(),
        }
    }

    /// The functions that a library function may call, of those that pointers say.
    fn functions_called_back(
        &self,
        extraction: &Extraction<'_>,
        value: &ModelValue,
    ) -> Vec<FunctionId> {
        let graph = extraction.graph;
        let mut possible = graph.functions_called_back(extraction.function, value, self.arguments);
        if let Value::Function(name) = self.value(value)
            && let Some(narrowed) = graph.narrowed(name, &possible)
        {
            return narrowed;
        }
        if !value.path.is_empty() {
            possible.clear();
        }
        possible
    }

    /// The numbers of the turn that lie in what a thread of a loop is given.
    fn contents(&self, extraction: &Extraction<'_>, arguments: &[ModelValue]) -> Vec<StartedWith> {
        let mut found = Vec::new();
        let start = self.point.id;
        let points_to = extraction.graph.points_to();
        for (index, argument) in arguments.iter().enumerate() {
            let (Value::Address(object), Some(operand)) =
                (self.value(argument), self.operand(argument))
            else {
                continue;
            };
            let function = extraction.execution.body().function;
            let Some(class) = points_to.pointee(function, operand) else {
                continue;
            };
            let state = self.point.state;
            let counted = state
                .parts_of(&object)
                .filter(|(_, value)| extraction.turns.is_number_of_turn(start, value));
            let mut ways: Vec<Vec<PathStep>> = counted
                .map(|(place, _)| place.steps[object.steps.len()..].to_vec())
                .collect();
            if let Some(counter) = extraction.turns.counter(start) {
                let (states, execution) = (extraction.states, extraction.execution);
                let listed = numbered_parts(state, states, execution, &object, counter);
                ways.extend(listed);
            }
            for steps in &ways {
                let class = steps.iter().try_fold(class, |class, step| match step {
                    PathStep::Field { record, name } => points_to.field(class, *record, *name),
                    PathStep::Index(_) => Some(class),
                    _ => None,
                });
                let formal = Path::new(PathRoot::Formal(index as u32)).then(PathStep::Deref);
                let name = steps
                    .iter()
                    .fold(formal, |name, step| name.then(step.clone()));
                let number = PathRoot::PerThread(extraction.execution.site(start));
                found.extend(class.map(|class| StartedWith {
                    place: name,
                    value: Value::Entry(Path::new(number)),
                    class,
                }));
            }
        }
        found
    }

    fn callback(
        &self,
        extraction: &mut Extraction<'_>,
        function: &ModelValue,
        arguments: &[ModelValue],
        action: &Action,
    ) {
        let targets = self.functions_called_back(extraction, function);
        if targets.is_empty() {
            return;
        }
        extraction.facts.calls.push(CallFact {
            statement: self.point.id,
            targets,
            callee: Some(self.value(function)),
            arguments: arguments.iter().map(|value| self.value(value)).collect(),
            passed: Vec::new(),
            told: Vec::new(),
            taken: Vec::new(),
            locks: self.point.locks.clone(),
            forks: self.point.forks.clone(),
            sharing: self.point.sharing.clone(),
            private: Vec::new(),
            signals: self.point.signals.clone(),
            references: self.point.references.clone(),
            once: match action {
                Action::Once { control, .. } => match self.value(control).targets() {
                    Targets::Exactly(path) => Some(path),
                    Targets::OneOf(_) | Targets::Unknown => None,
                },
                _ => None,
            },
            repeats: !matches!(action, Action::Once { .. }),
        });
    }

    /// An access to what a model's value points to, if another thread may reach that.
    fn access<'f>(
        &self,
        extraction: &'f mut Extraction<'_>,
        pointer: &ModelValue,
        size: Option<&Size>,
        kind: AccessKind,
    ) -> Option<&'f mut Access> {
        let operand = self.operand(pointer)?;
        // A null pointer or a constant is no object.
        if !matches!(operand, Operand::Local(_)) {
            return None;
        }
        let points_to = extraction.graph.points_to();
        let mut class = points_to.pointee(extraction.execution.body().function, operand)?;
        for step in &pointer.path {
            match step {
                Step::Dereference => class = points_to.deref(class)?,
                Step::Element => {}
                Step::Field(_) | Step::Member(..) => return None,
            }
        }
        if !points_to.is_shared(class) {
            return None;
        }
        let stretches = match size {
            Some(Size::Bytes(0)) => false,
            Some(Size::Value(size)) if pointer.path.is_empty() => {
                !self.fits(extraction, operand, &self.value(size))
            }
            _ => true,
        };
        // Of a string, the first characters are read; of anything else, all of it may be.
        let whole = !matches!(size, Some(Size::String | Size::Bytes(0)));
        let place = self.value(pointer).targets();
        extraction.facts.accesses.push(Access {
            statement: self.point.id,
            kind,
            cell: Cell { class, whole },
            atomic: false,
            frees: false,
            stretches,
            privacy: super::private::privacy(&self.point.sharing, &place),
            own_element: extraction.own_element(self.point.id, &place),
            place,
            stored: Stored::default(),
            locks: self.point.locks.clone(),
            forks: self.point.forks.clone(),
            signals: self.point.signals.clone(),
            references: self.point.references.clone(),
        });
        extraction.facts.accesses.last_mut()
    }
}

impl LibraryCall<'_> {
    /// Whether so many bytes are within the record that a pointer points to.
    fn fits(&self, extraction: &Extraction<'_>, pointer: &Operand, size: &Value) -> bool {
        let (Operand::Local(local), Value::Constant(bytes)) = (pointer, size) else {
            return false;
        };
        let ty = &extraction.execution.body().local(*local).ty;
        let record = ty.pointee().and_then(|pointee| pointee.record());
        let size = record.and_then(|record| extraction.graph.points_to().record_size(record));
        size.is_some_and(|size| *bytes <= i128::from(size))
    }
}

/// What each thread of a loop gets for itself: the element with the loop's counter, the counter itself, or an
/// object that this turn of the loop has allocated.
fn per_thread(extraction: &Extraction<'_>, start: StatementId, value: Value) -> Value {
    if !extraction.loops.repeats(start) {
        return value;
    }
    let site = extraction.execution.site(start);
    let is_counter = |path: &Path| match path.root {
        PathRoot::Value(Definition::Merge(head, counter)) => {
            path.steps.is_empty()
                && extraction.loops.is_inside(start.block, head)
                && extraction
                    .execution
                    .counted_range(extraction.states, head, counter)
                    .is_some()
        }
        _ => false,
    };
    let own = |path: Path| {
        if is_counter(&path) {
            return Path::new(PathRoot::PerThread(site));
        }
        let mut root = path.root;
        // Objects are named anew in each turn: one that has a name was made in this turn.
        if let PathRoot::Heap(Site { statement, .. }) = path.root
            && extraction.loops.repeats(statement.position)
        {
            root = PathRoot::PerThread(site);
        }
        let steps = path.steps.iter().map(|step| match step {
            PathStep::Index(Index::Entry(index)) if is_counter(index) => {
                PathStep::Index(Index::Entry(Path::new(PathRoot::PerThread(site))))
            }
            step => step.clone(),
        });
        Path::with_steps(root, steps.collect())
    };
    match value {
        Value::Entry(path) => Value::Entry(own(path)),
        Value::Address(path) => Value::Address(own(path)),
        value => value,
    }
}
