//! Builds blocks and statements, each with its span.

use super::LoweredBody;
use crate::ir::cfg::reverse_postorder;
use crate::ir::*;
use ustr::Ustr;

pub(super) struct Builder {
    pub locals: Vec<Local>,
    pub local_spans: Vec<Span>,
    pub parameters: usize,
    pub strings: Vec<Box<[u8]>>,
    pub blocks: Vec<Block>,
    spans: Vec<Vec<Span>>,
    terminators: Vec<Span>,
    terminated: Vec<bool>,
    /// What initialises `static` locals.
    statics: Vec<Statement>,
    static_spans: Vec<Span>,
    pub static_locals: Vec<(GlobalRef, Ty)>,
    pub current: BlockId,
    /// The span for what is built next.
    pub span: Span,
}

/// A point to which the builder can be taken back.
pub(super) struct Checkpoint {
    locals: usize,
    strings: usize,
    blocks: usize,
    statements: usize,
    statics: usize,
    static_locals: usize,
    current: BlockId,
    terminated: bool,
    span: Span,
}

impl Builder {
    pub fn new() -> Builder {
        let mut builder = Builder {
            locals: Vec::new(),
            local_spans: Vec::new(),
            parameters: 0,
            strings: Vec::new(),
            blocks: Vec::new(),
            spans: Vec::new(),
            terminators: Vec::new(),
            terminated: Vec::new(),
            statics: Vec::new(),
            static_spans: Vec::new(),
            static_locals: Vec::new(),
            current: BlockId(0),
            span: Span::default(),
        };
        builder.new_block();
        builder
    }

