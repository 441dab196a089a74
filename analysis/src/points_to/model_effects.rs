//! What a model says about a call, in terms of the caller.

use super::builder::Builder;
use super::constraints::{
    Argument, Constraints, Effects, Flow, Label, ModelUse, Priority, Term, TermId,
};
use super::terms::Terms;
use crate::ir::{BlockId, LocalId, Operand, RecordRef, StatementId, Ty, TyKind};
use crate::models::{
    Action, Atomic, AtomicOperation, AtomicResult, FunctionModel, Returns, Root, Size, Step, Value,
};
use ustr::Ustr;

/// A call as a model sees it.
struct ModelledCall<'a> {
    site: StatementId,
    arguments: &'a [Argument],
    /// Which arguments point to characters.
    characters: Vec<bool>,
    result: Option<TermId>,
    result_flow: Flow,
}

impl Builder<'_> {
    pub fn model_use(
        &mut self,
        site: StatementId,
        name: Ustr,
        operands: &[Operand],
        arguments: &[Argument],
        result: &Option<Argument>,
    ) -> Option<ModelUse> {
        let model = self.models.lookup(&name)?;
        if !model.accepts(operands.len()) {
            return None;
        }
        let characters = operands
            .iter()
            .map(|operand| match operand {
                Operand::String(_) => true,
                _ => self.operand_type(operand).is_some_and(points_to_characters),
            })
            .collect();
        let call = ModelledCall {
            site,
            arguments,
            characters,
            result: result.as_ref().and_then(|result| result.value),
            result_flow: result.as_ref().map_or(Flow::Never, |result| result.flow),
        };
        let priority = if model.wraps_body() {
            Priority::Wraps
        } else if model.replaces_body {
            Priority::Replaces
        } else {
            Priority::Fallback
        };
        let effects = effects(&mut self.terms, model, &call);
        Some(ModelUse { priority, effects })
    }
}

/// A library function as if it had a body, for calls through a pointer.
pub(super) fn library_constraints(model: &FunctionModel) -> Constraints {
    let mut terms = Terms::default();
    let formals: Vec<Argument> = (0..model.arguments.unwrap_or(0))
        .map(|index| Argument {
            value: Some(terms.term(Term::Register(LocalId(u32::from(index))))),
            flow: Flow::Always,
            record: None,
        })
        .collect();
    let result = terms.term(Term::Result);
    let call = ModelledCall {
        site: StatementId {
            block: BlockId(0),
            index: 0,
        },
        arguments: &formals,
        characters: vec![false; formals.len()],
        result: Some(result),
        result_flow: Flow::Always,
    };
    let effects = effects(&mut terms, model, &call);
    Constraints {
        terms: terms.list,
        formals,
        variadic: model.variadic || model.arguments.is_none(),
        result: Some(Argument {
            value: Some(result),
            flow: Flow::Always,
            record: None,
        }),
        effects,
        ..Constraints::default()
    }
}

fn effects(terms: &mut Terms, model: &FunctionModel, call: &ModelledCall<'_>) -> Effects {
    let mut effects = Effects::default();
    for effect in &model.effects {
        action(terms, &mut effects, &effect.action, call);
    }
    match &model.returns {
        Returns::Value(value) => {
            if let Some(result) = call.result {
                for (value, flow) in values(terms, value, call) {
                    let flow = flow.min(call.result_flow);
                    equate(&mut effects, result, value, flow);
                }
            }
        }
        Returns::Fresh => allocate_result(terms, &mut effects, call),
        Returns::Unknown | Returns::Zero => {}
    }
    effects
}

fn action(terms: &mut Terms, effects: &mut Effects, action: &Action, call: &ModelledCall<'_>) {
    match action {
        Action::Start {
            entry, arguments, ..
        } => {
            let arguments = callback(terms, effects, entry, arguments, call);
            let shared = arguments.iter().filter_map(|argument| argument.value);
            effects.shared.extend(shared);
        }
        Action::Once {
            entry: function,
            arguments,
            ..
        }
        | Action::Call {
            function,
            arguments,
        } => {
            callback(terms, effects, function, arguments, call);
        }
        Action::Write {
            pointer,
            value: Some(value),
            ..
        } => {
            for (value, flow) in values(terms, value, call) {
                for (pointer, _) in values(terms, pointer, call) {
                    let content = content_of(terms, pointer);
                    equate(effects, content, value, flow);
                }
            }
        }
        Action::Copy { to, from, size } => {
            if *size == Size::String || (is_characters(to, call) && is_characters(from, call)) {
                return;
            }
            for (from, _) in values(terms, from, call) {
                for (to, _) in values(terms, to, call) {
                    let (to, from) = (content_of(terms, to), content_of(terms, from));
                    equate(effects, to, from, Flow::Always);
                }
            }
        }
        Action::Allocate { result, .. } => {
            if *result == Value::result() {
                allocate_result(terms, effects, call);
                return;
            }
            for (value, _) in values(terms, result, call) {
                let (cell, heap) = (terms.target(value), terms.term(Term::Heap(call.site)));
                effects.equal.push((cell, heap));
            }
        }
        Action::Atomic(atomic) => atomic_access(terms, effects, atomic, call),
        _ => {}
    }
}

