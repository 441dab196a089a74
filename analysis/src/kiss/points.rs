//! Where another thread can notice what a thread does: accesses to memory that several threads reach and one writes.

use super::machine::SchedulingPoints;
use crate::ir::{AccessKind, FunctionRef, StatementId};
use crate::points_to::Class;
use crate::races::WholeProgram;
use crate::threads::RootId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The accesses that other threads can notice, as points-to and the threads' entries tell. Everything else commutes
/// with whatever other threads do, so that no order of it has to be tried.
pub fn scheduling_points(program: &WholeProgram) -> SchedulingPoints {
    let shared = shared_classes(program);
    let mut points: FxHashSet<(FunctionRef, StatementId)> = FxHashSet::default();
    for function in program.functions.ids() {
        let name = program.functions.body(function).function;
        for access in &program.facts[function.0 as usize].accesses {
            let parts = program.points_to.parts(access.cell.class);
            let touches = shared.contains(&access.cell.class)
                || (access.cell.whole && parts.iter().any(|part| shared.contains(part)));
            if touches {
                points.insert((name, access.statement));
            }
        }
    }
    SchedulingPoints::Only(points)
}

#[derive(Default)]
struct Uses {
    only: Option<RootId>,
    by_several: bool,
    written: bool,
}

fn shared_classes(program: &WholeProgram) -> FxHashSet<Class> {
    let mut uses: FxHashMap<Class, Uses> = FxHashMap::default();
    for function in program.functions.ids() {
        let contexts = program.contexts.of(function);
        let mut roots: Vec<RootId> = contexts.flat_map(|(_, _, roots)| roots).copied().collect();
        roots.sort_unstable();
        roots.dedup();
        for access in &program.facts[function.0 as usize].accesses {
            let class = access.cell.class;
            let parts: &[Class] = if access.cell.whole {
                program.points_to.parts(class)
            } else {
                &[]
            };
            for class in std::iter::once(&class).chain(parts) {
                let known = uses.entry(*class).or_default();
                known.written |= access.kind != AccessKind::Read;
                for root in &roots {
                    known.by_several |= program.contexts.root(*root).many
                        || *known.only.get_or_insert(*root) != *root;
                }
            }
        }
    }
    let shared = uses.into_iter();
    let shared = shared.filter(|(_, known)| known.written && known.by_several);
    shared.map(|(class, _)| class).collect()
}
