//! Answers to the client's questions: one file a question.

pub mod races;
