//! From specifiers and declarators to types.

use super::super::layout::{Extent, LayoutAttributes, MOST_NESTED};
use super::super::normalise::{AUTO, is_contract};
use super::scopes::Binding;
use super::{Lowerer, TypeCut};
use crate::ir::*;
use lang_c::ast::*;
use lang_c::span::Node;
use std::sync::Arc;
use ustr::Ustr;

/// What the specifiers of a declaration say.
pub(super) struct Specifiers {
    pub ty: Ty,
    pub is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_thread_local: bool,
    pub is_noreturn: bool,
    /// The type is that of the initialiser.
    pub infers: bool,
    pub cleanup: Option<Ustr>,
    /// Attributes that make promises about locks.
    pub contracts: Vec<Attribute>,
}

/// A declarator with its type.
pub(super) struct Declared {
    pub name: Option<Ustr>,
    pub ty: Ty,
    pub cleanup: Option<Ustr>,
    pub is_noreturn: bool,
    pub layout: LayoutAttributes,
    pub contracts: Vec<Attribute>,
}

/// What the attributes of a declaration say, besides a new type.
#[derive(Default)]
struct Attributes {
    cleanup: Option<Ustr>,
    is_noreturn: bool,
    layout: LayoutAttributes,
    contracts: Vec<Attribute>,
}

#[derive(Default)]
struct SpecifierWords {
    long: usize,
    short: bool,
    unsigned: bool,
    signed: bool,
    complex: bool,
    base: Option<Base>,
    qualifiers: Qualifiers,
}

enum Base {
    Char,
    Int,
    Float,
    Double,
    Int128,
    Done(Ty),
}

