//! Whether what a function said about pointers follows from what it and others say now, whatever the rest of the program says.

use super::constraints::Constraints;
use super::standing::{Kinds, Marks, Standing};
use std::sync::Arc;

impl Standing {
    /// Whether what the first of some functions said before follows from what they say now, whatever others say.
    pub(super) fn follows_from(
        &mut self,
        functions: &[(usize, Arc<Constraints>)],
        before: &Arc<Constraints>,
    ) -> bool {
        let mut local = self.solver.local(functions, Some(before)).solver;
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
