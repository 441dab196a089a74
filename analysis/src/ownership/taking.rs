//! Objects that a thread takes out of where others find them (RELAY fig. 9), and pointers that get a new name.

use super::objects::object_of;
use crate::dataflow::Solution;
use crate::ir::{
    BinaryOperator, Block, BlockId, Body, LocalId, Operand, Rvalue, Statement, StatementId,
    Terminator, Ty, UnaryOperator,
};
use crate::points_to::PointsTo;
use crate::symexec::{Definition, Execution, Path, Root, State, Step, Targets, Value};
use rustc_hash::FxHashMap;

/// A pointer that was loaded and has no better name than that.
pub(super) struct Loaded {
    pub at: StatementId,
    pub place: Path,
}

/// The objects that a store takes out: what the place pointed to, and what the new value bypasses, as
/// `prev->next = node->next` bypasses `node`.
// UNSOUND: an object whose address is overwritten where others find it, or that is bypassed in a chain, is taken
// to be found nowhere else.
pub(super) fn taken_out(
    state: &State,
    place: &Path,
    value: &Value,
    ty: &Ty,
    loads: Loads<'_>,
) -> Vec<Path> {
    let mut found = Vec::new();
    let new = match value.targets() {
        Targets::Exactly(path) => Some(object_of(&path)),
        _ => None,
    };
    let old = match state.read_path(place) {
        value @ (Value::Entry(_) | Value::Address(_)) => match value.targets() {
            Targets::Exactly(path) => vec![object_of(&path)],
            _ => Vec::new(),
        },
        _ => loads.latest_from(place),
    };
    found.extend(old.into_iter().filter(|old| Some(old) != new.as_ref()));
    // The successor of an object is stored where the object was.
    if let Value::Entry(path) = value
        && let Some(Step::Field { record, .. }) = path.steps.last()
        && let Some(linked) = ty.pointee().and_then(Ty::record)
        // Only chains of one kind of object: another member is just another pointer.
        && (linked == *record || linked.is_opaque() || record.is_opaque())
    {
        let bypassed = object_of(path);
        let is_pointee = bypassed.steps.contains(&Step::Deref);
        if is_pointee && object_of(place) != bypassed && !found.contains(&bypassed) {
            found.push(bypassed);
        }
    }
    found.retain(|object| match object.root {
        Root::Heap(_) | Root::Local(_) | Root::Somewhere => false,
        _ => object.steps.contains(&Step::Deref),
    });
    found
}

/// So many blocks are looked through for loads of one pointer.
const LONGEST_WAY: usize = 4;

/// The pointers that were loaded in front of a statement.
#[derive(Clone, Copy)]
pub(super) struct Loads<'l> {
    pub body: &'l Body,
    pub all: &'l [Loaded],
    pub before: StatementId,
}

impl Loads<'_> {
    /// What was last loaded from a place, in the same block or by the only load of it, under each of its names:
    /// `item = queue; queue = queue->next;` loads one pointer twice.
    fn latest_from(&self, place: &Path) -> Vec<Path> {
        let at = self.before;
        let loads = self.all.iter().filter(|load| load.place == *place);
        let same: Vec<StatementId> = loads.map(|load| load.at).collect();
        let in_block = |load: &&StatementId| load.block == at.block && load.index < at.index;
        let latest = match same.iter().rev().find(in_block) {
            Some(latest) => *latest,
            None if same.len() == 1 => same[0],
            None => return Vec::new(),
        };
        let unchanged = self.unchanged_before(latest);
        same.into_iter()
            .filter(|load| {
                let at = |(block, from, to): &(BlockId, u32, u32)| {
                    load.block == *block && (*from..*to).contains(&load.index)
                };
                *load == latest || unchanged.iter().any(at)
            })
            .map(|load| Path::new(Root::Value(Definition::Statement(load))).then(Step::Deref))
            .collect()
    }

    /// The statements in front of another one between which and that one nothing can have been written, as ranges in
    /// blocks: back to the last write, through blocks that control can come from by one way only.
    fn unchanged_before(&self, statement: StatementId) -> Vec<(BlockId, u32, u32)> {
        let mut found = Vec::new();
        let (mut block, mut end) = (statement.block, statement.index);
        for _ in 0..LONGEST_WAY {
            let statements = &self.body.block(block).statements[..end as usize];
            let since = statements.iter().rposition(may_write);
            found.push((block, since.map_or(0, |at| at as u32 + 1), end));
            let leads_here =
                |(_, from): &(usize, &Block)| from.terminator.successors().contains(&block);
            let mut before = self.body.blocks.iter().enumerate().filter(leads_here);
            let (Some((only, content)), None, None) = (before.next(), before.next(), since) else {
                break;
            };
            (block, end) = (BlockId(only as u32), content.statements.len() as u32);
        }
        found
    }
}

