//! Answers to the client's questions: one file a question.

pub mod asked;
pub mod call_hierarchy;
pub mod code_action;
pub mod code_lens;
pub mod definition;
pub mod diagnostic;
pub mod document_link;
pub mod explain;
pub mod hover;
pub mod inlay_hint;
pub mod interleaving;
pub mod races;
pub mod semantic_tokens;
pub mod verify;
