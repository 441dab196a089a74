//! Jumps: loops, switches, labels, and the cleanups that they run.

use super::Lowerer;
use super::scopes::Cleanup;
use crate::ir::*;
use ustr::Ustr;

#[derive(Default)]
pub(super) struct Control {
    breaks: Vec<Target>,
    continues: Vec<Target>,
    switches: Vec<Switch>,
    labels: Vec<Label>,
    /// Jumps to labels, whose cleanups are known once every label is.
    jumps: Vec<Jump>,
    /// Blocks whose address is taken: where a computed `goto` can lead.
    addressed_labels: Vec<BlockId>,
    computed: Vec<BlockId>,
}

/// How many labels and jumps were known at some point.
pub(super) struct ControlCheckpoint {
    labels: usize,
    jumps: usize,
    addressed_labels: usize,
    computed: usize,
}

impl Control {
    pub fn checkpoint(&self) -> ControlCheckpoint {
        ControlCheckpoint {
            labels: self.labels.len(),
            jumps: self.jumps.len(),
            addressed_labels: self.addressed_labels.len(),
            computed: self.computed.len(),
        }
    }

    /// Forgets the labels and jumps of blocks that are gone.
    pub fn restore(&mut self, checkpoint: ControlCheckpoint) {
        self.labels.truncate(checkpoint.labels);
        self.jumps.truncate(checkpoint.jumps);
        self.addressed_labels.truncate(checkpoint.addressed_labels);
        self.computed.truncate(checkpoint.computed);
    }
}

#[derive(Clone, Copy)]
struct Target {
    block: BlockId,
    /// How many cleanups are pending outside the loop or switch.
    cleanups: usize,
}

pub(super) struct Switch {
    /// The promoted type of the value, to which the labels are converted.
    ty: Ty,
    cases: Vec<SwitchCase>,
    default: Option<BlockId>,
}

struct Label {
    name: Ustr,
    block: BlockId,
    cleanups: Option<Vec<Cleanup>>,
}

struct Jump {
    block: BlockId,
    label: Ustr,
    cleanups: Vec<Cleanup>,
    span: Span,
}

