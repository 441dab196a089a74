//! Strongly connected components: functions that call each other are summarised together.

use crate::shared_list::SharedList;
use std::sync::{Arc, OnceLock};

/// The components of a call graph, by number, callees first.
#[derive(Default)]
pub struct Components {
    members: Members,
    /// The component of each function.
    of_function: Vec<u32>,
    /// Components of several functions.
    groups: Vec<u32>,
    /// A component is in a higher level than those that it calls.
    levels: Vec<u32>,
    callees: SharedList<Arc<[u32]>>,
    /// For each component, those that call it. Found when they are asked for.
    callers: OnceLock<Vec<Vec<u32>>>,
}

/// The members of each component, sorted. Most components have one, and memory of its own for each would take longer to get than all else.
#[derive(Default, PartialEq)]
struct Members {
    all: Vec<u32>,
    /// Where those of each end.
    ends: Vec<u32>,
}

impl Members {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn of(&self, component: u32) -> &[u32] {
        let component = component as usize;
        let first = component
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        &self.all[first as usize..self.ends[component] as usize]
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        (0..self.ends.len()).map(|component| self.of(component as u32))
    }
}

impl Components {
    /// Those of functions that call these.
    pub fn new(callees: &SharedList<Arc<[u32]>>) -> Components {
        let members = components(callees);
        let mut of_function = vec![0; callees.len()];
        let mut levels = Vec::with_capacity(members.len());
        for (component, number) in members.iter().zip(0..) {
            for member in component {
                of_function[*member as usize] = number;
            }
            let called = component
                .iter()
                .flat_map(|member| callees[*member as usize].iter());
            let outside = called
                .map(|callee| of_function[*callee as usize])
                .filter(|callee| *callee != number);
            let level = outside.map(|callee| levels[callee as usize] + 1).max();
            levels.push(level.unwrap_or(0));
        }
        let groups = members.iter().zip(0..);
        let groups = groups.filter(|(members, _)| members.len() > 1);
        Components {
            groups: groups.map(|(_, number)| number).collect(),
            members,
            of_function,
            levels,
            callees: callees.clone(),
            callers: OnceLock::new(),
        }
    }

    /// The members of all components, callees first.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.members.iter()
    }

    /// The members of those that have several.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let groups = self.groups.iter();
        groups.map(|component| self.members(*component))
    }

    pub fn members(&self, component: u32) -> &[u32] {
        self.members.of(component)
    }

    /// Whether the functions of a component call each other, or its only one calls itself.
    pub fn is_recursive(&self, component: u32) -> bool {
        match self.members(component) {
            [alone] => self.callees[*alone as usize].binary_search(alone).is_ok(),
            _ => true,
        }
    }

    /// The functions that are alone in their component, as they were before, and call themselves only now or not any more.
    pub fn alone_otherwise_than<'c>(
        &'c self,
        before: &'c Components,
    ) -> impl Iterator<Item = u32> + 'c {
        let others = self.callees.unshared_with(&before.callees);
        let others = others.map(|function| function as u32);
        others.filter(move |function| {
            let [now, earlier] = [self, before].map(|components| {
                let component = components.of(*function);
                let is_alone = components.members(component).len() == 1;
                (is_alone, components.is_recursive(component))
            });
            now.0 && earlier.0 && now.1 != earlier.1
        })
    }

    /// The component of a function.
    pub fn of(&self, function: u32) -> u32 {
        self.of_function[function as usize]
    }

    /// Components of one level can be looked at side by side: they call only such as are in lower ones.
    pub fn level(&self, component: u32) -> u32 {
        self.levels[component as usize]
    }

    /// The components that call a component, sorted, without itself.
    pub fn callers(&self, component: u32) -> &[u32] {
        let callers = self.callers.get_or_init(|| {
            let mut callers = vec![Vec::new(); self.members.len()];
            for (members, caller) in self.members.iter().zip(0..) {
                let called = members
                    .iter()
                    .flat_map(|member| self.callees[*member as usize].iter());
                for callee in called.map(|callee| self.of(*callee)) {
                    let known: &mut Vec<u32> = &mut callers[callee as usize];
                    if callee != caller && known.last() != Some(&caller) {
                        known.push(caller);
                    }
                }
            }
            callers
        });
        &callers[component as usize]
    }
}

impl PartialEq for Components {
    fn eq(&self, other: &Components) -> bool {
        std::ptr::eq(self, other) || self.members == other.members
    }
}

/// The components of a graph, callees first; the members of each are sorted. Tarjan's algorithm with an
/// explicit stack, because call chains can be longer than the thread's own stack.
fn components<E: AsRef<[u32]>>(edges: &SharedList<E>) -> Members {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let mut number = vec![UNSEEN; count];
    let mut lowest = vec![0u32; count];
    let mut is_open = vec![false; count];
    let mut open: Vec<u32> = Vec::new();
    let mut result = Members::default();
    let mut stack: Vec<(u32, usize)> = Vec::new();
    let mut next = 0;
    for start in 0..count as u32 {
        if number[start as usize] != UNSEEN {
            continue;
        }
        stack.push((start, 0));
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
                let first = result.all.len();
                while let Some(member) = open.pop() {
                    is_open[member as usize] = false;
                    result.all.push(member);
                    if member == finished {
                        break;
                    }
                }
                result.all[first..].sort_unstable();
                result.ends.push(result.all.len() as u32);
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
            let callees = edges.iter().map(|edges| edges.clone().into());
            let components = Components::new(&callees.collect());
            let found = components.all();
            let mut place = vec![usize::MAX; count];
            for (index, members) in found.enumerate() {
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
            for (from, callees) in edges.iter().enumerate() {
                for to in callees {
                    let [from, to] = [from as u32, *to].map(|function| components.of(function));
                    let is_called = components.callers(to).contains(&from);
                    assert_eq!(is_called, from != to, "{edges:?}");
                    assert_eq!(components.level(to) < components.level(from), from != to);
                }
            }
        }
    }
}
