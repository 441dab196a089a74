//! What an edit has made different about classes of memory, and which answers that touches.

use super::differences::Differences;
use super::reads::{Aspect, Read, Reads};
use super::records::LabelId;
use super::solution::{Class, PointsTo};
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// What is different about classes since the last time.
#[derive(Default)]
pub struct Changes {
    /// By class.
    differences: Vec<Differences>,
    /// Members that are others than before.
    members: FxHashSet<(u32, LabelId)>,
    is_something: bool,
    /// Only what functions whose text has changed call their own registers and statements.
    only_names: bool,
    /// The whole relation was found again.
    solved_again: bool,
    /// Something else is different than which local variables and allocations of which functions there are.
    structural: bool,
    /// Found when it is asked for.
    touched: OnceLock<Touched>,
}

/// The classes about which an answer may be different.
struct Touched {
    /// Sorted.
    classes: Vec<u32>,
    /// By class, whether a part of it has other members or is shared otherwise.
    has_other_parts: Vec<bool>,
}

/// Of so few classes each is looked up among the answers that a function has used.
const FEW: usize = 32;

impl Changes {
    pub fn is_empty(&self) -> bool {
        !self.is_something
    }

    /// Nothing but what functions whose text has changed call their own registers and statements.
    pub(super) fn of_names() -> Changes {
        Changes {
            only_names: true,
            ..Changes::default()
        }
    }

    /// Whether nothing but names is different.
    pub fn are_of_names(&self) -> bool {
        self.only_names
    }

    /// Whether the pointers of functions whose text has not changed are in the classes that they were in.
    pub fn leave_others_alone(&self) -> bool {
        !self.solved_again
    }

    /// Whether classes lead to other classes than before, or mean other variables of the program.
    pub fn are_structural(&self) -> bool {
        self.structural
    }

    /// No differences so far of so many classes, which were all found again.
    pub(super) fn of_classes(count: usize) -> Changes {
        Changes {
            solved_again: true,
            differences: vec![Differences::NONE; count],
            ..Changes::default()
        }
    }

    pub(super) fn set_structural(&mut self, structural: bool) {
        self.structural = structural;
    }

    /// These members of classes are others.
    pub(super) fn add_members(&mut self, members: impl Iterator<Item = (u32, LabelId)>) {
        self.members.extend(members);
    }

    /// Something else than what is in them is different about these classes.
    pub fn note(&mut self, classes: impl Iterator<Item = Class>) {
        for Class(class) in classes {
            self.add(class, Differences::ALL);
        }
    }

    pub(super) fn add(&mut self, class: u32, differences: Differences) {
        self.touched.take();
        let class = class as usize;
        if self.differences.len() <= class {
            self.differences.resize(class + 1, Differences::NONE);
        }
        let known = &mut self.differences[class];
        *known = known.and(differences);
        self.is_something |= !differences.is_none();
    }

    fn of(&self, class: u32) -> Differences {
        let known = self.differences.get(class as usize);
        known.copied().unwrap_or_default()
    }

    /// Whether some of these answers, which `before` gave, are different now.
    pub fn touch(&self, reads: &Reads, before: &PointsTo, now: &PointsTo) -> bool {
        if self.is_empty() {
            return false;
        }
        let touched = self.touched(before);
        let is_touched = |read: &Read| self.touch_one(*read, before, now);
        let is_touched = match touched.classes.len() <= FEW {
            true => {
                { touched.classes.iter() }.any(|class| reads.about(*class).iter().any(is_touched))
            }
            false => reads.all().iter().any(is_touched),
        };
        debug_assert_eq!(
            is_touched,
            { reads.all().iter() }.any(|read| self.touches_by_its_parts(*read, before, now)),
            "what is touched is found by looking at every answer and every part"
        );
        is_touched
    }

    /// Whether a class is something else now, apart from its members.
    pub fn touch_class(&self, Class(class): Class) -> bool {
        self.of(class).are_its_own()
    }

    /// Whether a class has other parts now, or these are something else.
    pub fn touch_parts(&self, Class(class): Class, before: &PointsTo) -> bool {
        let touched = self.touched(before).has_other_parts.get(class as usize);
        touched.copied().unwrap_or(false)
    }

    fn touch_one(&self, Read { class, aspect }: Read, before: &PointsTo, now: &PointsTo) -> bool {
        let whole = Class(class);
        match aspect {
            Aspect::Parts => self.touch_parts(whole, before),
            // A large object gets a member more now and then, and most who ask are asking for another one.
            Aspect::Part(part) => {
                let has_it = |relation: &PointsTo| relation.find_part(whole, Class(part));
                self.touch_parts(whole, before) && has_it(before) != has_it(now)
            }
            Aspect::SharedPart => {
                let is_shared = |relation: &PointsTo| relation.find_shared_part(whole);
                self.touch_parts(whole, before) && is_shared(before) != is_shared(now)
            }
            Aspect::Member(label) => {
                let differences = self.of(class);
                !differences.is_none()
                    && (differences.touch(aspect) || self.members.contains(&(class, label)))
            }
            aspect => self.of(class).touch(aspect),
        }
    }

    /// The same, found out slowly.
    fn touches_by_its_parts(&self, read: Read, before: &PointsTo, now: &PointsTo) -> bool {
        let whole = Class(read.class);
        match read.aspect {
            Aspect::Parts => {
                let mut parts = before.find_parts(read.class).iter();
                parts.any(|part| self.of(part.0).touch(Aspect::Parts))
            }
            Aspect::Part(part) => {
                before.find_part(whole, Class(part)) != now.find_part(whole, Class(part))
            }
            Aspect::SharedPart => before.find_shared_part(whole) != now.find_shared_part(whole),
            _ => self.touch_one(read, before, now),
        }
    }

    fn touched(&self, before: &PointsTo) -> &Touched {
        self.touched.get_or_init(|| {
            let count = before.classes.len().max(self.differences.len());
            let mut has_other_parts = vec![false; count];
            let mut pending: Vec<u32> = (0..count as u32)
                .filter(|class| self.of(*class).touch(Aspect::Parts))
                .collect();
            if !pending.is_empty() {
                let containers = Containers::new(before);
                while let Some(class) = pending.pop() {
                    if !std::mem::replace(&mut has_other_parts[class as usize], true) {
                        pending.extend(containers.of(class));
                    }
                }
            }
            let is_touched =
                |class: &u32| has_other_parts[*class as usize] || !self.of(*class).is_none();
            Touched {
                classes: (0..count as u32).filter(is_touched).collect(),
                has_other_parts,
            }
        })
    }
}

/// For each class those of which it is a member.
struct Containers {
    /// Where those of each class begin.
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Containers {
    fn new(relation: &PointsTo) -> Containers {
        let count = relation.classes.len();
        let members = || {
            let classes = relation.classes.iter().zip(0..);
            classes
                .flat_map(|(data, class)| data.fields.iter().map(move |(_, child)| (*child, class)))
        };
        let mut first = vec![0; count + 2];
        for (child, _) in members() {
            first[child as usize + 2] += 1;
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let mut all = vec![0; first.last().map_or(0, |count| *count as usize)];
        for (child, class) in members() {
            let next = &mut first[child as usize + 1];
            all[*next as usize] = class;
            *next += 1;
        }
        Containers { first, all }
    }

    fn of(&self, class: u32) -> &[u32] {
        let index = class as usize;
        match self.first.get(index..index + 2) {
            Some([first, next]) => &self.all[*first as usize..*next as usize],
            _ => &[],
        }
    }
}
