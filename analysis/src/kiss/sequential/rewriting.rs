//! One function of the concurrent program as one of the sequential program: KISS figs. 4 and 5.

use super::Scheduling;
use super::frames::Frames;
use super::library::words::word;
use super::library::{self, synchronises};
use super::noticed::{Noticed, Points};
use super::resuming::Style;
use super::run_time;
use super::thread_locals::by_thread;
use super::writer::{Writer, long, pointer};
use crate::ir::{
    AccessKind, AccessMode, Base, BlockId, Body, Callee, FunctionRef, FunctionTy, IntRank, LocalId,
    Operand, Place, Projection, Rvalue, Statement, StatementId, Terminator, Ty,
};
use crate::kiss::machine::library::comparing;
use crate::kiss::program::{Failure, Meaning, Origin, Program, Role};
use crate::models::{Action, FunctionModel, Models};
use rustc_hash::FxHashMap;

/// What all functions have in common, and what they need from each other.
pub(super) struct Shared<'p> {
    pub program: &'p Program,
    pub models: &'p Models,
    pub noticed: Noticed<'p>,
    pub asserts: bool,
    pub scheduling: Scheduling,
    /// Places in the concurrent program by their numbers in the text.
    pub sites: Vec<Origin>,
    pub failures: Vec<Failure>,
    pub origins: FxHashMap<(FunctionRef, StatementId), Origin>,
    /// Library functions that need a body, with their types.
    pub library: FxHashMap<FunctionRef, FunctionTy>,
}

impl Shared<'_> {
    /// The body of a function as the sequential program has it.
    pub fn rewrite(&mut self, body: &Body, is_entry: bool) -> Body {
        let blocks = body.blocks.len();
        let style = Style::of(self.scheduling, Style::needs_arguments(body));
        let mut writer = Writer::new(
            Body {
                blocks: Vec::new(),
                ..body.clone()
            },
            blocks,
            style,
        );
        let first = writer.new_block();
        writer.begin(first);
        let frames = Frames::allocate(body, &self.noticed, self.program, &mut writer);
        writer.end_block(Terminator::Goto(BlockId(0)));
        let mut rewriting = Rewriting {
            writer,
            frames,
            function: body.function,
            shared: self,
        };
        for (index, block) in body.blocks.iter().enumerate() {
            let id = BlockId(index as u32);
            rewriting.writer.begin(id);
            for (position, statement) in block.statements.iter().enumerate() {
                let at = StatementId {
                    block: id,
                    index: position as u32,
                };
                rewriting.statement(at, statement);
            }
            let mut terminator = block.terminator.clone();
            if is_entry && matches!(terminator, Terminator::Return(_)) {
                // What others do behind the end of the first thread they can do in front of it.
                rewriting.point_at(Operand::Integer(-1), None);
            }
            rewriting.terminator_operands(&mut terminator);
            rewriting.writer.end_block(terminator);
        }
        let (body, origins) = rewriting.writer.finish(rewriting.shared.program);
        self.origins.extend(origins);
        body
    }

    pub fn site(&mut self, origin: Origin) -> Operand {
        let number = match self.sites.iter().position(|known| *known == origin) {
            Some(number) => number,
            None => {
                self.sites.push(origin);
                self.sites.len() - 1
            }
        };
        Operand::Integer(number as i128)
    }

    /// The model of a function without a body of its own.
    fn model(&self, function: FunctionRef, arguments: usize) -> Option<&FunctionModel> {
        let model = self.models.lookup(function.name.as_str())?;
        let has_body = matches!(self.program.function(function), Meaning::Body(_));
        (model.accepts(arguments) && (!has_body || model.replaces_body)).then_some(model)
    }
}

/// One function on its way from the one program to the other.
pub(super) struct Rewriting<'s, 'p> {
    pub writer: Writer,
    frames: Frames,
    pub function: FunctionRef,
    pub shared: &'s mut Shared<'p>,
}

impl Rewriting<'_, '_> {
    pub fn origin(&self, statement: StatementId, role: Role) -> Origin {
        Origin {
            function: self.function,
            statement,
            role,
        }
    }

    fn statement(&mut self, at: StatementId, statement: &Statement) {
        if let Some((_, place, _)) = statement.access() {
            let is_shared = self.shared.noticed.is_shared(self.function, place);
            if is_shared && self.shared.noticed.is_checked(self.function, at) {
                self.check(at, statement);
            } else if is_shared || self.shared.noticed.points == Points::Everywhere {
                self.point(at);
            }
            let statement = self.with_own_variables(statement.clone());
            self.itself(at, statement);
            return;
        }
        if let Statement::Call {
            target,
            callee,
            arguments,
        } = statement
        {
            self.call(at, *target, callee, arguments);
            return;
        }
        if self.shared.noticed.points == Points::Everywhere {
            self.point(at);
        }
        if let Statement::Assembly {
            harmless: false, ..
        } = statement
        {
            self.writer
                .call(run_time::UNSUPPORTED, Vec::new(), None, None);
        }
        let statement = self.with_own_variables(statement.clone());
        self.itself(at, statement);
    }