impl Lowerer<'_> {
    pub(super) fn enter_loop(&mut self, after: BlockId, next: BlockId) {
        let cleanups = self.scopes.cleanups.len();
        self.control.breaks.push(Target {
            block: after,
            cleanups,
        });
        self.control.continues.push(Target {
            block: next,
            cleanups,
        });
    }

    pub(super) fn leave_loop(&mut self) {
        self.control.breaks.pop();
        self.control.continues.pop();
    }

    pub(super) fn enter_switch(&mut self, after: BlockId, ty: Ty) {
        let cleanups = self.scopes.cleanups.len();
        self.control.breaks.push(Target {
            block: after,
            cleanups,
        });
        self.control.switches.push(Switch {
            ty,
            cases: Vec::new(),
            default: None,
        });
    }

    pub(super) fn leave_switch(&mut self, value: Operand, after: BlockId) -> Terminator {
        self.control.breaks.pop();
        match self.control.switches.pop() {
            Some(switch) => Terminator::Switch {
                value,
                cases: switch.cases,
                default: switch.default.unwrap_or(after),
            },
            None => Terminator::Goto(after),
        }
    }

    /// `None` for a bound that is no constant we can compute: any value may lead here.
    pub(super) fn case(&mut self, low: Option<i128>, high: Option<i128>) {
        let block = self.builder.new_block();
        self.builder.fall_into(block);
        let ty = self.control.switches.last().map(|switch| switch.ty.clone());
        let convert = |bound: i128| ty.as_ref().map_or(bound, |ty| self.wrap(bound, ty));
        let low = low.map_or(i128::MIN, convert);
        let high = high.map_or(i128::MAX, convert);
        if let Some(switch) = self.control.switches.last_mut() {
            switch.cases.push(SwitchCase {
                low,
                high,
                target: block,
            });
        }
    }

    pub(super) fn default_case(&mut self) {
        let block = self.builder.new_block();
        self.builder.fall_into(block);
        if let Some(switch) = self.control.switches.last_mut() {
            switch.default.get_or_insert(block);
        }
    }

    pub(super) fn break_loop(&mut self) {
        if let Some(&target) = self.control.breaks.last() {
            self.jump_out(target);
        }
    }

    pub(super) fn continue_loop(&mut self) {
        if let Some(&target) = self.control.continues.last() {
            self.jump_out(target);
        }
    }

    fn jump_out(&mut self, target: Target) {
        self.run_cleanups_down_to(target.cleanups);
        self.builder.terminate(Terminator::Goto(target.block));
    }

    pub(super) fn run_cleanups_down_to(&mut self, remaining: usize) {
        for index in (remaining..self.scopes.cleanups.len()).rev() {
            let cleanup = self.scopes.cleanups[index].clone();
            self.run_cleanup(&cleanup);
        }
    }

    pub(super) fn run_cleanup(&mut self, cleanup: &Cleanup) {
        if !self.builder.is_terminated() {
            let [address, call] = self.cleanup_statements(cleanup);
            self.builder.push(address);
            self.builder.push(call);
        }
    }

    fn cleanup_statements(&mut self, cleanup: &Cleanup) -> [Statement; 2] {
        let ty = self.builder.locals[cleanup.variable.0 as usize]
            .ty
            .pointer_to();
        let target = self.builder.temporary(ty);
        let function = self.function_reference(cleanup.function);
        [
            Statement::Assign {
                target,
                value: Rvalue::AddressOf(Place::local(cleanup.variable)),
            },
            Statement::Call {
                target: None,
                callee: Callee::Direct(function),
                arguments: vec![Operand::Local(target)],
            },
        ]
    }

    pub(super) fn label_block(&mut self, name: Ustr) -> BlockId {
        if let Some(label) = self.control.labels.iter().find(|label| label.name == name) {
            return label.block;
        }
        let block = self.builder.new_block();
        self.control.labels.push(Label {
            name,
            block,
            cleanups: None,
        });
        block
    }

    pub(super) fn define_label(&mut self, name: Ustr) {
        let block = self.label_block(name);
        let cleanups = self.scopes.cleanups.clone();
        if let Some(label) = self
            .control
            .labels
            .iter_mut()
            .find(|label| label.name == name)
        {
            label.cleanups = Some(cleanups);
        }
        self.builder.fall_into(block);
    }

    pub(super) fn goto(&mut self, name: Ustr) {
        let target = self.label_block(name);
        if self.scopes.cleanups.is_empty() {
            self.builder.terminate(Terminator::Goto(target));
            return;
        }
        let jump = self.builder.new_block();
        self.builder.terminate(Terminator::Goto(jump));
        self.builder.terminate_block(jump, Terminator::Goto(target));
        let span = self.builder.span;
        self.control.jumps.push(Jump {
            block: jump,
            label: name,
            cleanups: self.scopes.cleanups.clone(),
            span,
        });
    }

    pub(super) fn label_address(&mut self, name: Ustr) -> Operand {
        let block = self.label_block(name);
        if !self.control.addressed_labels.contains(&block) {
            self.control.addressed_labels.push(block);
        }
        self.builder
            .assign(Ty::void().pointer_to(), Rvalue::LabelAddress(block))
    }

    pub(super) fn computed_goto(&mut self, address: Operand) {
        if !self.builder.is_terminated() {
            self.control.computed.push(self.builder.current);
        }
        self.builder.terminate(Terminator::ComputedGoto {
            address,
            targets: Vec::new(),
        });
    }

    /// Fills in what could only be known at the end of the function.
    pub(super) fn finish_jumps(&mut self) {
        for jump in std::mem::take(&mut self.control.jumps) {
            let label = self
                .control
                .labels
                .iter()
                .find(|label| label.name == jump.label);
            let outer = label
                .and_then(|label| label.cleanups.as_ref())
                .map_or(0, |outer| {
                    outer
                        .iter()
                        .zip(&jump.cleanups)
                        .take_while(|(mine, theirs)| mine.variable == theirs.variable)
                        .count()
                });
            for cleanup in jump.cleanups[outer..].iter().rev() {
                for statement in self.cleanup_statements(cleanup) {
                    self.builder.push_into(jump.block, statement, jump.span);
                }
            }
        }
        let targets = self.control.addressed_labels.clone();
        for block in std::mem::take(&mut self.control.computed) {
            if let Terminator::ComputedGoto { targets: slot, .. } =
                &mut self.builder.blocks[block.0 as usize].terminator
            {
                slot.clone_from(&targets);
            }
        }
    }
}
