//! On demand: looks for an interleaving that really gets to a race or a violated assertion.

pub mod c_text;
pub mod program;
pub mod sequential;