    pub fn itself(&mut self, at: StatementId, statement: Statement) {
        let origin = self.origin(at, Role::Itself);
        // What is allocated on the stack is not there any more when the thread has stopped.
        if let Statement::Assign {
            target,
            value: Rvalue::StackAllocate { bytes },
        } = statement
        {
            let callee = Callee::Direct(run_time::function(run_time::ALLOCATE));
            let call = Statement::Call {
                target: Some(target),
                callee,
                arguments: vec![bytes],
            };
            self.writer.push(call, Some(origin));
            return;
        }
        self.writer.push(statement, Some(origin));
    }

    /// `schedule(); choice { skip [] RAISE }`
    pub fn point(&mut self, at: StatementId) {
        let origin = self.origin(at, Role::Raise);
        let site = self.shared.site(self.origin(at, Role::Itself));
        self.point_at(site, Some(origin));
    }

    fn point_at(&mut self, site: Operand, origin: Option<Origin>) {
        self.writer.mark();
        let raised = self
            .writer
            .call(run_time::POINT, vec![site], Some(Ty::int()), origin);
        if let Some(raised) = raised {
            self.writer.leave_if(raised);
        }
    }

    /// `schedule(); choice { skip [] check; RAISE }`
    fn check(&mut self, at: StatementId, statement: &Statement) {
        let (
            Some((kind, place, mode)),
            Statement::Load { ty, .. } | Statement::Store { ty, .. } | Statement::Update { ty, .. },
        ) = (statement.access(), statement)
        else {
            return;
        };
        let (address, size) = self.bytes(place, ty);
        let is_atomic = mode == AccessMode::Atomic;
        self.check_bytes(at, address, size, kind, is_atomic);
    }

    pub fn check_bytes(
        &mut self,
        at: StatementId,
        address: Operand,
        size: Operand,
        kind: AccessKind,
        is_atomic: bool,
    ) {
        let kind = match kind {
            AccessKind::Read => 1,
            AccessKind::Write | AccessKind::Update => 2,
        };
        let kind = Operand::Integer(kind + if is_atomic { 4 } else { 0 });
        let site = self.shared.site(self.origin(at, Role::Itself));
        let origin = self.origin(at, Role::Check);
        let arguments = vec![site, address, size, kind];
        self.writer.mark();
        let raised = self
            .writer
            .call(run_time::ACCESS, arguments, Some(Ty::int()), Some(origin));
        if let Some(raised) = raised {
            self.writer.leave_if(raised);
        }
    }

    /// Where a place begins, and how many bytes it has.
    fn bytes(&mut self, place: &Place, ty: &Ty) -> (Operand, Operand) {
        let mut place = place.clone();
        self.own_variable(&mut place);
        if let Some(Projection::Field { record, name }) = place.path.last().cloned() {
            let layout = self.shared.program.layout(record);
            let field =
                layout.and_then(|layout| layout.fields.iter().find(|field| field.name == name));
            if let Some((field, bits)) = field.and_then(|field| Some((field, field.bits?))) {
                place.path.pop();
                let first = field.offset + u64::from(bits.offset / 8);
                let end = field.offset + u64::from((bits.offset + bits.width).div_ceil(8));
                let record = self.writer.assign(pointer(), Rvalue::AddressOf(place));
                let address = self.writer.assign(
                    pointer(),
                    Rvalue::PointerAdd {
                        base: record,
                        index: Operand::Integer(i128::from(first)),
                        size: 1,
                    },
                );
                return (address, Operand::Integer(i128::from(end - first)));
            }
        }
        let size = self.shared.program.size_of(ty).unwrap_or(1);
        let address = self.writer.assign(pointer(), Rvalue::AddressOf(place));
        (address, Operand::Integer(i128::from(size.max(1))))
    }

    fn call(
        &mut self,
        at: StatementId,
        target: Option<LocalId>,
        callee: &Callee,
        arguments: &[Operand],
    ) {
        let Callee::Direct(function) = callee else {
            if self.shared.noticed.points == Points::Everywhere {
                self.point(at);
            }
            self.writer.mark();
            self.plain_call(at, target, callee.clone(), arguments);
            self.writer.leave_if_raised();
            return;
        };
        let function = *function;
        let has_body = matches!(self.shared.program.function(function), Meaning::Body(_));
        if let Some(word) = word(function.name.as_str())
            && !has_body
        {
            self.word(at, word, target, arguments);
            return;
        }
        let Some(model) = self.shared.model(function, arguments.len()).cloned() else {
            self.own_function(at, target, function, arguments, has_body);
            return;
        };
        self.data_effects(at, &model, arguments);
        if synchronises(&model) || comparing(function.name.as_str()).is_some() {
            self.point(at);
            self.need_library(function, target, arguments);
            let callee = Callee::Direct(library::name_of(function));
            self.writer.mark();
            self.plain_call(at, target, callee, arguments);
            self.writer.leave_if_raised();
            return;
        }
        if self.shared.noticed.points == Points::Everywhere {
            self.point(at);
        }
        // What a library calls back must run to its end: the library would not notice that its thread stops.
        let calls_back = model
            .effects
            .iter()
            .any(|effect| matches!(effect.action, Action::Call { .. }));
        self.uninterrupted(calls_back, |this| {
            this.plain_call(at, target, callee.clone(), arguments);
        });
    }

