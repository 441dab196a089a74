//! Types as C writes them, and the types of operands.

use super::{ExternalCall, Printer};
use crate::ir::{
    ArrayLength, Body, FloatTy, FunctionRef, FunctionTy, IntRank, IntTy, Operand, Place,
    Projection, Rvalue, Statement, Ty, TyKind,
};
use rustc_hash::FxHashMap;

impl Printer<'_> {
    /// A declaration of `name` with this type, without qualifiers.
    pub fn declare(&self, ty: &Ty, name: &str) -> String {
        self.declarator(ty, name.to_owned(), false)
    }

    /// The type alone, as a cast has it.
    pub fn type_name(&self, ty: &Ty) -> String {
        self.declarator(ty, String::new(), false)
    }

    /// C reads declarators from the inside out.
    fn declarator(&self, ty: &Ty, inner: String, with_const: bool) -> String {
        let qualifier = if with_const && ty.qualifiers.contains(crate::ir::Qualifiers::CONST) {
            "const "
        } else {
            ""
        };
        let simple = |word: &str| {
            let space = if inner.is_empty() { "" } else { " " };
            format!("{qualifier}{word}{space}{inner}")
        };
        match ty.kind() {
            TyKind::Void => simple("void"),
            TyKind::Bool => simple("_Bool"),
            TyKind::Int(int) => simple(integer(*int)),
            TyKind::Float(float) => simple(floating(*float)),
            TyKind::Complex(float) => simple(&format!("_Complex {}", floating(*float))),
            TyKind::Pointer(pointee) => {
                let needs_parentheses =
                    matches!(pointee.kind(), TyKind::Array { .. } | TyKind::Function(_));
                let inner = if needs_parentheses {
                    format!("(*{inner})")
                } else {
                    format!("*{inner}")
                };
                self.declarator(pointee, inner, with_const)
            }
            TyKind::Array { element, length } => {
                let length = match length {
                    ArrayLength::Known(length) => length.to_string(),
                    ArrayLength::Unknown => String::new(),
                    // How long it is, is not known; whoever declares it says so.
                    ArrayLength::Variable => "1".to_owned(),
                };
                self.declarator(element, format!("{inner}[{length}]"), with_const)
            }
            TyKind::Vector { element, bytes } => {
                let element = self.declarator(element, String::new(), false);
                simple(&format!("__attribute__((vector_size({bytes}))) {element}"))
            }
            TyKind::Function(function) => self.function_type(function, &inner, with_const),
            TyKind::Record(record) => simple(&format!(
                "{} {}",
                self.record_word(*record),
                self.names.record(*record)
            )),
            TyKind::VaList => simple("__builtin_va_list"),
            TyKind::Unknown => simple("long"),
        }
    }

    fn function_type(&self, function: &FunctionTy, inner: &str, with_const: bool) -> String {
        let mut parameters: Vec<String> = function
            .parameters
            .iter()
            .map(|parameter| self.declarator(&parameter.decayed(), String::new(), with_const))
            .collect();
        if function.unspecified {
            parameters.clear();
        } else if function.variadic {
            parameters.push("...".to_owned());
        } else if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let inner = format!("{inner}({})", parameters.join(", "));
        self.declarator(&function.result, inner, with_const)
    }

    /// The declaration of a function without a body. The compiler's own functions need none.
    pub fn external(
        &self,
        function: FunctionRef,
        calls: &FxHashMap<FunctionRef, ExternalCall>,
    ) -> Option<String> {
        let name = function.name.as_str();
        if ["__builtin_", "__atomic_", "__sync_", "__c11_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            return None;
        }
        let ty = match self.program.declaration(function) {
            Some(ty) => self.with_external_parameters(ty),
            None => {
                let call = calls.get(&function)?;
                Ty::new(TyKind::Function(FunctionTy {
                    result: call.result.clone(),
                    parameters: call.arguments.clone().into(),
                    variadic: false,
                    unspecified: true,
                }))
            }
        };
        Some(self.declarator(&ty, name.to_owned(), true))
    }

    fn with_external_parameters(&self, ty: &Ty) -> Ty {
        let Some(function) = ty.as_function() else {
            return ty.clone();
        };
        let parameters = function.parameters.iter();
        Ty::new(TyKind::Function(FunctionTy {
            parameters: parameters.map(|ty| self.external_parameter(ty)).collect(),
            ..function.clone()
        }))
    }

    /// A union of pointers that is passed to a library stands for any of them, and arrives as a pointer.
    pub fn external_parameter(&self, ty: &Ty) -> Ty {
        let layout = ty.record().and_then(|record| self.program.layout(record));
        let is_pointer =
            |field: &crate::ir::Field| field.ty.pointee().is_some() && field.offset == 0;
        match layout {
            Some(layout) if layout.fields.len() > 1 && layout.fields.iter().all(is_pointer) => {
                Ty::void().pointer_to()
            }
            _ => ty.clone(),
        }
    }

    /// The head of a function's definition.
    pub fn head(&self, body: &Body) -> String {
        let names = self.names.locals(
            body.locals
                .iter()
                .map(|local| local.name.map(|name| name.as_str())),
        );
        let mut parameters: Vec<String> = body.locals[..body.parameters]
            .iter()
            .zip(&names)
            .map(|(local, name)| self.declare(&local.ty.decayed(), name))
            .collect();
        if body.variadic {
            parameters.push("...".to_owned());
        } else if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let name = self.names.function(body.function);
        self.declare(&body.result, &format!("{name}({})", parameters.join(", ")))
    }

    /// The type of a place, found as one follows it; `None` where a pointer does not say what it points to.
    pub fn place_type(&self, body: &Body, place: &Place) -> Option<Ty> {
        let (mut ty, mut from_pointer) = match &place.base {
            crate::ir::Base::Local(local) => (Some(body.local(*local).ty.clone()), false),
            crate::ir::Base::Global(global) => (Some(self.global_type(*global)), false),
            crate::ir::Base::Deref(pointer) => {
                let pointer = operand_type(body, pointer);
                (pointer.pointee().cloned(), true)
            }
        };
        for projection in &place.path {
            ty = match projection {
                Projection::Field { record, name } => {
                    let layout = self.program.layout(*record)?;
                    let field = layout.fields.iter().find(|field| field.name == *name)?;
                    Some(field.value_type())
                }
                Projection::Index(_) if from_pointer => ty,
                Projection::Index(_) => ty.and_then(|ty| ty.element().cloned()),
            };
            from_pointer = false;
        }
        ty
    }
}

