//! Something that could not be understood, where the user finds it.

use crate::project::{Note, Place};
use racelens_analysis::host::{ProblemKind, SyntaxProblem};

pub struct SyntaxNote {
    pub problem: SyntaxProblem,
    pub place: Option<Place>,
}

impl SyntaxNote {
    pub fn to_note(&self) -> Note {
        let name = match self.problem.name {
            Some(name) => format!(" `{name}`"),
            None => String::new(),
        };
        let (what, is_missing) = match self.problem.kind {
            ProblemKind::Function => ("function", true),
            ProblemKind::Initialiser => ("the initialiser of", true),
            ProblemKind::Typedef => ("type", false),
            ProblemKind::Declaration if name.is_empty() => ("this declaration", false),
            ProblemKind::Declaration => ("the declaration of", false),
        };
        let verdict = if is_missing {
            "is not analysed"
        } else {
            "is not understood"
        };
        let note = Note::information(format!("{what}{name} {verdict}: {}", self.problem.reason));
        match &self.place {
            Some(place) => note.at(place.clone()),
            None => note,
        }
    }
}