fn may_write(statement: &Statement) -> bool {
    !matches!(statement, Statement::Load { .. } | Statement::Assign { .. })
}

/// What a register points to where an edge begins.
pub(super) enum Source {
    /// Nothing: it is null.
    Null,
    Object(Path),
    Unknown,
}

/// For an edge, the names that pointers get where it leads, and what they are before.
pub(super) type Meetings = FxHashMap<(BlockId, BlockId), Vec<(Path, Source)>>;

pub(super) fn meetings(
    body: &Body,
    states: &Solution<State>,
    execution: &Execution<'_>,
    points_to: &PointsTo,
) -> Meetings {
    let mut meetings = Meetings::default();
    let merged: Vec<Vec<LocalId>> = states
        .entries
        .iter()
        .enumerate()
        .map(|(index, entry)| match entry {
            Some(entry) => {
                let merged = execution.merged_registers(entry, BlockId(index as u32));
                let mut merged = merged.to_vec();
                merged.retain(|local| {
                    let operand = Operand::Local(*local);
                    points_to.pointee(body.function, &operand).is_some()
                });
                merged
            }
            None => Vec::new(),
        })
        .collect();
    for (index, block) in body.blocks.iter().enumerate() {
        let from = BlockId(index as u32);
        let mut exit: Option<State> = None;
        for to in block.terminator.successors() {
            let merged = &merged[to.0 as usize];
            if merged.is_empty() {
                continue;
            }
            if exit.is_none() {
                exit = execution.exit_state(states, from);
            }
            let Some(exit) = &exit else { break };
            let named = merged.iter().map(|local| {
                let name = Root::Value(Definition::Merge(to, *local));
                let source = match exit.operand(&Operand::Local(*local)) {
                    Value::Constant(0) => Source::Null,
                    value => match value.targets() {
                        Targets::Exactly(path) => Source::Object(object_of(&path)),
                        _ => Source::Unknown,
                    },
                };
                (Path::new(name).then(Step::Deref), source)
            });
            meetings.insert((from, to), named.collect());
        }
    }
    meetings
}

/// For an edge, by the block that it leaves and its number there, an object that is not there because the
/// pointer to it is null.
pub(super) type Nulls = FxHashMap<(BlockId, usize), Path>;

pub(super) fn nulls(body: &Body, states: &Solution<State>, execution: &Execution<'_>) -> Nulls {
    let mut nulls = Nulls::default();
    for (index, block) in body.blocks.iter().enumerate() {
        let Terminator::Branch {
            condition: Operand::Local(condition),
            ..
        } = &block.terminator
        else {
            continue;
        };
        let (pointer, null_edge) = tested(&block.statements, *condition);
        let from = BlockId(index as u32);
        let value = execution
            .exit_state(states, from)
            .map(|state| state.operand(&Operand::Local(pointer)));
        if let Some(Targets::Exactly(path)) = value.map(|value| value.targets()) {
            nulls.insert((from, null_edge), object_of(&path));
        }
    }
    nulls
}

/// The register whose value a branch tests, and the edge that control takes if it is zero.
fn tested(statements: &[Statement], condition: LocalId) -> (LocalId, usize) {
    let mut tested = (condition, 1);
    for statement in statements.iter().rev() {
        let Statement::Assign { target, value } = statement else {
            continue;
        };
        if *target != tested.0 {
            continue;
        }
        let (operand, is_turned) = match value {
            Rvalue::Use(operand) | Rvalue::Convert { value: operand, .. } => (operand, false),
            Rvalue::Unary(UnaryOperator::Not, operand) => (operand, true),
            Rvalue::Binary {
                operator: operator @ (BinaryOperator::Equal | BinaryOperator::NotEqual),
                left,
                right: Operand::Integer(0),
                ..
            } => (left, *operator == BinaryOperator::Equal),
            _ => return tested,
        };
        let Operand::Local(local) = operand else {
            return tested;
        };
        let edge = if is_turned { 1 - tested.1 } else { tested.1 };
        tested = (*local, edge);
    }
    tested
}
