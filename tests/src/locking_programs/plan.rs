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
    Call(usize, Argument, Flag),
    /// Goes this way if the flag that the function was given is set, or is not.
    IfFlag(bool, Vec<Step>),
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

/// The flag that a callee gets.
#[derive(Clone, Copy, Debug)]
pub enum Flag {
    Own,
    Constant(bool),
}

pub const GLOBAL_LOCKS: usize = 3;
pub const OBJECTS: usize = 2;

/// The program of a seed. One in two uses locks in objects, and one in two has functions that do as they are told.
pub fn plan(seed: u64) -> Plan {
    let mut random = Random::new(seed);
    let count = 2 + random.below(4);
    let mut writer = Writer {
        with_objects: random.one_in(2),
        with_flags: random.one_in(2),
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
    with_flags: bool,
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
        match self.random.below(if depth > 0 { 16 } else { 8 }) {
            0 | 1 => Step::Lock(self.lock()),
            2 | 3 => Step::Unlock(self.lock()),
            4 | 5 if self.function + 1 < self.count => {
                let later = self.count - self.function - 1;
                let callee = self.function + 1 + self.random.below(later);
                Step::Call(callee, self.argument(), self.flag())
            }
            8 | 9 => Step::Either(self.steps(0, depth - 1), self.steps(0, depth - 1)),
            10 => {
                let lock = self.lock();
                Step::TryLock(lock, self.steps(1, depth - 1), self.steps(0, depth - 1))
            }
            12 | 13 => self.break_off(depth),
            14 if self.with_flags => Step::IfFlag(self.random.one_in(2), self.steps(1, depth - 1)),
            15 if self.with_flags => {
                let lock = self.lock();
                let step = if self.random.one_in(2) {
                    Step::Lock(lock)
                } else {
                    Step::Unlock(lock)
                };
                Step::IfFlag(self.random.one_in(2), vec![step])
            }
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

    fn flag(&mut self) -> Flag {
        if self.random.one_in(3) {
            Flag::Own
        } else {
            Flag::Constant(self.random.one_in(2))
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
    /// Whether a flag that a function is given decides what it does.
    pub fn has_flags(&self) -> bool {
        self.any_step(&|step| matches!(step, Step::IfFlag(..)))
    }

    /// Whether locks lie in objects too, which two names can mean.
    pub fn has_object_locks(&self) -> bool {
        self.any_step(&|step| match step {
            Step::Lock(lock) | Step::Unlock(lock) | Step::TryLock(lock, ..) => {
                *lock == Lock::OwnObject
            }
            _ => false,
        })
    }

    fn any_step(&self, test: &dyn Fn(&Step) -> bool) -> bool {
        fn any(steps: &[Step], test: &dyn Fn(&Step) -> bool) -> bool {
            steps.iter().any(|step| {
                test(step)
                    || match step {
                        Step::TryLock(_, one, other) | Step::Either(one, other) => {
                            any(one, test) || any(other, test)
                        }
                        Step::IfFlag(_, steps) => any(steps, test),
                        Step::Lock(_)
                        | Step::Unlock(_)
                        | Step::Access(_)
                        | Step::Call(..)
                        | Step::Return => false,
                    }
            })
        }
        self.functions.iter().any(|steps| any(steps, test))
    }
}