/// The type of an operand's value.
pub(super) fn operand_type(body: &Body, operand: &Operand) -> Ty {
    match operand {
        Operand::Local(local) => body.local(*local).ty.decayed(),
        Operand::Integer(number) if i32::try_from(*number).is_ok() => Ty::int(),
        Operand::Integer(_) => Ty::integer(IntRank::Long, true),
        Operand::Float(_) => Ty::new(TyKind::Float(FloatTy::Double)),
        Operand::String(_) => Ty::integer(IntRank::PlainChar, true).pointer_to(),
        Operand::Function(_) => Ty::void().pointer_to(),
        Operand::Unknown => Ty::integer(IntRank::Long, true),
    }
}

/// The types that a statement names.
pub(super) fn mentioned_types(statement: &Statement, types: &mut Vec<Ty>) {
    let place_of = |place: &Place, types: &mut Vec<Ty>| {
        for projection in &place.path {
            if let Projection::Field { record, .. } = projection {
                types.push(Ty::new(TyKind::Record(*record)));
            }
        }
    };
    match statement {
        Statement::Load { ty, place, .. }
        | Statement::Store { ty, place, .. }
        | Statement::Update { ty, place, .. } => {
            types.push(ty.clone());
            place_of(place, types);
        }
        Statement::Assign { value, .. } => match value {
            Rvalue::Convert { from: ty, .. } | Rvalue::Binary { ty, .. } => types.push(ty.clone()),
            Rvalue::AddressOf(place) => place_of(place, types),
            _ => {}
        },
        Statement::Call { .. } | Statement::Assembly { .. } => {}
    }
}

/// A bit-field's value travels in the smallest type that has room for it.
fn integer(int: IntTy) -> &'static str {
    match (int.rank, int.signed) {
        (IntRank::PlainChar, _) => "char",
        (IntRank::Char, true) => "signed char",
        (IntRank::Char, false) => "unsigned char",
        (IntRank::Short, true) => "short",
        (IntRank::Short, false) => "unsigned short",
        (IntRank::Int, true) => "int",
        (IntRank::Int, false) => "unsigned int",
        (IntRank::Long, true) => "long",
        (IntRank::Long, false) => "unsigned long",
        (IntRank::LongLong, true) => "long long",
        (IntRank::LongLong, false) => "unsigned long long",
        (IntRank::Int128, true) => "__int128",
        (IntRank::Int128, false) => "unsigned __int128",
        (IntRank::BitInt(0..=8), true) => "signed char",
        (IntRank::BitInt(0..=8), false) => "unsigned char",
        (IntRank::BitInt(9..=16), true) => "short",
        (IntRank::BitInt(9..=16), false) => "unsigned short",
        (IntRank::BitInt(17..=32), true) => "int",
        (IntRank::BitInt(17..=32), false) => "unsigned int",
        (IntRank::BitInt(33..=64), true) => "long long",
        (IntRank::BitInt(33..=64), false) => "unsigned long long",
        (IntRank::BitInt(_), true) => "__int128",
        (IntRank::BitInt(_), false) => "unsigned __int128",
    }
}

fn floating(float: FloatTy) -> &'static str {
    match float {
        FloatTy::Half => "_Float16",
        FloatTy::Single => "float",
        FloatTy::Double => "double",
        FloatTy::Extended => "long double",
        FloatTy::Quad => "__float128",
    }
}
