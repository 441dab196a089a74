//! How far a lock's count falls below what it was at the entry, and what is left of it.

/// What became of a lock that was possibly released although it was not taken here.
///
/// A path changes the count of a lock step by step. Of all paths this keeps the lowest point that any
/// gets to, and, apart from it, the least that any ends with: a function that gives a lock up and takes
/// it again on one path, and leaves it alone on the other, gets below the entry and loses nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Release {
    /// How far any path gets below the entry's count, at least one.
    pub depth: u32,
    /// Every path ends with at least so many holds more than at the entry, or fewer if it is negative.
    pub net: i32,
    /// A path took it again only together with other readers: whoever had it alone has it so no more.
    pub is_weakened: bool,
}

/// A loop that only releases must not count for ever, nor one that only acquires. Whoever has given up
/// so many holds gets none of them back.
pub(super) const MOST: u32 = 8;

impl Release {
    /// A path that gives up so many holds and takes none again.
    pub fn of(times: u32) -> Release {
        Release {
            depth: times,
            net: -(times as i32),
            is_weakened: false,
        }
    }

    /// Both happen, in an order that is not known.
    pub fn together(self, other: Release) -> Release {
        Release {
            depth: (self.depth + other.depth).min(MOST),
            net: added(self.net, other.net),
            is_weakened: self.is_weakened || other.is_weakened,
        }
    }

    /// First what `before` did, which holds so many; `None` if nothing goes below the entry's count.
    pub fn after(self, before: Option<Release>, held: u32) -> Option<Release> {
        // Where nothing got below the entry, what is held is what came in addition.
        let net = before.map_or(held as i32, |before| before.net);
        let depth = (self.depth as i32 - net).max(before.map_or(0, |before| before.depth as i32));
        (depth > 0).then_some(Release {
            depth: (depth as u32).min(MOST),
            net: added(net, self.net),
            is_weakened: self.is_weakened || before.is_some_and(|before| before.is_weakened),
        })
    }

    /// Takes the lock again.
    pub fn take(&mut self, times: u32, alone: bool) {
        self.net = added(self.net, times as i32);
        self.is_weakened |= !alone;
    }

    /// Holds for both; `held` is what the other one holds if it never got below the entry's count.
    pub fn join(&mut self, other: Option<Release>, held: u32) {
        let other = other.unwrap_or(Release {
            depth: 0,
            net: held as i32,
            is_weakened: false,
        });
        self.depth = self.depth.max(other.depth);
        self.net = self.net.min(other.net);
        self.is_weakened |= other.is_weakened;
    }

    /// Says what both say of the same paths.
    pub fn meet(&mut self, other: Release) {
        self.depth = self.depth.min(other.depth);
        self.net = self.net.max(other.net);
        self.is_weakened &= other.is_weakened;
    }

    /// A name that may stand for another lock when it is used again: nothing counts as taken again.
    pub fn for_good(self) -> Release {
        Release {
            net: self.net.min(-(self.depth as i32)),
            ..self
        }
    }

    /// What comes of it in a loop: who loses a hold in each turn may lose all, which is said at once, and not
    /// after so many turns.
    pub fn happen_again_and_again(&mut self) {
        if self.net < 0 {
            (self.depth, self.net) = (MOST, -(MOST as i32));
        } else {
            self.net = 0;
        }
    }

    /// How many of a caller's holds are left, of so many.
    pub fn left(self, held: u32) -> u32 {
        added(held as i32, self.net).max(0) as u32
    }

    /// Whether a caller that had it, however often and alone, may have lost it.
    pub fn may_lose(self, is_held: bool) -> bool {
        self.is_weakened || (self.net < 0 && !is_held)
    }
}

fn added(one: i32, other: i32) -> i32 {
    let most = MOST as i32;
    if one <= -most || other <= -most {
        return -most;
    }
    (one + other).clamp(-most, most)
}
