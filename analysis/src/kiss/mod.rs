//! On demand: looks for an interleaving that really gets to a race or a violated assertion.

pub mod c_text;
pub mod concurrent;
pub mod machine;
pub mod mentioned;
pub mod part;
pub mod points;
pub mod program;
pub mod schedule;
pub mod search;
pub mod sequential;