impl Lowerer<'_> {
    pub(super) fn declaration_specifiers(
        &mut self,
        specifiers: &[Node<DeclarationSpecifier>],
    ) -> Specifiers {
        let mut result = Specifiers {
            ty: Ty::unknown(),
            is_typedef: false,
            is_extern: false,
            is_static: false,
            is_thread_local: false,
            is_noreturn: false,
            infers: false,
            cleanup: None,
            contracts: Vec::new(),
        };
        let mut words = SpecifierWords::default();
        let mut attributes = Vec::new();
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => result.is_typedef = true,
                    StorageClassSpecifier::Extern => result.is_extern = true,
                    StorageClassSpecifier::Static => result.is_static = true,
                    StorageClassSpecifier::ThreadLocal => result.is_thread_local = true,
                    StorageClassSpecifier::Auto | StorageClassSpecifier::Register => {}
                },
                DeclarationSpecifier::TypeSpecifier(specifier) => {
                    result.infers |= is_auto(&specifier.node);
                    self.type_specifier(specifier, &mut words);
                }
                DeclarationSpecifier::TypeQualifier(qualifier) => words.qualify(&qualifier.node),
                DeclarationSpecifier::Function(function) => {
                    result.is_noreturn |= function.node == FunctionSpecifier::Noreturn;
                }
                DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(extensions) => attributes.extend(extensions),
            }
        }
        let ty = words.finish();
        let (ty, attributes) = self.apply_attributes(ty, attributes);
        result.ty = ty;
        result.cleanup = attributes.cleanup;
        result.is_noreturn |= attributes.is_noreturn;
        result.contracts = attributes.contracts;
        result
    }

    pub(super) fn specifier_qualifiers(
        &mut self,
        specifiers: &[Node<SpecifierQualifier>],
    ) -> (Ty, LayoutAttributes, Vec<Attribute>) {
        let mut words = SpecifierWords::default();
        let mut attributes = Vec::new();
        for specifier in specifiers {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(specifier) => {
                    self.type_specifier(specifier, &mut words)
                }
                SpecifierQualifier::TypeQualifier(qualifier) => words.qualify(&qualifier.node),
                SpecifierQualifier::Extension(extensions) => attributes.extend(extensions),
            }
        }
        let ty = words.finish();
        let (ty, attributes) = self.apply_attributes(ty, attributes);
        (ty, attributes.layout, attributes.contracts)
    }

    pub(super) fn type_name(&mut self, name: &TypeName) -> Ty {
        let (base, ..) = self.specifier_qualifiers(&name.specifiers);
        match &name.declarator {
            Some(declarator) => self.declarator(base, &declarator.node).ty,
            None => base,
        }
    }

    fn type_specifier(&mut self, specifier: &Node<TypeSpecifier>, words: &mut SpecifierWords) {
        words.base = Some(match &specifier.node {
            TypeSpecifier::Void => Base::Done(Ty::void()),
            TypeSpecifier::Bool => Base::Done(Ty::new(TyKind::Bool)),
            TypeSpecifier::Char => Base::Char,
            TypeSpecifier::Int if words.base.is_none() => Base::Int,
            TypeSpecifier::Float => Base::Float,
            TypeSpecifier::Double => Base::Double,
            TypeSpecifier::Int => return,
            TypeSpecifier::Short => return words.short = true,
            TypeSpecifier::Long => return words.long += 1,
            TypeSpecifier::Signed => return words.signed = true,
            TypeSpecifier::Unsigned => return words.unsigned = true,
            TypeSpecifier::Complex => return words.complex = true,
            TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(&name.node);
                Base::Done(ty.qualified(Qualifiers::ATOMIC))
            }
            TypeSpecifier::Struct(record) => Base::Done(self.record_type(record)),
            TypeSpecifier::Enum(enumeration) => Base::Done(self.enum_type(&enumeration.node)),
            TypeSpecifier::TypedefName(name) => {
                Base::Done(self.typedef_type(Ustr::from(&name.node.name)))
            }
            TypeSpecifier::TypeOf(type_of) => Base::Done(match &type_of.node {
                TypeOf::Expression(expression) => self.type_of_operand(expression),
                TypeOf::Type(name) => self.type_name(&name.node),
            }),
            TypeSpecifier::TS18661Float(float) => match (&float.format, float.width) {
                (TS18661FloatFormat::DecimalExtended, 128) => Base::Int128,
                (_, 16) => Base::Done(Ty::new(TyKind::Float(FloatTy::Half))),
                (_, 32) => Base::Done(Ty::new(TyKind::Float(FloatTy::Single))),
                (_, 128) => Base::Done(Ty::new(TyKind::Float(FloatTy::Quad))),
                _ => Base::Double,
            },
        });
    }

    /// lang-c takes `__typeof__(name)` for an expression even where the name is that of a type.
    fn type_of_operand(&mut self, expression: &Node<Expression>) -> Ty {
        if let Expression::Identifier(name) = &expression.node {
            let name = Ustr::from(&name.node.name);
            let bindings = self.environment.bindings(name);
            let is_typedef = match self.scopes.lookup(name) {
                Some(binding) => matches!(binding, Binding::Typedef(_)),
                None => bindings.value.is_none() && bindings.typedef.is_some(),
            };
            if is_typedef {
                return self.typedef_type(name);
            }
        }
        self.type_of(expression)
    }

    pub(super) fn typedef_type(&mut self, name: Ustr) -> Ty {
        if let Some(Binding::Typedef(ty)) = self.scopes.lookup(name) {
            return ty.clone();
        }
        if let Some(source) = &self.environment.bindings(name).typedef {
            let types = self.environment.item_types(source);
            return types
                .typedefs
                .iter()
                .find(|(bound, _)| *bound == name)
                .map_or_else(Ty::unknown, |(_, ty)| ty.clone());
        }
        builtin_type(name.as_str())
    }

    /// Wraps `base` into what the declarator says around its name.
    pub(super) fn declarator(&mut self, base: Ty, declarator: &Declarator) -> Declared {
        let mut ty = base;
        // Pointers bind from left to right, and arrays and parameter lists from right to left.
        for derived in &declarator.derived {
            if let DerivedDeclarator::Pointer(qualifiers) | DerivedDeclarator::Block(qualifiers) =
                &derived.node
            {
                let mut words = SpecifierWords::default();
                for qualifier in qualifiers {
                    if let PointerQualifier::TypeQualifier(qualifier) = &qualifier.node {
                        words.qualify(&qualifier.node);
                    }
                }
                ty = ty.pointer_to().qualified(words.qualifiers);
            }
        }
        for derived in declarator.derived.iter().rev() {
            ty = match &derived.node {
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => continue,
                DerivedDeclarator::Array(array) => {
                    let length = self.array_length(&array.node.size);
                    Ty::new(TyKind::Array {
                        element: ty,
                        length,
                    })
                }
                DerivedDeclarator::Function(function) => self.function_type(ty, &function.node),
                DerivedDeclarator::KRFunction(names) => Ty::new(TyKind::Function(FunctionTy {
                    result: ty,
                    parameters: names.iter().map(|_| Ty::int()).collect(),
                    variadic: false,
                    unspecified: true,
                })),
            };
        }
        let (ty, attributes) = self.apply_attributes(ty, declarator.extensions.iter().collect());
        let mut declared = match &declarator.kind.node {
            DeclaratorKind::Abstract => Declared::new(None, ty),
            DeclaratorKind::Identifier(name) => {
                Declared::new(Some(Ustr::from(&name.node.name)), ty)
            }
            DeclaratorKind::Declarator(inner) => self.declarator(ty, &inner.node),
        };
        declared.cleanup = declared.cleanup.or(attributes.cleanup);
        declared.is_noreturn |= attributes.is_noreturn;
        declared.layout = declared.layout.and(attributes.layout);
        declared.contracts.extend(attributes.contracts);
        declared
    }

    fn array_length(&mut self, size: &ArraySize) -> ArrayLength {
        match size {
            ArraySize::Unknown => ArrayLength::Unknown,
            ArraySize::VariableUnknown => ArrayLength::Variable,
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                match self
                    .constant(size)
                    .and_then(|size| u64::try_from(size).ok())
                {
                    Some(size) => ArrayLength::Known(size),
                    None => ArrayLength::Variable,
                }
            }
        }
    }

    fn function_type(&mut self, result: Ty, function: &FunctionDeclarator) -> Ty {
        self.scopes.enter();
        let mut parameters: Vec<Ty> = Vec::with_capacity(function.parameters.len());
        for parameter in &function.parameters {
            parameters.push(self.parameter(&parameter.node).1);
        }
        self.scopes.leave();
        let nothing = matches!(parameters.as_slice(), [only] if only.is_void());
        if nothing {
            parameters.clear();
        }
        Ty::new(TyKind::Function(FunctionTy {
            result,
            unspecified: parameters.is_empty() && !nothing,
            parameters: parameters.into(),
            variadic: function.ellipsis == Ellipsis::Some,
        }))
    }

    /// A parameter's name and type; arrays and functions become pointers.
    pub(super) fn parameter(&mut self, parameter: &ParameterDeclaration) -> (Option<Ustr>, Ty) {
        let specifiers = self.declaration_specifiers(&parameter.specifiers);
        let declared = match &parameter.declarator {
            Some(declarator) => self.declarator(specifiers.ty, &declarator.node),
            None => Declared::new(None, specifiers.ty),
        };
        let ty = match declared.ty.kind() {
            TyKind::Array { .. } | TyKind::Function(_) => declared.ty.decayed(),
            _ => declared.ty,
        };
        (declared.name, ty)
    }

    fn apply_attributes(
        &mut self,
        mut ty: Ty,
        extensions: Vec<&Node<Extension>>,
    ) -> (Ty, Attributes) {
        let mut attributes = Attributes::default();
        for extension in extensions {
            let Extension::Attribute(attribute) = &extension.node else {
                continue;
            };
            let argument = attribute.arguments.first();
            let word = argument.and_then(|argument| match &argument.node {
                Expression::Identifier(name) => Some(Ustr::from(&name.node.name)),
                _ => None,
            });
            let mut number = || {
                argument
                    .and_then(|argument| self.constant(argument))
                    .and_then(|number| u64::try_from(number).ok())
            };
            match attribute.name.node.as_str() {
                "noreturn" => attributes.is_noreturn = true,
                "cleanup" => attributes.cleanup = word,
                "packed" => attributes.layout.packed = true,
                "aligned" => attributes.layout.aligned = Some(number().unwrap_or(16)),
                "vector_size" => {
                    if let Some(bytes) = number() {
                        ty = Ty::new(TyKind::Vector { element: ty, bytes });
                    }
                }
                "mode" => {
                    let long_bytes = self.environment.data_model().long_bytes;
                    ty = mode_type(&ty, word.map_or("", |word| word.as_str()), long_bytes);
                }
                name if is_contract(name) => attributes.contracts.push(attribute.clone()),
                _ => {}
            }
        }
        (ty, attributes)
    }

    pub(super) fn extent(&self, ty: &Ty) -> Option<Extent> {
        self.environment
            .data_model()
            .extent(ty, &|record| self.layout(record))
    }

    pub(super) fn size_of(&self, ty: &Ty) -> Option<u64> {
        self.extent(ty).map(|extent| extent.size)
    }

    pub(super) fn layout(&self, record: RecordRef) -> Option<Arc<RecordLayout>> {
        if let Some((_, layout)) = self
            .local_layouts
            .iter()
            .rev()
            .find(|(known, _)| *known == record)
        {
            return Some(layout.clone());
        }
        let layout = self.environment.record_layout(record)?;
        if layout.nesting > MOST_NESTED {
            self.type_cut.set(Some(TypeCut::Nesting));
        }
        Some(layout)
    }
}

