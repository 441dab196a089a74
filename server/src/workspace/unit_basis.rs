//! What a translation unit was made from, to see later whether it would be the same.

use crate::project::Note;
use crate::project::preprocess::{Inputs, Preprocessed};
use crate::store::{ContentHash, PartsHasher};
use std::sync::Arc;

pub enum UnitBasis {
    /// Files, and nothing else: as long as they are the same, so is the unit.
    Files(Arc<Inputs>),
    /// Something else took part, such as a header that was not there. Only preprocessing again tells.
    Outcome(ContentHash),
}

impl UnitBasis {
    pub fn of(result: &Result<Preprocessed, Note>) -> UnitBasis {
        match result {
            Ok(Preprocessed {
                inputs: Some(inputs),
                ..
            }) => UnitBasis::Files(inputs.clone()),
            result => UnitBasis::Outcome(outcome(result)),
        }
    }
}

/// What preprocessing came to.
pub fn outcome(result: &Result<Preprocessed, Note>) -> ContentHash {
    let mut hasher = PartsHasher::new("outcome");
    let notes = match result {
        Ok(read) => {
            hasher.number(1).text(&read.text);
            hasher.all(read.headers.iter(), |hasher, header| {
                hasher.path(header);
            });
            read.notes.as_slice()
        }
        Err(note) => {
            hasher.number(0);
            std::slice::from_ref(note)
        }
    };
    hasher.all(notes.iter(), |hasher, note| note.add_to(hasher));
    hasher.finish()
}
