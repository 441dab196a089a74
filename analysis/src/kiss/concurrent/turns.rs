//! How threads take turns: in any order, as KISS's stack lets them, or in rounds.

/// Who moves next, and what that leaves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Turns {
    /// Any thread, at any time.
    Free,
    Balanced(Balanced),
    Rounds(Rounds),
}

/// The balanced executions of KISS: a thread that another one interrupts goes on only when that one has ended, or has
/// stopped for good.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Balanced {
    /// Threads in progress; each interrupts the one before.
    stack: Vec<usize>,
    /// Threads that do not run any more, by their bits.
    gone: u64,
}

/// Each thread has a turn in each round, in the order in which they were started.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rounds {
    /// How many rounds come after this one.
    left: u32,
    /// Whose turn it is.
    thread: usize,
}

impl Turns {
    pub fn balanced() -> Turns {
        Turns::Balanced(Balanced {
            stack: vec![0],
            gone: 0,
        })
    }

    /// There is at least one round.
    pub fn rounds(count: u32) -> Turns {
        Turns::Rounds(Rounds {
            left: count.saturating_sub(1),
            thread: 0,
        })
    }

    /// Every thread that may move, with the turns that follow.
    pub fn next(&self, threads: usize) -> Vec<(usize, Turns)> {
        match self {
            Turns::Free => (0..threads).map(|thread| (thread, Turns::Free)).collect(),
            Turns::Balanced(balanced) => balanced.next(threads),
            Turns::Rounds(rounds) => rounds.next(threads),
        }
    }
}

impl Balanced {
    fn next(&self, threads: usize) -> Vec<(usize, Turns)> {
        let mut found = Vec::new();
        let mut now = self.clone();
        // Any number of threads on top may stop for good first.
        loop {
            if let Some(top) = now.stack.last() {
                found.push((*top, Turns::Balanced(now.clone())));
            }
            for thread in 0..threads {
                let is_new = !now.stack.contains(&thread) && now.gone & (1 << thread) == 0;
                if is_new {
                    let mut with = now.clone();
                    with.stack.push(thread);
                    found.push((thread, Turns::Balanced(with)));
                }
            }
            let Some(top) = now.stack.pop() else {
                return found;
            };
            now.gone |= 1 << top;
        }
    }
}

impl Rounds {
    fn next(&self, threads: usize) -> Vec<(usize, Turns)> {
        let mut found = Vec::new();
        for later in 0..=self.left {
            let first = if later == 0 { self.thread } else { 0 };
            let left = self.left - later;
            let turns = (first..threads).map(|thread| Turns::Rounds(Rounds { left, thread }));
            found.extend((first..threads).zip(turns));
        }
        found
    }
}
