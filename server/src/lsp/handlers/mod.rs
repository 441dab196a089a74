//! Answers to the client's questions: one file a question.

pub mod code_action;
pub mod code_lens;
pub mod diagnostic;
pub mod explain;
pub mod hover;
pub mod races;