impl Declared {
    fn new(name: Option<Ustr>, ty: Ty) -> Declared {
        Declared {
            name,
            ty,
            cleanup: None,
            is_noreturn: false,
            layout: LayoutAttributes::default(),
            contracts: Vec::new(),
        }
    }
}

impl SpecifierWords {
    fn qualify(&mut self, qualifier: &TypeQualifier) {
        self.qualifiers = self.qualifiers.with(match qualifier {
            TypeQualifier::Const => Qualifiers::CONST,
            TypeQualifier::Volatile => Qualifiers::VOLATILE,
            TypeQualifier::Atomic => Qualifiers::ATOMIC,
            _ => Qualifiers::NONE,
        });
    }

    fn finish(self) -> Ty {
        let signed = !self.unsigned;
        let integer = |rank: IntRank| Ty::integer(rank, signed);
        let float = |float: FloatTy| {
            Ty::new(if self.complex {
                TyKind::Complex(float)
            } else {
                TyKind::Float(float)
            })
        };
        let ty = match self.base {
            Some(Base::Done(ty)) if self.complex => match ty.kind() {
                TyKind::Float(kind) => Ty::new(TyKind::Complex(*kind)),
                _ => ty,
            },
            Some(Base::Done(ty)) => ty,
            Some(Base::Char) if self.unsigned => integer(IntRank::Char),
            Some(Base::Char) if self.signed => integer(IntRank::Char),
            Some(Base::Char) => Ty::integer(IntRank::PlainChar, true),
            Some(Base::Float) => float(FloatTy::Single),
            Some(Base::Double) if self.long > 0 => float(FloatTy::Extended),
            Some(Base::Double) => float(FloatTy::Double),
            Some(Base::Int128) => integer(IntRank::Int128),
            _ if self.complex => float(FloatTy::Double),
            _ if self.short => integer(IntRank::Short),
            _ if self.long >= 2 => integer(IntRank::LongLong),
            _ if self.long == 1 => integer(IntRank::Long),
            // Nothing but qualifiers is an implicit `int`.
            _ => integer(IntRank::Int),
        };
        ty.qualified(self.qualifiers)
    }
}

