//! Names of local variables that stay the same when other variables come or go: the name in the text, and the number among
//! those of the function that have it.

use super::body::{Body, LocalId, Storage};
use std::fmt;
use ustr::Ustr;

/// A local variable in memory as other functions know it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Variable {
    /// What the program did not name, such as a compound literal, has none.
    pub name: Option<Ustr>,
    ordinal: u32,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_ref().map_or("unnamed", |name| name.as_str());
        match self.ordinal {
            0 => f.write_str(name),
            ordinal => write!(f, "{name}#{ordinal}"),
        }
    }
}

impl Body {
    /// The name by which other functions know a local variable.
    pub fn variable(&self, local: LocalId) -> Variable {
        let name = self.local(local).name;
        let before = self.locals[..local.0 as usize].iter();
        let of_that_name =
            before.filter(|other| other.name == name && other.storage == Storage::Memory);
        Variable {
            name,
            ordinal: of_that_name.count() as u32,
        }
    }
}
