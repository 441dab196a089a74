//! Makes the variable of a race `_Atomic`, in every declaration.

use super::Fix;
use super::declaration::declarations;
use super::edit::Edits;
use crate::lsp::driver::Program;
use crate::report::{Access, Race};

pub fn fix(program: &Program<'_>, race: &Race, _: &Access) -> Option<Fix> {
    let declarations = declarations(program, &race.location);
    let mut edits = Edits::default();
    for declaration in &declarations {
        if declaration.is_compound {
            return None;
        }
        // `int *_Atomic p` is an atomic pointer; `_Atomic int *p` would be a pointer to an atomic.
        let at = if declaration.is_pointer {
            declaration.name_start
        } else {
            declaration.type_start
        };
        let text = declaration.source.text();
        edits.insert(program, &declaration.file, text, at, "_Atomic ");
    }
    (!edits.is_empty()).then(|| Fix {
        title: format!("Make `{}` `_Atomic`", race.location),
        edits,
        is_preferred: false,
    })
}