    pub fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block::default());
        self.spans.push(Vec::new());
        self.terminators.push(self.span);
        self.terminated.push(false);
        id
    }

    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    pub fn is_terminated(&self) -> bool {
        self.terminated[self.current.0 as usize]
    }

    pub fn push(&mut self, statement: Statement) {
        if self.is_terminated() {
            // Code behind a jump: it gets a block that nothing leads to, and is pruned.
            let block = self.new_block();
            self.switch_to(block);
        }
        let current = self.current.0 as usize;
        self.blocks[current].statements.push(statement);
        self.spans[current].push(self.span);
    }

    /// Appends to a block that is not the current one, even if it has its terminator.
    pub fn push_into(&mut self, block: BlockId, statement: Statement, span: Span) {
        self.blocks[block.0 as usize].statements.push(statement);
        self.spans[block.0 as usize].push(span);
    }

    /// Moves the statements of a block that nothing leads to into the body's statics.
    pub fn keep_as_statics(&mut self, block: BlockId) {
        let index = block.0 as usize;
        self.statics.append(&mut self.blocks[index].statements);
        self.static_spans.append(&mut self.spans[index]);
    }

    pub fn terminate(&mut self, terminator: Terminator) {
        let current = self.current;
        self.terminate_block(current, terminator);
    }

    /// Ends a block unless it has ended already.
    pub fn terminate_block(&mut self, block: BlockId, terminator: Terminator) {
        let index = block.0 as usize;
        if !std::mem::replace(&mut self.terminated[index], true) {
            self.blocks[index].terminator = terminator;
            self.terminators[index] = self.span;
        }
    }

    /// Goes on in `block`, from where the current block ends.
    pub fn fall_into(&mut self, block: BlockId) {
        self.terminate(Terminator::Goto(block));
        self.switch_to(block);
    }

    pub fn new_local(&mut self, name: Option<Ustr>, ty: Ty, storage: Storage) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(Local { name, ty, storage });
        self.local_spans.push(self.span);
        id
    }

    pub fn temporary(&mut self, ty: Ty) -> LocalId {
        self.new_local(None, ty, Storage::Register)
    }

    /// Computes `value` into a new temporary.
    pub fn assign(&mut self, ty: Ty, value: Rvalue) -> Operand {
        let target = self.temporary(ty);
        self.push(Statement::Assign { target, value });
        Operand::Local(target)
    }

    pub fn string(&mut self, bytes: Vec<u8>) -> StringId {
        let id = StringId(self.strings.len() as u32);
        self.strings.push(bytes.into());
        id
    }

    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            locals: self.locals.len(),
            strings: self.strings.len(),
            blocks: self.blocks.len(),
            statements: self.blocks[self.current.0 as usize].statements.len(),
            statics: self.statics.len(),
            static_locals: self.static_locals.len(),
            current: self.current,
            terminated: self.is_terminated(),
            span: self.span,
        }
    }

    /// Forgets all that was built since the checkpoint.
    pub fn restore(&mut self, checkpoint: Checkpoint) {
        self.locals.truncate(checkpoint.locals);
        self.local_spans.truncate(checkpoint.locals);
        self.strings.truncate(checkpoint.strings);
        self.blocks.truncate(checkpoint.blocks);
        self.spans.truncate(checkpoint.blocks);
        self.terminators.truncate(checkpoint.blocks);
        self.terminated.truncate(checkpoint.blocks);
        self.statics.truncate(checkpoint.statics);
        self.static_spans.truncate(checkpoint.statics);
        self.static_locals.truncate(checkpoint.static_locals);
        self.current = checkpoint.current;
        self.span = checkpoint.span;
        let current = self.current.0 as usize;
        self.blocks[current]
            .statements
            .truncate(checkpoint.statements);
        self.spans[current].truncate(checkpoint.statements);
        self.terminated[current] = checkpoint.terminated;
        if !checkpoint.terminated {
            self.blocks[current].terminator = Terminator::Unreachable;
        }
    }

    pub fn finish(
        mut self,
        function: FunctionRef,
        result: Ty,
        variadic: bool,
        records: Vec<(RecordRef, RecordLayout)>,
    ) -> LoweredBody {
        self.join_straight_lines();
        let order = reverse_postorder(&self.blocks);
        let mut renumbered = vec![BlockId(0); self.blocks.len()];
        for (new, old) in order.iter().enumerate() {
            renumbered[old.0 as usize] = BlockId(new as u32);
        }
        let mut blocks = Vec::with_capacity(order.len());
        let mut source_map = BodySourceMap {
            locals: self.local_spans,
            ..BodySourceMap::default()
        };
        for old in order {
            let index = old.0 as usize;
            let mut block = std::mem::take(&mut self.blocks[index]);
            block
                .terminator
                .redirect(|target| renumbered[target.0 as usize]);
            for statement in &mut block.statements {
                if let Statement::Assign {
                    value: Rvalue::LabelAddress(label),
                    ..
                } = statement
                {
                    *label = renumbered[label.0 as usize];
                }
            }
            blocks.push(block);
            source_map
                .statements
                .push(std::mem::take(&mut self.spans[index]));
            source_map.terminators.push(self.terminators[index]);
        }
        for statement in &mut self.statics {
            if let Statement::Assign {
                value: Rvalue::LabelAddress(label),
                ..
            } = statement
            {
                *label = renumbered[label.0 as usize];
            }
        }
        source_map.statics = self.static_spans;
        let body = Body {
            statics: self.statics,
            static_locals: self.static_locals,
            function,
            result,
            parameters: self.parameters,
            variadic,
            locals: self.locals,
            strings: self.strings,
            blocks,
            records,
            landmarks: Landmarks::default(),
        };
        LoweredBody {
            body,
            source_map,
            type_cut: None,
        }
    }

    /// Joins blocks that can only follow each other. The blocks left over are unreachable.
    fn join_straight_lines(&mut self) {
        let order = reverse_postorder(&self.blocks);
        let mut entries = vec![0u32; self.blocks.len()];
        entries[0] = 1;
        for statement in &self.statics {
            if let Statement::Assign {
                value: Rvalue::LabelAddress(label),
                ..
            } = statement
            {
                entries[label.0 as usize] += 2;
            }
        }
        for block in &order {
            for successor in self.blocks[block.0 as usize].terminator.successors() {
                entries[successor.0 as usize] += 1;
            }
            for statement in &self.blocks[block.0 as usize].statements {
                // A label whose address is taken can be entered from elsewhere.
                if let Statement::Assign {
                    value: Rvalue::LabelAddress(label),
                    ..
                } = statement
                {
                    entries[label.0 as usize] += 2;
                }
            }
        }
        for block in order {
            let index = block.0 as usize;
            while let Terminator::Goto(next) = self.blocks[index].terminator {
                if entries[next.0 as usize] != 1 || next == block {
                    break;
                }
                let joined = std::mem::take(&mut self.blocks[next.0 as usize]);
                let spans = std::mem::take(&mut self.spans[next.0 as usize]);
                entries[next.0 as usize] = 0;
                self.blocks[index].statements.extend(joined.statements);
                self.blocks[index].terminator = joined.terminator;
                self.spans[index].extend(spans);
                self.terminators[index] = self.terminators[next.0 as usize];
            }
        }
    }
}
