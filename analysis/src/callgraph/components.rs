//! Strongly connected components: functions that call each other are summarised together.

/// The components of a graph, callees first; the members of each are sorted. Tarjan's algorithm with an
/// explicit stack, because call chains can be longer than the thread's own stack.
pub fn components<E: AsRef<[u32]>>(edges: &[E]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let mut number = vec![UNSEEN; count];
    let mut lowest = vec![0u32; count];
    let mut is_open = vec![false; count];
    let mut open: Vec<u32> = Vec::new();
    let mut result = Vec::new();
    let mut next = 0;
    for start in 0..count as u32 {
        if number[start as usize] != UNSEEN {
            continue;
        }
        let mut stack: Vec<(u32, usize)> = vec![(start, 0)];
        while let Some((node, edge)) = stack.last_mut() {
            let at = *node as usize;
            if *edge == 0 && number[at] == UNSEEN {
                number[at] = next;
                lowest[at] = next;
                next += 1;
                open.push(*node);
                is_open[at] = true;
            }
            if let Some(&target) = edges[at].as_ref().get(*edge) {
                *edge += 1;
                if number[target as usize] == UNSEEN {
                    stack.push((target, 0));
                } else if is_open[target as usize] {
                    lowest[at] = lowest[at].min(number[target as usize]);
                }
                continue;
            }
            let finished = *node;
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                let parent = *parent as usize;
                lowest[parent] = lowest[parent].min(lowest[at]);
            }
            if lowest[at] == number[at] {
                let mut members = Vec::new();
                while let Some(member) = open.pop() {
                    is_open[member as usize] = false;
                    members.push(member);
                    if member == finished {
                        break;
                    }
                }
                members.sort_unstable();
                result.push(members);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(edges: &[Vec<u32>], from: u32) -> Vec<bool> {
        let mut seen = vec![false; edges.len()];
        let mut work = edges[from as usize].clone();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                work.extend(&edges[node as usize]);
            }
        }
        seen
    }

    #[test]
    fn components_are_those_that_reach_each_other_and_callees_come_first() {
        let mut random = 0x2545_f491_4f6c_dd1du64;
        let mut next = move |bound: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % bound as u64) as usize
        };
        for _ in 0..2_000 {
            let count = 1 + next(9);
            let edges: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..next(3)).map(|_| next(count) as u32).collect())
                .collect();
            let found = components(&edges);
            let mut place = vec![usize::MAX; count];
            for (index, members) in found.iter().enumerate() {
                for &member in members {
                    assert_eq!(place[member as usize], usize::MAX);
                    place[member as usize] = index;
                }
            }
            for from in 0..count {
                let reached = reach(&edges, from as u32);
                for to in 0..count {
                    let together = from == to || (reached[to] && reach(&edges, to as u32)[from]);
                    assert_eq!(place[from] == place[to], together, "{edges:?}");
                    if reached[to] {
                        assert!(place[to] <= place[from], "{edges:?}");
                    }
                }
            }
        }
    }
}
