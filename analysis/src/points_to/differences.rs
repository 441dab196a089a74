//! What is different about a class since before an edit.

use super::reads::Aspect;

/// A set of aspects of a class.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Differences(u8);

impl Differences {
    pub const NONE: Differences = Differences(0);
    pub const TARGET: Differences = Differences(1);
    pub const SHARED: Differences = Differences(1 << 1);
    pub const FUNCTIONS: Differences = Differences(1 << 2);
    pub const OBJECTS: Differences = Differences(1 << 3);
    /// Other members are told apart.
    pub const COLLAPSED: Differences = Differences(1 << 4);
    /// Some members are others.
    pub const MEMBERS: Differences = Differences(1 << 5);
    /// A variable or function that was in it is in another class.
    pub const LEFT: Differences = Differences(1 << 6);
    /// It is gone, or something else is different about it.
    pub const ALL: Differences = Differences(1 << 7);

    pub fn and(self, other: Differences) -> Differences {
        Differences(self.0 | other.0)
    }

    pub fn is_none(self) -> bool {
        self == Differences::NONE
    }

    fn include_some(self, others: &[Differences]) -> bool {
        others.iter().any(|other| self.0 & other.0 != 0)
    }

    /// Whether it is something else apart from its members.
    pub fn are_its_own(self) -> bool {
        !Differences(self.0 & !Differences::MEMBERS.0).is_none()
    }

    /// Whether an answer may be another one. Of single members and parts more has to be known.
    pub fn touch(self, aspect: Aspect) -> bool {
        let of_aspect = match aspect {
            Aspect::Identity => Differences::LEFT,
            Aspect::Target => Differences::TARGET,
            Aspect::Objects => Differences::OBJECTS,
            Aspect::Functions => Differences::FUNCTIONS,
            Aspect::Shared => Differences::SHARED,
            Aspect::Member(_) | Aspect::Collapsed => Differences::COLLAPSED,
            Aspect::EveryMember => Differences::MEMBERS.and(Differences::COLLAPSED),
            Aspect::Parts | Aspect::Part(_) | Aspect::SharedPart => { Differences::MEMBERS }
                .and(Differences::COLLAPSED)
                .and(Differences::SHARED),
        };
        self.include_some(&[of_aspect, Differences::ALL])
    }
}
