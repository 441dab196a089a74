//! What is to know about semaphores, counters and variables of the whole program before its functions are summarised.

use super::counters::Counters;
use super::flags::Flags;
use super::semaphores::Semaphores;
use super::tokens::Tokens;
use crate::callgraph::CallGraph;

#[derive(Default)]
pub struct SyncObjects {
    pub semaphores: Semaphores,
    pub flags: Flags,
    pub tokens: Tokens,
    pub counters: Counters,
}

impl SyncObjects {
    pub fn new(graph: &CallGraph<'_>) -> SyncObjects {
        let semaphores = Semaphores::new(graph);
        SyncObjects {
            counters: Counters::new(graph),
            flags: Flags::new(graph),
            tokens: Tokens::new(graph, &semaphores),
            semaphores,
        }
    }
}
