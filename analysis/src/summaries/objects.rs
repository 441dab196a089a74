//! What is to know about semaphores and variables of the whole program before its functions are summarised.

use super::flags::Flags;
use super::semaphores::Semaphores;
use crate::callgraph::CallGraph;

#[derive(Default)]
pub struct SyncObjects {
    pub semaphores: Semaphores,
    pub flags: Flags,
}

impl SyncObjects {
    pub fn new(graph: &CallGraph<'_>) -> SyncObjects {
        SyncObjects {
            semaphores: Semaphores::new(graph),
            flags: Flags::new(graph),
        }
    }
}