fn is_auto(specifier: &TypeSpecifier) -> bool {
    matches!(specifier, TypeSpecifier::TypedefName(name) if name.node.name == AUTO)
}

fn builtin_type(name: &str) -> Ty {
    match name {
        "__builtin_va_list" | "__builtin_ms_va_list" => Ty::new(TyKind::VaList),
        "__int128_t" => Ty::integer(IntRank::Int128, true),
        "__uint128_t" => Ty::integer(IntRank::Int128, false),
        "__float128" | "__ibm128" => Ty::new(TyKind::Float(FloatTy::Quad)),
        "__float80" => Ty::new(TyKind::Float(FloatTy::Extended)),
        "__bf16" | "__fp16" => Ty::new(TyKind::Float(FloatTy::Half)),
        "bool" => Ty::new(TyKind::Bool),
        "char8_t" => Ty::integer(IntRank::Char, false),
        "wchar_t" => Ty::int(),
        _ => Ty::unknown(),
    }
}

/// `__attribute__((mode(DI)))` replaces the width.
fn mode_type(ty: &Ty, mode: &str, long_bytes: u64) -> Ty {
    let signed = match ty.kind() {
        TyKind::Int(int) => int.signed,
        _ => true,
    };
    let rank = match mode.trim_matches('_') {
        "QI" | "byte" => IntRank::Char,
        "HI" => IntRank::Short,
        "SI" => IntRank::Int,
        "DI" if long_bytes < 8 => IntRank::LongLong,
        "DI" | "word" | "pointer" => IntRank::Long,
        "TI" => IntRank::Int128,
        _ => return ty.clone(),
    };
    Ty::integer(rank, signed)
}
