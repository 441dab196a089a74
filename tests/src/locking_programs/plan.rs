//! What a random program does.

use crate::random::Random;

/// Functions that call only later ones; the first is run by two threads, with an object each.
#[derive(Clone, Debug)]
pub struct Plan {
    pub functions: Vec<Vec<Step>>,
}

#[derive(Clone, Debug)]
pub enum Step {
    Lock(Lock),
    Unlock(Lock),
    /// Goes on in the first list if it got the lock, in the second if not.
    TryLock(Lock, Vec<Step>, Vec<Step>),
    /// An access to a variable of its own, by its number.
    Access(usize),
    Call(usize, Argument),
    Either(Vec<Step>, Vec<Step>),
    Return,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lock {
    /// A variable.
    Global(usize),
    /// That of the object which the function was given.
    OwnObject,
}

/// What a callee gets.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    OwnObject,
    Object(usize),
}

pub const GLOBAL_LOCKS: usize = 3;
pub const OBJECTS: usize = 2;

/// The program of a seed. One in two uses locks in objects.
pub fn plan(seed: u64) -> Plan {
    let mut random = Random::new(seed);
    let count = 2 + random.below(4);
    let mut writer = Writer {
        with_objects: random.one_in(2),
        random,
        accesses: 0,
        function: 0,
        count,
    };
    let functions = (0..count)
        .map(|function| {
            writer.function = function;
            writer.steps(2 + function % 2, 3)
        })
        .collect();
    Plan { functions }
}

struct Writer {
    random: Random,
    with_objects: bool,
    accesses: usize,
    function: usize,
    count: usize,
}

impl Writer {
    fn steps(&mut self, least: usize, depth: usize) -> Vec<Step> {
        let count = least + self.random.below(4);
        (0..count).map(|_| self.step(depth)).collect()
    }

    fn step(&mut self, depth: usize) -> Step {
        match self.random.below(if depth > 0 { 14 } else { 8 }) {
            0 | 1 => Step::Lock(self.lock()),
            2 | 3 => Step::Unlock(self.lock()),
            4 | 5 if self.function + 1 < self.count => {
                let later = self.count - self.function - 1;
                let callee = self.function + 1 + self.random.below(later);
                Step::Call(callee, self.argument())
            }
            8 | 9 => Step::Either(self.steps(0, depth - 1), self.steps(0, depth - 1)),
            10 => {
                let lock = self.lock();
                Step::TryLock(lock, self.steps(1, depth - 1), self.steps(0, depth - 1))
            }
            12 | 13 => self.break_off(depth),
            // At the end of a function nothing would follow it.
            11 if depth < 3 => Step::Return,
            _ => {
                self.accesses += 1;
                Step::Access(self.accesses - 1)
            }
        }
    }

    /// Gives a lock up for a while on one path, and, now and then, for good.
    fn break_off(&mut self, depth: usize) -> Step {
        let lock = self.lock();
        let mut steps = vec![Step::Unlock(lock)];
        steps.extend(self.steps(0, depth - 1));
        if !self.random.one_in(4) {
            steps.push(Step::Lock(lock));
        }
        Step::Either(steps, Vec::new())
    }

    fn lock(&mut self) -> Lock {
        if self.with_objects && self.random.one_in(2) {
            Lock::OwnObject
        } else {
            Lock::Global(self.random.below(GLOBAL_LOCKS))
        }
    }

    fn argument(&mut self) -> Argument {
        if self.random.one_in(3) {
            Argument::Object(self.random.below(OBJECTS))
        } else {
            Argument::OwnObject
        }
    }
}

impl Plan {
    /// Whether locks lie in objects too, which two names can mean.
    pub fn has_object_locks(&self) -> bool {
        fn uses(steps: &[Step]) -> bool {
            steps.iter().any(|step| match step {
                Step::Lock(lock) | Step::Unlock(lock) => *lock == Lock::OwnObject,
                Step::TryLock(lock, got, failed) => {
                    *lock == Lock::OwnObject || uses(got) || uses(failed)
                }
                Step::Either(one, other) => uses(one) || uses(other),
                Step::Access(_) | Step::Call(..) | Step::Return => false,
            })
        }
        self.functions.iter().any(|steps| uses(steps))
    }
}
