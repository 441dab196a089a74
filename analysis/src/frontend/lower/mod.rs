//! Lowers a parsed item to the intermediate representation.

mod assignment;
mod branches;
mod builder;
mod builtins;
mod calls;
mod constants;
mod contracts;
mod control;
mod conversions;
mod declarations;
mod expressions;
mod initialisers;
mod item_types;
mod literals;
mod lvalues;
mod operators;
mod scopes;
mod statements;
mod tags;
mod types;

pub use constants::Constant;
pub use item_types::{ItemTypes, ValueType, item_contracts, item_types, record_reference};

use super::groups::DeclarationSource;
use super::layout::{DataModel, MOST_NESTED};
use super::parse::Parsed;
use super::scope::Bindings;
use crate::ir::{Body, BodySourceMap, FunctionRef, MOST_PARTS, RecordLayout, RecordRef, Span, Ty};
use builder::Builder;
use lang_c::ast::{Declaration, ExternalDeclaration, FunctionDefinition};
use lang_c::span::Node;
use scopes::Scopes;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use ustr::Ustr;

/// What lowering asks about the file scope around it.
pub trait Environment {
    /// The file that is being compiled; it tells `static` names of different files apart.
    fn unit(&self) -> Ustr;
    fn data_model(&self) -> DataModel;
    fn bindings(&self, name: Ustr) -> &Bindings;
    /// The types of all that a declaration declares.
    fn item_types(&self, source: &DeclarationSource) -> Arc<ItemTypes>;
    /// The record that a tag's declaration defines.
    fn tagged_record(&self, source: &DeclarationSource, tag: Ustr) -> Option<RecordRef>;
    fn record_layout(&self, record: RecordRef) -> Option<Arc<RecordLayout>>;
}

/// A body with the way back to its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoweredBody {
    pub body: Body,
    pub source_map: BodySourceMap,
    /// A type that it uses is not known as a whole.
    pub type_cut: Option<TypeCut>,
}

/// Why a type is not known as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeCut {
    Parts,
    Nesting,
}

impl fmt::Display for TypeCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeCut::Parts => write!(
                f,
                "it uses a type that is made of more than {MOST_PARTS} others, and is not known"
            ),
            TypeCut::Nesting => write!(
                f,
                "it uses records that are nested more than {MOST_NESTED} times in each other, whose members are not known"
            ),
        }
    }
}

/// Lowers a function definition.
pub fn lower_function(
    environment: &dyn Environment,
    parsed: &Parsed,
    definition: &Node<FunctionDefinition>,
    function: FunctionRef,
) -> LoweredBody {
    let mut lowerer = Lowerer::new(environment, Some(parsed), function);
    lowerer.function_definition(&definition.node);
    lowerer.finish()
}

/// Lowers the initialisers of a file-scope declaration to a body that runs before `main`.
pub fn lower_initialisers(
    environment: &dyn Environment,
    parsed: &Parsed,
    declaration: &Node<Declaration>,
    function: FunctionRef,
) -> LoweredBody {
    let mut lowerer = Lowerer::new(environment, Some(parsed), function);
    lowerer.file_scope_initialisers(&declaration.node);
    lowerer.finish()
}

/// Lowers whatever the item turns out to be; `None` if it has nothing that runs.
pub fn lower_item(
    environment: &dyn Environment,
    parsed: &Parsed,
    function: FunctionRef,
) -> Option<LoweredBody> {
    match parsed.declaration.as_ref()? {
        ExternalDeclaration::FunctionDefinition(definition) => {
            Some(lower_function(environment, parsed, definition, function))
        }
        ExternalDeclaration::Declaration(declaration) => Some(lower_initialisers(
            environment,
            parsed,
            declaration,
            function,
        )),
        ExternalDeclaration::StaticAssert(_) => None,
    }
}

/// The state of lowering one item.
struct Lowerer<'a> {
    environment: &'a dyn Environment,
    parsed: Option<&'a Parsed>,
    function: FunctionRef,
    result: Ty,
    variadic: bool,
    builder: Builder,
    scopes: Scopes,
    control: control::Control,
    /// Records of this item that are being or have been laid out.
    local_layouts: Vec<(RecordRef, Arc<RecordLayout>)>,
    /// How unnamed records of this item are named.
    records: tags::RecordNaming,
    /// Variables whose address is taken somewhere in the function; they live in memory.
    addressed: rustc_hash::FxHashSet<Ustr>,
    static_locals: u32,
    /// Attributes of file-scope names and of members that make promises about locks.
    attributes: Vec<contracts::FoundAttribute>,
    /// Initialisers are only counted, to find out how long an array is.
    counts_initialisers: bool,
    type_cut: Cell<Option<TypeCut>>,
}

impl<'a> Lowerer<'a> {
    fn new(
        environment: &'a dyn Environment,
        parsed: Option<&'a Parsed>,
        function: FunctionRef,
    ) -> Lowerer<'a> {
        Lowerer {
            environment,
            parsed,
            function,
            result: Ty::void(),
            variadic: false,
            builder: Builder::new(),
            scopes: Scopes::default(),
            control: control::Control::default(),
            local_layouts: Vec::new(),
            records: tags::RecordNaming::Local {
                function: function.name,
                count: 0,
            },
            addressed: Default::default(),
            static_locals: 0,
            attributes: Vec::new(),
            counts_initialisers: false,
            type_cut: Cell::default(),
        }
    }

    fn span<T>(&self, node: &Node<T>) -> Span {
        self.parsed
            .map_or(Span::default(), |parsed| parsed.span(node))
    }

    /// Everything that is lowered until the next call stands for this node.
    fn at<T>(&mut self, node: &Node<T>) {
        self.builder.span = self.span(node);
    }

    fn finish(mut self) -> LoweredBody {
        self.finish_jumps();
        let records = self
            .local_layouts
            .iter()
            .map(|(record, layout)| (*record, (**layout).clone()))
            .collect();
        let lowered = self
            .builder
            .finish(self.function, self.result, self.variadic, records);
        LoweredBody {
            type_cut: self.type_cut.get(),
            ..lowered
        }
    }
}
