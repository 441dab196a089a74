//! The worklist engine.

use super::{Analysis, Edge};
use crate::ir::cfg::reverse_postorder;
use crate::ir::{BlockId, Body, StatementId};
use crate::stop;
use std::collections::BTreeSet;

/// What holds at the start of each block; `None` for blocks that control never reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<D> {
    pub entries: Vec<Option<D>>,
}

/// A block that was visited more often than this accumulates its states, so that every analysis ends.
const PATIENCE: u32 = 8;

/// Computes the least solution. Blocks are visited in reverse postorder, those that changed first.
/// A block's entry is computed anew from the present ends of its predecessors, so that a value which a
/// later round replaces leaves no trace.
pub fn solve<A: Analysis>(analysis: &A, body: &Body) -> Solution<A::Domain> {
    let order = reverse_postorder(&body.blocks);
    let mut position = vec![0; body.blocks.len()];
    for (index, block) in order.iter().enumerate() {
        position[block.0 as usize] = index;
    }
    let mut entries: Vec<Option<A::Domain>> = vec![None; body.blocks.len()];
    // What each block hands over along each of its edges.
    let mut handed: Vec<Vec<A::Domain>> = vec![Vec::new(); body.blocks.len()];
    let incoming = incoming_edges(body, &order);
    let mut visits = vec![0u32; body.blocks.len()];
    let mut pending: BTreeSet<usize> = BTreeSet::from([position[0]]);
    while let Some(next) = pending.pop_first() {
        stop::ask();
        let block = order[next];
        let at = block.0 as usize;
        visits[at] += 1;
        let mut entry = (at == 0).then(|| analysis.entry(body));
        for &(from, index) in &incoming[at] {
            if let Some(state) = handed[from.0 as usize].get(index) {
                flow_into(&mut entry, state.clone());
            }
        }
        if visits[at] > PATIENCE
            && let Some(known) = &entries[at]
        {
            flow_into(&mut entry, known.clone());
        }
        let Some(entry) = entry else { continue };
        if visits[at] > 1 && entries[at].as_ref() == Some(&entry) {
            continue;
        }
        entries[at] = Some(entry.clone());
        let exit = run_block(analysis, body, block, entry);
        let terminator = &body.block(block).terminator;
        let successors = terminator.successors();
        let mut states = Vec::with_capacity(successors.len());
        for (index, to) in successors.into_iter().enumerate() {
            let mut state = exit.clone();
            let edge = Edge {
                from: block,
                to,
                terminator,
                index,
            };
            analysis.edge(&mut state, edge);
            if handed[at].get(index) != Some(&state) {
                pending.insert(position[to.0 as usize]);
            }
            states.push(state);
        }
        handed[at] = states;
    }
    Solution { entries }
}

/// For each block, the edges that lead to it from blocks that control reaches.
fn incoming_edges(body: &Body, order: &[BlockId]) -> Vec<Vec<(BlockId, usize)>> {
    let mut incoming = vec![Vec::new(); body.blocks.len()];
    for &block in order {
        let successors = body.block(block).terminator.successors();
        for (index, to) in successors.into_iter().enumerate() {
            incoming[to.0 as usize].push((block, index));
        }
    }
    incoming
}

/// The state behind the statements of a block.
pub(super) fn run_block<A: Analysis>(
    analysis: &A,
    body: &Body,
    block: BlockId,
    mut state: A::Domain,
) -> A::Domain {
    analysis.enter(&mut state, block);
    for (index, statement) in body.block(block).statements.iter().enumerate() {
        analysis.statement(
            &mut state,
            StatementId {
                block,
                index: index as u32,
            },
            statement,
        );
    }
    state
}

