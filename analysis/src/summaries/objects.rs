//! What is to know about semaphores and variables of the whole program before its functions are summarised.

use super::flags::Flags;
use super::semaphores::Semaphores;
use super::tokens::Tokens;
use crate::callgraph::CallGraph;

#[derive(Default, PartialEq)]
pub struct SyncObjects {
    pub semaphores: Semaphores,
    pub flags: Flags,
    pub tokens: Tokens,
}

impl SyncObjects {
    pub fn new(graph: &CallGraph<'_>) -> SyncObjects {
        let semaphores = Semaphores::new(graph);
        SyncObjects {
            flags: Flags::new(graph),
            tokens: Tokens::new(graph, &semaphores),
            semaphores,
        }
    }
}