    /// A function of the program, or one of which nothing is known.
    fn own_function(
        &mut self,
        at: StatementId,
        target: Option<LocalId>,
        function: FunctionRef,
        arguments: &[Operand],
        has_body: bool,
    ) {
        if self.shared.noticed.points == Points::Everywhere {
            self.point(at);
        }
        let model = self.shared.models.lookup(function.name.as_str());
        let wraps = model.is_some_and(|model| model.wraps_body() && has_body);
        if wraps {
            self.point(at);
        }
        let gets_functions = arguments
            .iter()
            .any(|argument| matches!(argument, Operand::Function(_)));
        if has_body {
            self.writer.mark();
        }
        self.uninterrupted(wraps || (!has_body && gets_functions), |this| {
            this.plain_call(at, target, Callee::Direct(function), arguments);
        });
        if has_body {
            self.writer.leave_if_raised();
        }
    }

    fn uninterrupted(&mut self, really: bool, inside: impl FnOnce(&mut Self)) {
        if really {
            self.writer
                .call(run_time::ATOMIC_BEGIN, Vec::new(), None, None);
        }
        inside(self);
        if really {
            self.writer
                .call(run_time::ATOMIC_END, Vec::new(), None, None);
        }
    }

    fn plain_call(
        &mut self,
        at: StatementId,
        target: Option<LocalId>,
        callee: Callee,
        arguments: &[Operand],
    ) {
        let mut statement = Statement::Call {
            target,
            callee,
            arguments: arguments.to_vec(),
        };
        self.replace_functions(&mut statement);
        self.itself(at, statement);
    }

    fn need_library(
        &mut self,
        function: FunctionRef,
        target: Option<LocalId>,
        arguments: &[Operand],
    ) {
        let types: Vec<Ty> = arguments
            .iter()
            .map(|argument| self.type_of(argument))
            .collect();
        let result = match target {
            Some(target) => self.writer.body.local(target).ty.clone(),
            None => Ty::int(),
        };
        let ty = library::type_of(self.shared.program, function, &types, &result);
        self.shared.library.entry(function).or_insert(ty);
    }

    pub fn type_of(&self, operand: &Operand) -> Ty {
        match operand {
            Operand::Local(local) => self.writer.body.local(*local).ty.decayed(),
            Operand::String(_) => Ty::integer(IntRank::PlainChar, true).pointer_to(),
            Operand::Function(_) => pointer(),
            _ => long(),
        }
    }

    /// The same statement on the running thread's own copies of variables, and with our own library functions.
    fn with_own_variables(&mut self, mut statement: Statement) -> Statement {
        match &mut statement {
            Statement::Load { place, .. }
            | Statement::Store { place, .. }
            | Statement::Update { place, .. }
            | Statement::Assign {
                value: Rvalue::AddressOf(place),
                ..
            } => self.own_variable(place),
            _ => {}
        }
        self.replace_functions(&mut statement);
        statement
    }

    fn own_variable(&mut self, place: &mut Place) {
        self.frames.find(place);
        if let Base::Global(global) = place.base
            && global.thread_local
        {
            let unsigned = Ty::integer(IntRank::Long, false);
            let thread = self
                .writer
                .call(run_time::SELF, Vec::new(), Some(unsigned), None);
            place.base = Base::Global(by_thread(global));
            if let Some(thread) = thread {
                place.path.insert(0, Projection::Index(thread));
            }
        }
    }

    /// A pointer to a library function that synchronises becomes one to its body.
    fn replace_functions(&mut self, statement: &mut Statement) {
        let mut operands: Vec<&mut Operand> = Vec::new();
        match statement {
            Statement::Store { value, .. }
            | Statement::Assign {
                value: Rvalue::Use(value) | Rvalue::Convert { value, .. },
                ..
            } => operands.push(value),
            Statement::Call { arguments, .. } => operands.extend(arguments.iter_mut()),
            _ => {}
        }
        for operand in operands {
            let Operand::Function(function) = *operand else {
                continue;
            };
            let Some(declared) = self.shared.program.declaration(function) else {
                continue;
            };
            let Some(ty) = declared.as_function().cloned() else {
                continue;
            };
            let model = self.shared.model(function, ty.parameters.len());
            if model.is_some_and(synchronises) {
                self.shared.library.entry(function).or_insert(ty);
                *operand = Operand::Function(library::name_of(function));
            }
        }
    }

    fn terminator_operands(&mut self, terminator: &mut Terminator) {
        if let Terminator::Return(Some(value)) = terminator {
            let mut statement = Statement::Assign {
                target: LocalId(0),
                value: Rvalue::Use(value.clone()),
            };
            self.replace_functions(&mut statement);
            if let Statement::Assign {
                value: Rvalue::Use(replaced),
                ..
            } = statement
            {
                *value = replaced;
            }
        }
    }
}
