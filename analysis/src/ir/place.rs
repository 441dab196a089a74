//! Places: what a memory access touches, as a base and a path.

use super::body::{LocalId, Operand};
use super::ty::RecordRef;
use ustr::Ustr;

/// A piece of memory: where it starts and which way leads into it.
///
/// A path never dereferences. Following a pointer that lies in memory takes a `Load` of its own,
/// because it is an access of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub base: Base,
    pub path: Vec<Projection>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A local variable that lives in memory.
    Local(LocalId),
    Global(GlobalRef),
    /// What a pointer points to.
    Deref(Operand),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Projection {
    Field {
        record: RecordRef,
        name: Ustr,
    },
    /// An array element; behind `Deref`, an element counted from the pointer.
    Index(Operand),
}

/// A variable with static storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct GlobalRef {
    pub name: Ustr,
    pub scope: GlobalScope,
    pub thread_local: bool,
}

/// A function, by the name that the linker or the file gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FunctionRef {
    pub name: Ustr,
    pub scope: GlobalScope,
}

impl FunctionRef {
    /// The name of a place among the functions where there is none yet.
    pub fn nobody() -> FunctionRef {
        FunctionRef {
            name: Ustr::default(),
            scope: GlobalScope::Unit(Ustr::default()),
        }
    }

    pub fn is_nobody(self) -> bool {
        self.name.is_empty()
    }

    /// As other translation units name it.
    pub fn declared(self) -> FunctionRef {
        match self.scope {
            GlobalScope::OneOfSeveral(_) => FunctionRef {
                scope: GlobalScope::External,
                ..self
            },
            _ => self,
        }
    }
}

/// Where a name with static storage is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum GlobalScope {
    /// In the whole program.
    External,
    /// In the whole program, which has several of that name: the one of this translation unit.
    OneOfSeveral(Ustr),
    /// `static` at file scope: in this translation unit.
    Unit(Ustr),
    /// `static` inside a function; the number tells variables of the same name apart.
    Function {
        unit: Ustr,
        function: Ustr,
        ordinal: u32,
    },
}

impl GlobalScope {
    /// Whether other translation units can name it.
    pub fn is_external(self) -> bool {
        matches!(self, GlobalScope::External | GlobalScope::OneOfSeveral(_))
    }
}

impl Place {
    pub fn local(local: LocalId) -> Place {
        Place {
            base: Base::Local(local),
            path: Vec::new(),
        }
    }

    pub fn global(global: GlobalRef) -> Place {
        Place {
            base: Base::Global(global),
            path: Vec::new(),
        }
    }

    pub fn deref(pointer: Operand) -> Place {
        Place {
            base: Base::Deref(pointer),
            path: Vec::new(),
        }
    }

    pub fn then(mut self, projection: Projection) -> Place {
        self.path.push(projection);
        self
    }

    /// Shows every operand that the place depends on.
    pub fn operands(&self, visit: &mut dyn FnMut(&Operand)) {
        if let Base::Deref(pointer) = &self.base {
            visit(pointer);
        }
        for projection in &self.path {
            if let Projection::Index(index) = projection {
                visit(index);
            }
        }
    }

    /// Whether the place can be reached by nobody but the function's own frame, as long as no
    /// address of it is taken.
    pub fn is_local(&self) -> bool {
        matches!(self.base, Base::Local(_))
    }
}