/// Joins a state into a block's entry; returns whether that changed it.
pub(super) fn flow_into<D: super::Domain>(entry: &mut Option<D>, state: D) -> bool {
    match entry {
        Some(known) => known.join(&state),
        None => {
            *entry = Some(state);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataflow::{Domain, visit_block, visit_statements};
    use crate::ir::*;
    use std::collections::BTreeSet as Set;

    /// Which locals may have been assigned: small, but with real joins and loops.
    struct Assigned;

    impl Domain for Set<u32> {
        fn join(&mut self, other: &Set<u32>) -> bool {
            let before = self.len();
            self.extend(other);
            self.len() > before
        }
    }

    impl Analysis for Assigned {
        type Domain = Set<u32>;

        fn entry(&self, _body: &Body) -> Set<u32> {
            Set::new()
        }

        fn statement(&self, state: &mut Set<u32>, _id: StatementId, statement: &Statement) {
            if let Statement::Assign { target, value } = statement {
                state.insert(target.0);
                if matches!(value, Rvalue::Use(Operand::Unknown)) {
                    state.remove(&(target.0 / 2));
                }
            }
        }

        fn edge(&self, state: &mut Set<u32>, edge: Edge<'_>) {
            if edge.index == 1 {
                state.insert(1000);
            }
        }
    }

    /// The naive twin: visits every block, in index order, until nothing changes.
    fn solve_naively<A: Analysis>(analysis: &A, body: &Body) -> Vec<Option<A::Domain>> {
        let mut entries: Vec<Option<A::Domain>> = vec![None; body.blocks.len()];
        entries[0] = Some(analysis.entry(body));
        loop {
            let mut changed = false;
            for block in 0..body.blocks.len() {
                let Some(entry) = entries[block].clone() else {
                    continue;
                };
                let exit = run_block(analysis, body, BlockId(block as u32), entry);
                let terminator = &body.blocks[block].terminator;
                for (index, to) in terminator.successors().into_iter().enumerate() {
                    let mut state = exit.clone();
                    let edge = Edge {
                        from: BlockId(block as u32),
                        to,
                        terminator,
                        index,
                    };
                    analysis.edge(&mut state, edge);
                    changed |= flow_into(&mut entries[to.0 as usize], state);
                }
            }
            if !changed {
                return entries;
            }
        }
    }

    /// A body with random blocks and jumps.
    fn random_body(seed: u64) -> Body {
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move |bound: u32| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % u64::from(bound)) as u32
        };
        let count = 1 + next(12);
        let blocks = (0..count)
            .map(|_| {
                let statements = (0..next(4))
                    .map(|_| Statement::Assign {
                        target: LocalId(next(8)),
                        value: Rvalue::Use(if next(3) == 0 {
                            Operand::Unknown
                        } else {
                            Operand::Integer(1)
                        }),
                    })
                    .collect();
                let terminator = match next(4) {
                    0 => Terminator::Return(None),
                    1 => Terminator::Goto(BlockId(next(count))),
                    _ => Terminator::Branch {
                        condition: Operand::Unknown,
                        then: BlockId(next(count)),
                        otherwise: BlockId(next(count)),
                    },
                };
                Block {
                    statements,
                    terminator,
                }
            })
            .collect();
        let name = ustr::Ustr::from("random");
        Body {
            function: FunctionRef {
                name,
                scope: GlobalScope::External,
            },
            result: Ty::void(),
            parameters: 0,
            variadic: false,
            locals: Vec::new(),
            strings: Vec::new(),
            statics: Vec::new(),
            static_locals: Vec::new(),
            blocks,
            records: Vec::new(),
            landmarks: crate::ir::Landmarks::default(),
        }
    }

    #[test]
    fn the_engine_finds_what_the_naive_one_finds() {
        for seed in 0..2_000 {
            let body = random_body(seed);
            assert_eq!(
                solve(&Assigned, &body).entries,
                solve_naively(&Assigned, &body),
                "seed {seed}: {}",
                body.pretty()
            );
        }
    }

    #[test]
    fn chosen_statements_are_shown_as_among_all() {
        for seed in 0..500 {
            let body = random_body(seed);
            let solution = solve(&Assigned, &body);
            let matters = |id: StatementId, statement: &Statement| {
                id.index % 2 == 1 || statement.target() == Some(LocalId(3))
            };
            let mut all = Vec::new();
            visit_statements(&Assigned, &body, &solution, |state, id, statement| {
                if matters(id, statement) {
                    all.push((id, state.clone()));
                }
            });
            let mut chosen = Vec::new();
            let mut visit = |state: &Set<u32>, id, _: &Statement| {
                chosen.push((id, state.clone()));
            };
            for block in 0..body.blocks.len() {
                let block = BlockId(block as u32);
                visit_block(&Assigned, &body, &solution, block, &matters, &mut visit);
            }
            assert_eq!(chosen, all, "seed {seed}");
        }
    }
}
