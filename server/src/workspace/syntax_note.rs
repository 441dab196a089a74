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
        let (missing, not_understood) = ("is not analysed", "is not understood");
        let (what, verdict) = match self.problem.kind {
            ProblemKind::Function => ("function", missing),
            ProblemKind::Initialiser => ("the initialiser of", missing),
            ProblemKind::Typedef => ("type", not_understood),
            ProblemKind::Declaration if name.is_empty() => ("this declaration", not_understood),
            ProblemKind::Declaration => ("the declaration of", not_understood),
            ProblemKind::Types => ("function", "is not understood as a whole"),
        };
        let note = Note::information(format!("{what}{name} {verdict}: {}", self.problem.reason));
        match &self.place {
            Some(place) => note.at(place.clone()),
            None => note,
        }
    }
}
