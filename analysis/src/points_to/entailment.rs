//! Whether what a function said about pointers follows from what it says now, whatever the rest of the program says.

use super::constraints::Constraints;
use super::standing::{Kinds, Marks, Standing};
use std::sync::Arc;

impl Standing {
    /// Whether what the function said follows from what it says, whatever others say.
    pub(super) fn follows_locally(
        &mut self,
        index: usize,
        before: &Arc<Constraints>,
        now: &Arc<Constraints>,
    ) -> bool {
        let function = [(index, now.clone())];
        let mut local = self.solver.local(&function, Some(before)).solver;
        local.graph.records = std::mem::take(&mut self.solver.graph.records);
        local.solve();
        let escaped = local.escaped();
        let kinds = Kinds::of_roots(&mut local);
        local.graph.begin_trial();
        let marks = Marks::new(&local);
        let follows = local.try_on_top(0, before)
            && local.graph.has_held(true)
            && marks.hold(&mut local, &kinds, &escaped, true);
        local.graph.end_trial();
        self.solver.graph.records = local.graph.records;
        follows
    }
}
