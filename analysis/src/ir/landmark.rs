//! Names of statements that stay the same when other statements come or go: what is called, and the number of the call
//! among those of the same function.

use super::body::{Body, Callee, Rvalue, Statement, StatementId};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use ustr::Ustr;

/// A statement as other functions know it. Two are equal if they have the same name, wherever they stand.
#[derive(Clone, Copy)]
pub struct Landmark {
    what: Ustr,
    ordinal: u32,
    /// Where it stood when it was named. Only who looks at the same body may use this: an edit moves statements,
    /// and what other functions know of them stays.
    pub position: StatementId,
}

impl Landmark {
    /// The call of a function with this number among such calls.
    pub fn of_call(callee: Ustr, ordinal: u32, position: StatementId) -> Landmark {
        Landmark {
            what: callee,
            ordinal,
            position,
        }
    }

    fn name(&self) -> (Ustr, u32) {
        (self.what, self.ordinal)
    }
}

#[cfg(test)]
impl Landmark {
    pub fn for_tests(ordinal: u32) -> Landmark {
        let position = StatementId {
            block: super::BlockId(0),
            index: ordinal,
        };
        Landmark::of_call(Ustr::from("call"), ordinal, position)
    }
}

impl std::fmt::Debug for Landmark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.what, self.ordinal)
    }
}

impl PartialEq for Landmark {
    fn eq(&self, other: &Landmark) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Landmark {}

impl Hash for Landmark {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl PartialOrd for Landmark {
    fn partial_cmp(&self, other: &Landmark) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Landmark {
    fn cmp(&self, other: &Landmark) -> Ordering {
        self.name().cmp(&other.name())
    }
}

/// The names of a body's statements, found when somebody asks for one.
#[derive(Default)]
pub struct Landmarks(OnceLock<Named>);

#[derive(Default)]
struct Named {
    names: FxHashMap<StatementId, Landmark>,
    places: FxHashMap<(Ustr, u32), StatementId>,
}

impl Clone for Landmarks {
    /// Whoever copies a body means to change it.
    fn clone(&self) -> Landmarks {
        Landmarks::default()
    }
}

impl PartialEq for Landmarks {
    /// They follow from the body.
    fn eq(&self, _: &Landmarks) -> bool {
        true
    }
}

impl Eq for Landmarks {}

impl std::fmt::Debug for Landmarks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Landmarks")
    }
}

/// What a statement is named after; no function is called so unless it is a call.
fn kind(statement: &Statement) -> Option<Ustr> {
    match statement {
        Statement::Call {
            callee: Callee::Direct(function),
            ..
        } => Some(function.name),
        Statement::Call { .. } => Some(Ustr::from("(pointer)")),
        Statement::Assign {
            value: Rvalue::StackAllocate { .. },
            ..
        } => Some(Ustr::from("(stack)")),
        _ => None,
    }
}

impl Named {
    fn new(body: &Body) -> Named {
        let mut named = Named::default();
        let mut counts: FxHashMap<Ustr, u32> = FxHashMap::default();
        for (position, statement) in body.statements() {
            let Some(what) = kind(statement) else {
                continue;
            };
            let next = counts.entry(what).or_default();
            let ordinal = *next;
            *next += 1;
            let landmark = Landmark::of_call(what, ordinal, position);
            named.names.insert(position, landmark);
            named.places.insert((what, ordinal), position);
        }
        named
    }
}

impl Body {
    /// The name of a statement. One that neither calls nor allocates is named by where it stands.
    pub fn landmark(&self, position: StatementId) -> Landmark {
        let known = self.named().names.get(&position);
        known.copied().unwrap_or_else(|| Landmark {
            what: Ustr::from(&format!("(block {})", position.block.0)),
            ordinal: position.index,
            position,
        })
    }

    /// Where the statement with this name stands now; `None` if it is gone.
    pub fn position(&self, landmark: Landmark) -> Option<StatementId> {
        if let Some(known) = self.named().places.get(&landmark.name()) {
            return Some(*known);
        }
        // It has no name of its own.
        let block = self.blocks.get(landmark.position.block.0 as usize)?;
        let is_there = (landmark.position.index as usize) < block.statements.len();
        let is_unnamed = self.landmark(landmark.position) == landmark;
        (is_there && is_unnamed).then_some(landmark.position)
    }

    fn named(&self) -> &Named {
        self.landmarks.0.get_or_init(|| Named::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, BlockId, FunctionRef, GlobalScope, LocalId, Operand, Terminator, Ty};

    fn call(name: &str) -> Statement {
        Statement::Call {
            target: None,
            callee: Callee::Direct(FunctionRef {
                name: Ustr::from(name),
                scope: GlobalScope::External,
            }),
            arguments: Vec::new(),
        }
    }

    fn computation() -> Statement {
        Statement::Assign {
            target: LocalId(0),
            value: Rvalue::Use(Operand::Integer(1)),
        }
    }

    fn body(statements: Vec<Statement>) -> Body {
        Body {
            function: FunctionRef {
                name: Ustr::from("f"),
                scope: GlobalScope::External,
            },
            result: Ty::void(),
            parameters: 0,
            variadic: false,
            locals: Vec::new(),
            strings: Vec::new(),
            statics: Vec::new(),
            static_locals: Vec::new(),
            blocks: vec![Block {
                statements,
                terminator: Terminator::Return(None),
            }],
            records: Vec::new(),
            landmarks: Landmarks::default(),
        }
    }

    fn at(index: u32) -> StatementId {
        StatementId {
            block: BlockId(0),
            index,
        }
    }

    #[test]
    fn a_call_keeps_its_name_when_others_come_before_it() {
        let before = body(vec![call("lock"), call("work"), call("lock")]);
        let after = body(vec![
            computation(),
            call("other"),
            call("lock"),
            computation(),
            call("work"),
            call("lock"),
        ]);
        for (old, new) in [(0, 2), (1, 4), (2, 5)] {
            let name = before.landmark(at(old));
            assert_eq!(name, after.landmark(at(new)));
            assert_eq!(after.position(name), Some(at(new)));
        }
        assert_ne!(before.landmark(at(0)), before.landmark(at(2)));
    }

    #[test]
    fn what_is_gone_is_not_found() {
        let before = body(vec![call("lock"), call("lock"), computation()]);
        let after = body(vec![call("lock")]);
        assert_eq!(after.position(before.landmark(at(1))), None);
        assert_eq!(after.position(before.landmark(at(2))), None);
        assert_eq!(before.position(before.landmark(at(2))), Some(at(2)));
    }
}
