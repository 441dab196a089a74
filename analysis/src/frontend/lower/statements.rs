//! Statements.

use super::Lowerer;
use super::conversions::Value;
use crate::ir::{Operand, Terminator};
use lang_c::ast::*;
use lang_c::span::Node;
use ustr::Ustr;

impl Lowerer<'_> {
    pub(super) fn statement(&mut self, statement: &Node<Statement>) {
        self.at(statement);
        match &statement.node {
            Statement::Compound(items) => {
                self.scopes.enter();
                for item in items {
                    self.block_item(item);
                }
                self.leave_scope();
            }
            Statement::Expression(Some(expression)) => self.discard(expression),
            Statement::Expression(None) => {}
            Statement::Labeled(labeled) => self.labeled(&labeled.node),
            Statement::If(branch) => self.if_chain(&branch.node),
            Statement::Switch(switch) => self.switch(&switch.node),
            Statement::While(repeat) => {
                let (head, body, after) = (
                    self.builder.new_block(),
                    self.builder.new_block(),
                    self.builder.new_block(),
                );
                self.builder.fall_into(head);
                self.condition(&repeat.node.expression, body, after);
                self.builder.switch_to(body);
                self.enter_loop(after, head);
                self.statement(&repeat.node.statement);
                self.leave_loop();
                self.builder.terminate(Terminator::Goto(head));
                self.builder.switch_to(after);
            }
            Statement::DoWhile(repeat) => {
                let (body, test, after) = (
                    self.builder.new_block(),
                    self.builder.new_block(),
                    self.builder.new_block(),
                );
                self.builder.fall_into(body);
                self.enter_loop(after, test);
                self.statement(&repeat.node.statement);
                self.leave_loop();
                self.builder.fall_into(test);
                self.condition(&repeat.node.expression, body, after);
                self.builder.switch_to(after);
            }
            Statement::For(repeat) => self.for_loop(&repeat.node),
            Statement::Goto(label) => self.goto(Ustr::from(&label.node.name)),
            Statement::Continue => self.continue_loop(),
            Statement::Break => self.break_loop(),
            Statement::Return(value) => {
                let value = value.as_ref().and_then(|value| self.returned(value));
                self.at(statement);
                self.run_cleanups_down_to(0);
                self.builder.terminate(Terminator::Return(value));
            }
            // The normaliser turns assembly into calls.
            Statement::Asm(_) => self.builder.push(crate::ir::Statement::Assembly {
                memory_clobber: true,
                harmless: false,
            }),
        }
    }

    fn block_item(&mut self, item: &Node<BlockItem>) {
        match &item.node {
            BlockItem::Declaration(declaration) => self.local_declaration(&declaration.node),
            BlockItem::StaticAssert(_) => {}
            BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    pub(super) fn leave_scope(&mut self) {
        for cleanup in self.scopes.leave() {
            self.run_cleanup(&cleanup);
        }
    }

    fn labeled(&mut self, labeled: &LabeledStatement) {
        match &labeled.label.node {
            Label::Identifier(name) => self.define_label(Ustr::from(&name.node.name)),
            Label::Case(value) => {
                let value = self.constant(value);
                self.case(value, value);
            }
            Label::CaseRange(range) => {
                let low = self.constant(&range.node.low);
                let high = self.constant(&range.node.high);
                self.case(low, high);
            }
            Label::Default => self.default_case(),
        }
        self.statement(&labeled.statement);
    }

    /// `if … else if … else …`, without recursion along the chain.
    fn if_chain(&mut self, first: &IfStatement) {
        let after = self.builder.new_block();
        let mut branch = first;
        loop {
            let then = self.builder.new_block();
            let otherwise = match &branch.else_statement {
                Some(_) => self.builder.new_block(),
                None => after,
            };
            self.condition(&branch.condition, then, otherwise);
            self.builder.switch_to(then);
            self.statement(&branch.then_statement);
            self.builder.terminate(Terminator::Goto(after));
            let Some(next) = &branch.else_statement else {
                break;
            };
            self.builder.switch_to(otherwise);
            match &next.node {
                Statement::If(nested) => branch = &nested.node,
                _ => {
                    self.statement(next);
                    self.builder.terminate(Terminator::Goto(after));
                    break;
                }
            }
        }
        self.builder.switch_to(after);
    }

    fn switch(&mut self, switch: &SwitchStatement) {
        let value = self.value(&switch.expression);
        let value = self.promote(value);
        let after = self.builder.new_block();
        let dispatch = self.builder.current;
        let dispatch_ended = self.builder.is_terminated();
        let span = self.builder.span;
        // Statements in front of the first label cannot be reached.
        let body = self.builder.new_block();
        self.builder.switch_to(body);
        self.enter_switch(after, value.ty);
        self.statement(&switch.statement);
        let terminator = self.leave_switch(value.operand, after);
        self.builder.terminate(Terminator::Goto(after));
        self.builder.span = span;
        if !dispatch_ended {
            self.builder.terminate_block(dispatch, terminator);
        }
        self.builder.switch_to(after);
    }

    fn for_loop(&mut self, repeat: &ForStatement) {
        self.scopes.enter();
        match &repeat.initializer.node {
            ForInitializer::Expression(expression) => self.discard(expression),
            ForInitializer::Declaration(declaration) => self.local_declaration(&declaration.node),
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
        }
        let (head, body, step, after) = (
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
            self.builder.new_block(),
        );
        self.builder.fall_into(head);
        match &repeat.condition {
            Some(condition) => self.condition(condition, body, after),
            None => self.builder.terminate(Terminator::Goto(body)),
        }
        self.builder.switch_to(body);
        self.enter_loop(after, step);
        self.statement(&repeat.statement);
        self.leave_loop();
        self.builder.fall_into(step);
        if let Some(expression) = &repeat.step {
            self.discard(expression);
        }
        self.builder.terminate(Terminator::Goto(head));
        self.builder.switch_to(after);
        self.leave_scope();
    }

    /// `({ …; value; })`: the value of the last expression statement.
    pub(super) fn statement_expression(&mut self, statement: &Statement) -> Value {
        let Statement::Compound(items) = statement else {
            return Value::void();
        };
        self.scopes.enter();
        let mut value = Value::void();
        for (index, item) in items.iter().enumerate() {
            let mut last = match &item.node {
                BlockItem::Statement(last) if index + 1 == items.len() => Some(last),
                _ => None,
            };
            // The value may stand behind a label.
            while let Some(Node {
                node: Statement::Labeled(labeled),
                ..
            }) = last
            {
                if let Label::Identifier(name) = &labeled.node.label.node {
                    self.define_label(Ustr::from(&name.node.name));
                }
                last = Some(&labeled.node.statement);
            }
            match last {
                Some(Node {
                    node: Statement::Expression(Some(expression)),
                    ..
                }) => value = self.value(expression),
                _ => self.block_item(item),
            }
        }
        if !self.scopes.cleanups.is_empty()
            && let Operand::Local(_) = value.operand
        {
            // A cleanup must not change the value that was computed before it.
            let copy = self
                .builder
                .assign(value.ty.clone(), crate::ir::Rvalue::Use(value.operand));
            value = Value::new(copy, value.ty);
        }
        self.leave_scope();
        value
    }
}
