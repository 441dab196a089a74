//! The way back from a body to the text it was lowered from.

use super::body::{BlockId, LocalId, StatementId};

/// A range of bytes in the normalised text of an item. It says nothing about files or lines, so a
/// function that moves keeps its spans.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// Spans for everything in a body that a user may be shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BodySourceMap {
    pub statements: Vec<Vec<Span>>,
    pub terminators: Vec<Span>,
    pub statics: Vec<Span>,
    pub locals: Vec<Span>,
}

impl BodySourceMap {
    pub fn statement(&self, id: StatementId) -> Span {
        self.statements[id.block.0 as usize][id.index as usize]
    }

    pub fn terminator(&self, block: BlockId) -> Span {
        self.terminators[block.0 as usize]
    }

    pub fn local(&self, local: LocalId) -> Span {
        self.locals[local.0 as usize]
    }
}