fn allocate_result(terms: &mut Terms, effects: &mut Effects, call: &ModelledCall<'_>) {
    if let Some(result) = call.result {
        let (cell, heap) = (terms.target(result), terms.term(Term::Heap(call.site)));
        if !effects.equal.contains(&(cell, heap)) {
            effects.equal.push((cell, heap));
        }
    }
}

/// The library calls a function of the program; returns what it hands over.
fn callback(
    terms: &mut Terms,
    effects: &mut Effects,
    function: &Value,
    arguments: &[Value],
    call: &ModelledCall<'_>,
) -> Vec<Argument> {
    let arguments: Vec<Argument> = arguments
        .iter()
        .map(|argument| {
            let value = values(terms, argument, call).into_iter().next();
            Argument {
                value: value.map(|(value, _)| value),
                flow: value.map_or(Flow::Never, |(_, flow)| flow),
                record: None,
            }
        })
        .collect();
    for (function, _) in values(terms, function, call) {
        effects.callbacks.push((function, arguments.clone()));
    }
    arguments
}

/// Most atomic objects are counters, so that everything is a matter of "if it is a pointer".
fn atomic_access(
    terms: &mut Terms,
    effects: &mut Effects,
    atomic: &Atomic,
    call: &ModelledCall<'_>,
) {
    let Some(pointer) = &atomic.pointer else {
        return;
    };
    let stores = matches!(
        atomic.operation,
        AtomicOperation::Store | AtomicOperation::Exchange | AtomicOperation::CompareExchange
    );
    for (pointer, _) in values(terms, pointer, call) {
        let content = content_of(terms, pointer);
        let mut flowing = Vec::new();
        if stores && let Some(value) = &atomic.value {
            flowing.extend(values(terms, value, call));
        }
        if let Some(out) = &atomic.out {
            flowing.extend(values(terms, out, call));
        }
        if matches!(atomic.result, AtomicResult::Old | AtomicResult::New)
            && let Some(result) = call.result
        {
            flowing.push((result, call.result_flow));
        }
        for (value, flow) in flowing {
            equate(effects, content, value, flow.min(Flow::Perhaps));
        }
    }
}

/// The values that a model's value stands for at a call; none if it is a constant.
fn values(terms: &mut Terms, value: &Value, call: &ModelledCall<'_>) -> Vec<(TermId, Flow)> {
    let argument = |argument: &Argument| Some((argument.value?, argument.flow, argument.record));
    let roots: Vec<(TermId, Flow, Option<RecordRef>)> = match value.root {
        Root::Argument(index) => call
            .arguments
            .get(usize::from(index))
            .and_then(argument)
            .into_iter()
            .collect(),
        Root::ArgumentsFrom(first) => call
            .arguments
            .iter()
            .skip(usize::from(first))
            .filter_map(argument)
            .collect(),
        Root::Result => call
            .result
            .map(|result| (result, call.result_flow, None))
            .into_iter()
            .collect(),
        Root::Global(name) => {
            let cell = terms.term(Term::Library(name));
            vec![(terms.address(cell), Flow::Always, None)]
        }
        Root::Constant(_) | Root::Unknown => Vec::new(),
    };
    roots
        .into_iter()
        .filter_map(|(root, flow, record)| follow(terms, root, flow, record, &value.path))
        .collect()
}

fn follow(
    terms: &mut Terms,
    root: TermId,
    flow: Flow,
    record: Option<RecordRef>,
    path: &[Step],
) -> Option<(TermId, Flow)> {
    let (mut value, mut flow, mut record) = (root, flow, record);
    for step in path {
        match step {
            Step::Dereference => {
                value = content_of(terms, value);
                (flow, record) = (Flow::Always, None);
            }
            Step::Field(name) => {
                // UNSOUND: A member that a model names is not followed where the argument's type
                // does not say which record has it.
                let label = Label {
                    record: record.take()?,
                    name: *name,
                };
                let cell = terms.target(value);
                let member = terms.term(Term::Field(cell, label));
                value = terms.address(member);
            }
            Step::Member(known, name) => {
                let label = Label {
                    record: *known,
                    name: *name,
                };
                let cell = terms.target(value);
                let member = terms.term(Term::Field(cell, label));
                value = terms.address(member);
                record = None;
            }
            Step::Element => {}
        }
    }
    Some((value, flow))
}

fn content_of(terms: &mut Terms, pointer: TermId) -> TermId {
    let cell = terms.target(pointer);
    terms.content(cell)
}

fn equate(effects: &mut Effects, left: TermId, right: TermId, flow: Flow) {
    match flow {
        Flow::Always => effects.equal.push((left, right)),
        Flow::Perhaps => effects.equal_if_pointer.push((left, right)),
        Flow::Never => {}
    }
}

fn is_characters(value: &Value, call: &ModelledCall<'_>) -> bool {
    match value.root {
        Root::Argument(index) => {
            let characters = call.characters.get(usize::from(index));
            characters.copied().unwrap_or(false)
        }
        _ => false,
    }
}

fn points_to_characters(ty: &Ty) -> bool {
    let Some(pointee) = ty.pointee() else {
        return false;
    };
    matches!(pointee.kind(), TyKind::Int(int) if int.rank <= crate::ir::IntRank::Char)
}
