//! What the host tells the database. Setting a value invalidates what read it, so the host sets
//! only what differs.

use crate::frontend::groups::ItemSource;
use crate::frontend::layout::DataModel;
use crate::frontend::scope::Scope;
use std::sync::Arc;
use ustr::Ustr;

/// A translation unit: one source file with all it includes.
#[salsa::input(debug)]
pub struct Unit {
    #[returns(copy)]
    pub path: Ustr,
    #[returns(copy)]
    pub data_model: DataModel,
    /// Set when a declaration changes, not when a body does.
    #[returns(ref)]
    pub scope: Arc<Scope>,
}

/// Something that runs: a function, or the initialisers of a declaration.
#[salsa::input(debug)]
pub struct Function {
    #[returns(copy)]
    pub name: Ustr,
    #[returns(copy)]
    pub kind: FunctionKind,
    #[returns(copy)]
    pub unit: Unit,
    /// The text by content; where it stands is not part of it.
    #[returns(ref)]
    pub source: ItemSource,
    /// The last text that parsed, for while a new one is being typed.
    #[returns(ref)]
    pub last_good: Option<ItemSource>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FunctionKind {
    Function,
    /// The initialisers of a file-scope declaration.
    Initialiser,
}
