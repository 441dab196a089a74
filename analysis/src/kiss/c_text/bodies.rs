//! Functions as C: their locals, then block after block.

use super::places::FunctionPrinter;
use super::{INITIALISE, Printer, Printing, Used};
use crate::ir::{
    ArrayLength, BlockId, Body, Operand, Rvalue, Statement, StatementId, Storage, Terminator, Ty,
    TyKind,
};
use crate::kiss::program::intrinsics;
use rustc_hash::FxHashSet;
use std::fmt::Write;

impl Printer<'_> {
    pub fn function(&self, body: &Body, text: &mut String) {
        let _ = writeln!(text, "{} {{", self.head(body));
        let function = self.function_printer(body);
        function.locals(body.parameters, "", text);
        function.blocks(text);
        text.push_str("}\n");
    }

    fn function_printer<'a>(&'a self, body: &'a Body) -> FunctionPrinter<'a> {
        let wanted = body
            .locals
            .iter()
            .map(|local| local.name.map(|name| name.as_str()));
        FunctionPrinter {
            printer: self,
            body,
            locals: self.names.locals(wanted),
        }
    }

    /// One function for each initialiser and for the `static` variables of each function, and one that calls them all.
    pub fn initialise(&self, printing: &Printing<'_>, used: &Used, text: &mut String) {
        let mut calls = Vec::new();
        for body in &printing.program.initialisers {
            let name = format!("initialise_{}", calls.len());
            let _ = writeln!(text, "\nstatic void {name}(void) {{");
            let function = self.function_printer(body);
            // What a literal makes at file scope stays.
            function.locals(0, "static ", text);
            function.blocks(text);
            text.push_str("}\n");
            calls.push(name);
        }
        for body in used.bodies.iter().filter(|body| !body.statics.is_empty()) {
            let name = format!("initialise_{}", calls.len());
            let _ = writeln!(text, "\nstatic void {name}(void) {{");
            let function = self.function_printer(body);
            function.locals(0, "static ", text);
            for statement in &body.statics {
                let _ = writeln!(text, "    {}", function.statement(statement));
            }
            text.push_str("}\n");
            calls.push(name);
        }
        let attribute = if printing.initialises_itself {
            "__attribute__((constructor)) "
        } else {
            ""
        };
        let _ = writeln!(text, "\n{attribute}void {INITIALISE}(void) {{");
        for call in calls {
            let _ = writeln!(text, "    {call}();");
        }
        text.push_str("}\n");
    }
}

impl FunctionPrinter<'_> {
    fn locals(&self, first: usize, storage: &str, text: &mut String) {
        for (local, name) in self.body.locals.iter().zip(&self.locals).skip(first) {
            if local.ty.is_void() {
                continue;
            }
            let declared = self.printer.declare(&local.ty, name);
            let storage = match local.storage {
                Storage::Memory => storage,
                Storage::Register => "",
            };
            let _ = writeln!(text, "    {storage}{declared};");
        }
        let has_unknown_length = |ty: &Ty| {
            matches!(
                ty.kind(),
                TyKind::Array {
                    length: ArrayLength::Variable,
                    ..
                }
            )
        };
        if self
            .body
            .locals
            .iter()
            .any(|local| has_unknown_length(&local.ty))
        {
            let _ = writeln!(
                text,
                "    {}(0); /* the length of an array is not known */",
                intrinsics::ASSUME
            );
        }
    }

    fn blocks(&self, text: &mut String) {
        let labels = self.labels();
        let mut said = None;
        for (index, block) in self.body.blocks.iter().enumerate() {
            let id = BlockId(index as u32);
            if labels.contains(&id) {
                let _ = writeln!(text, "block_{index}:;");
            }
            for (position, statement) in block.statements.iter().enumerate() {
                let at = StatementId {
                    block: id,
                    index: position as u32,
                };
                let comment = (self.printer.comment)(self.body.function, at);
                let _ = write!(text, "    {}", self.statement(statement));
                match comment {
                    Some(comment) if said.as_ref() != Some(&comment) => {
                        let _ = writeln!(text, " // {comment}");
                        said = Some(comment);
                    }
                    _ => text.push('\n'),
                }
            }
            let next = BlockId(index as u32 + 1);
            self.terminator(&block.terminator, next, text);
        }
    }

    /// Blocks that somebody jumps to.
    fn labels(&self) -> FxHashSet<BlockId> {
        let mut labels = FxHashSet::default();
        for (index, block) in self.body.blocks.iter().enumerate() {
            let next = BlockId(index as u32 + 1);
            match &block.terminator {
                Terminator::Goto(target) if *target == next => {}
                Terminator::Branch {
                    then, otherwise, ..
                } if *otherwise == next => {
                    labels.insert(*then);
                }
                Terminator::Branch {
                    then, otherwise, ..
                } if *then == next => {
                    labels.insert(*otherwise);
                }
                terminator => labels.extend(terminator.successors()),
            }
        }
        for (_, statement) in self.body.statements() {
            if let Statement::Assign {
                value: Rvalue::LabelAddress(block),
                ..
            } = statement
            {
                labels.insert(*block);
            }
        }
        labels
    }

    fn terminator(&self, terminator: &Terminator, next: BlockId, text: &mut String) {
        let goto = |target: BlockId| format!("goto block_{};", target.0);
        let _ = match terminator {
            Terminator::Goto(target) if *target == next => Ok(()),
            Terminator::Goto(target) => writeln!(text, "    {}", goto(*target)),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.plain(condition);
                if *otherwise == next {
                    writeln!(text, "    if ({condition}) {}", goto(*then))
                } else if *then == next {
                    writeln!(text, "    if (!({condition})) {}", goto(*otherwise))
                } else {
                    writeln!(
                        text,
                        "    if ({condition}) {} else {}",
                        goto(*then),
                        goto(*otherwise)
                    )
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let ty = super::types::operand_type(self.body, value);
                let _ = writeln!(text, "    switch ({}) {{", self.plain(value));
                for case in cases {
                    let number = |number: i128| self.operand(&Operand::Integer(number), &ty);
                    let range = if case.low == case.high {
                        number(case.low)
                    } else {
                        format!("{} ... {}", number(case.low), number(case.high))
                    };
                    let _ = writeln!(text, "    case {range}: {}", goto(case.target));
                }
                writeln!(text, "    default: {}\n    }}", goto(*default))
            }
            Terminator::ComputedGoto { address, .. } => {
                let pointer = Ty::void().pointer_to();
                writeln!(text, "    goto *{};", self.operand(address, &pointer))
            }
            Terminator::Return(value) => {
                writeln!(text, "    {}", self.return_statement(value.as_ref()))
            }
            Terminator::Unreachable => writeln!(text, "    __builtin_trap();"),
        };
    }

    fn return_statement(&self, value: Option<&Operand>) -> String {
        let result = &self.body.result;
        match value {
            _ if result.is_void() => "return;".to_owned(),
            Some(value) => format!("return {};", self.operand(value, result)),
            None if result.is_aggregate() => {
                format!(
                    "{{ {}; return none; }}",
                    self.printer.declare(result, "none")
                )
            }
            None => format!("return {};", self.operand(&Operand::Integer(0), result)),
        }
    }
}
