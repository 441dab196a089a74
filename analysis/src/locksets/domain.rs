//! The lattice of relative locksets.

use super::happened::{Happened, Hold, Mode};
use super::names::{is_exact, may_be_same};
use super::outcomes::Effect;
use super::release::{MOST, Release};
use crate::dataflow::{Domain, Shared};
use crate::ir::{BlockId, GlobalRef, Landmark};
use crate::symexec::{Path, Root, Site, Step, Targets, mentions_definition};
use std::collections::BTreeSet;
use std::fmt;

/// What happened to locks since the function's entry.
///
/// Joining intersects what is held, because a lock is held only if every path holds it, and unites
/// what was released, because a lock may be lost if any path released it.
///
/// Most points of a function have the lockset of the point before, and share it.
pub type Lockset = Shared<Happened>;

/// A function that releases more locks than this is taken to release any: lists of them would grow from callee to
/// caller, and nobody relies on one of so many.
const MOST_RELEASED: usize = 8;

impl Lockset {
    /// Whether nothing happened.
    pub fn is_idle(&self) -> bool {
        !self.released_any && self.held.is_empty() && self.released.is_empty()
    }

    pub fn held(&self) -> impl Iterator<Item = (&Path, Hold)> {
        self.held.iter().map(|(path, hold)| (path, *hold))
    }

    /// The locks of which a caller's hold may be lost.
    pub fn released(&self) -> impl Iterator<Item = &Path> {
        let lost = self
            .released
            .iter()
            .filter(|(path, release)| release.may_lose(self.held.contains_key(path)));
        lost.map(|(path, _)| path)
    }

    /// Whether a caller's hold of this lock may be lost.
    pub fn may_release(&self, lock: &Path) -> bool {
        let is_elsewhere = |path: &Path| match lock.root {
            Root::Global(variable) if !lock.steps.contains(&Step::Deref) => {
                let among = self.among.get(path);
                among.is_some_and(|among| !among.contains(&variable))
            }
            _ => false,
        };
        self.released_any
            || self.released.iter().any(|(path, release)| {
                let is_held = self.held.contains_key(path);
                if path == lock {
                    return release.may_lose(is_held);
                }
                // Under another name it may be a lock that was not taken again.
                let is_lost = release.is_weakened || !is_held;
                is_lost && may_be_same(path, lock) && !is_elsewhere(path)
            })
    }

    /// Whether other locks are held behind it than in front of it.
    pub fn changes(&self) -> bool {
        self.released_any || !self.held.is_empty() || self.released().next().is_some()
    }

    /// Gives up what differs from an earlier round, so that rounds come to an end.
    pub fn widen(&mut self, before: &Lockset) {
        self.held
            .retain(|path, hold| before.held.get(path) == Some(hold));
        for (path, release) in &mut self.released {
            if before.released.get(path) != Some(release) {
                *release = Release::of(MOST);
            }
        }
    }

    /// Whether it releases locks that were not taken here, be it for a while.
    pub fn releases(&self) -> bool {
        self.released_any || !self.released.is_empty()
    }

    /// Whether any lock at all may have been released.
    pub fn released_any(&self) -> bool {
        self.released_any
    }

    pub fn holds(&self, path: &Path) -> Option<Hold> {
        self.held.get(path).copied()
    }

    /// Takes a lock. One that has no exact name is not certainly held.
    pub fn acquire(&mut self, path: Path, mode: Mode, at: Landmark) {
        if is_exact(&path) {
            let taken = Some(at);
            self.hold(
                path,
                Hold {
                    mode,
                    count: 1,
                    taken,
                },
            );
        }
    }

    pub fn release(&mut self, path: Path) {
        self.give_up(&path, Release::of(1));
        self.trust_names();
    }

    /// Gives up holds of a lock under all names that may stand for it.
    fn give_up(&mut self, path: &Path, release: Release) {
        let own = self.held.get(path).copied();
        let taken = own
            .filter(|own| own.count >= release.depth)
            .map(|own| own.taken);
        self.lose(path, release);
        let happened: &mut Happened = self;
        let among = happened.among.get(path);
        let is_elsewhere = |known: &Path| match known.root {
            Root::Global(variable) if !known.steps.contains(&Step::Deref) => {
                among.is_some_and(|among| !among.contains(&variable))
            }
            _ => false,
        };
        happened.held.retain(|known, hold| {
            known == path
                || is_elsewhere(known)
                || !may_be_same(known, path)
                // What is held twice, taken at different places, is two locks, or one with two holds.
                || taken.is_some_and(|taken| taken != hold.taken)
        });
        if !happened.released.contains_key(path) {
            happened.among.remove(path);
        }
    }

    /// What was a place before has another name from here on: locks inside have it too.
    pub fn also_named(&mut self, before: &Lockset, place: &Path, name: &Path) {
        let inside: Vec<(Path, Hold)> = before
            .held
            .iter()
            .filter(|(path, _)| path.root == place.root && path.steps.starts_with(&place.steps))
            .map(|(path, hold)| {
                let renamed = name.extended(&path.steps[place.steps.len()..]);
                (renamed, *hold)
            })
            .collect();
        self.hold_besides(inside);
    }

    /// This object is what the function returns: callers know the locks inside by that.
    pub fn name_result(&mut self, object: &Path) {
        let result = Path::new(Root::Result).then(Step::Deref);
        let inside: Vec<(Path, Hold)> = self
            .held
            .iter()
            .filter(|(path, _)| object.contains(path))
            .map(|(path, hold)| (result.extended(&path.steps[object.steps.len()..]), *hold))
            .collect();
        self.hold_besides(inside);
    }

    /// Whether the result of a call is needed to say what is held.
    pub fn speaks_of_result(&self) -> bool {
        self.held.keys().any(|path| path.root == Root::Result)
    }

    /// One of these is released, and nobody knows which.
    pub fn release_one_of(&mut self, paths: BTreeSet<Path>) {
        for path in paths {
            self.release(path);
        }
    }

    /// A lock behind a pointer is released that is none of the variables but these.
    pub fn release_among(&mut self, path: Path, variables: &[GlobalRef]) {
        let among = variables.iter().copied().collect();
        self.note_variables(&path, Some(&among));
        self.give_up(&path, Release::of(1));
        self.trust_names();
    }

    /// Notes the variables that a lock without a better name may be; anything, if it was noted without them.
    fn note_variables(&mut self, path: &Path, among: Option<&BTreeSet<GlobalRef>>) {
        match among {
            Some(among) if !self.released.contains_key(path) => {
                self.among.insert(path.clone(), among.clone());
            }
            Some(among) => {
                if let Some(known) = self.among.get_mut(path) {
                    known.extend(among);
                }
            }
            None => {
                self.among.remove(path);
            }
        }
    }

    fn variables_of(&self, path: &Path) -> Option<Vec<GlobalRef>> {
        let among = self.among.get(path)?;
        Some(among.iter().copied().collect())
    }

    /// A lock without a name is released.
    pub fn release_unknown(&mut self) {
        self.held.clear();
        self.released_any = true;
    }

    /// A lock behind a pointer is released that can only point into memory without a name or into these
    /// variables: other variables are no such lock.
    pub fn release_behind_pointer(&mut self, variables: &[GlobalRef]) {
        self.release(Path::new(Root::Somewhere));
        for variable in variables {
            self.release(Path::new(Root::Global(*variable)));
        }
    }

    /// Replaces every lock by what it is for somebody else. What has no exact name there is not
    /// certainly held, and may be anything that is released.
    pub fn rebound(&self, rebind: impl Fn(&Path) -> Targets) -> Lockset {
        self.rebound_among(rebind, |_| None)
    }

    /// The same, where a lock without a name that is released can only be in some variables.
    pub fn rebound_among(
        &self,
        rebind: impl Fn(&Path) -> Targets,
        variables: impl Fn(&Path) -> Option<Vec<GlobalRef>>,
    ) -> Lockset {
        let mut bound = Lockset::default();
        bound.released_any = self.released_any;
        for (path, release) in &self.released {
            match rebind(path) {
                Targets::Exactly(named) => {
                    // A name that only this function knows tells less than what its pointer may point to.
                    let among = if named.is_known_outside() {
                        None
                    } else {
                        variables(path).map(|variables| variables.into_iter().collect())
                    };
                    let among = among.or_else(|| self.among.get(path).cloned());
                    bound.note_variables(&named, among.as_ref());
                    let release = if is_exact(&named) {
                        *release
                    } else {
                        release.for_good()
                    };
                    bound.note_release(named, release);
                }
                Targets::OneOf(paths) => {
                    for path in paths {
                        bound.note_release(path, release.for_good());
                    }
                }
                Targets::Unknown => match variables(path).or_else(|| self.variables_of(path)) {
                    Some(variables) => bound.release_behind_pointer(&variables),
                    None => bound.release_somewhere(path, *release),
                },
            }
        }
        for (path, hold) in &self.held {
            if let Targets::Exactly(named) = rebind(path)
                && is_exact(&named)
            {
                if !self.released.contains_key(path)
                    && let Some(release) = bound.released.get_mut(&named)
                {
                    release.take(hold.count, hold.mode == Mode::Exclusive);
                }
                bound.note_hold(named, *hold);
            }
        }
        bound.trust_names();
        bound
    }

    /// A lock is released in an object that has no name any more: if only an index has none, it is some element of
    /// the same array; where it ends with a member, it can only be that member of some object.
    fn release_somewhere(&mut self, path: &Path, release: Release) {
        let element = path.with_any_element();
        if element.is_known_outside() {
            self.note_release(element, release.for_good());
            return;
        }
        match path.last_field() {
            Some((record, name)) => {
                let somewhere = Path::new(Root::Somewhere).then(Step::Field { record, name });
                self.note_release(somewhere, release.for_good());
            }
            None => self.released_any = true,
        }
    }

    fn note_release(&mut self, path: Path, release: Release) {
        match self.released.get_mut(&path) {
            Some(known) => *known = known.together(release),
            None => self.list_release(path, release),
        }
    }

    /// What is not certainly held under a name any more does not count as taken again under it.
    fn trust_names(&mut self) {
        let is_too_much =
            |(path, release): (&Path, &Release)| release.net > self.count(path) as i32;
        if !self.released.iter().any(is_too_much) {
            return;
        }
        let happened: &mut Happened = self;
        for (path, release) in &mut happened.released {
            let held = happened.held.get(path).map_or(0, |hold| hold.count);
            release.net = release.net.min(held as i32);
        }
    }

    /// What callers can understand of it: a function's own locals are gone when it returns.
    pub fn for_callers(&self) -> Lockset {
        let mut lasting = self.clone();
        lasting.released.retain(|path, _| path.outlives_function());
        lasting.held.retain(|path, _| path.outlives_function());
        let mut told = lasting.rebound(|path| {
            if !path.is_known_outside() {
                Targets::Unknown
            } else {
                Targets::Exactly(path.clone())
            }
        });
        if told.released.len() > MOST_RELEASED {
            told.released.clear();
            told.among.clear();
            told.released_any = true;
        }
        told.without_places()
    }

    fn without_places(mut self) -> Lockset {
        self.held.values_mut().for_each(|hold| hold.taken = None);
        self
    }

    /// Says which statement took what is held.
    pub fn taken_at(&mut self, statement: Landmark) {
        for hold in self.held.values_mut() {
            hold.taken = Some(statement);
        }
    }

    /// The allocations that names of locks speak of.
    pub fn heap_sites(&self) -> impl Iterator<Item = Site> + '_ {
        let paths = self.held.keys().chain(self.released.keys());
        paths.filter_map(|path| match path.root {
            Root::Heap(site) => Some(site),
            _ => None,
        })
    }

    /// Control goes back to a loop's head: names that were given in these blocks mean something else.
    pub fn forget_definitions(&mut self, is_repeated: &dyn Fn(BlockId) -> bool) {
        self.released
            .values_mut()
            .for_each(Release::happen_again_and_again);
        self.held
            .retain(|path, _| !mentions_definition(path, is_repeated));
        let stale: Vec<(Path, Release)> = self
            .released
            .iter()
            .filter(|(path, _)| mentions_definition(path, is_repeated))
            .map(|(path, release)| (path.clone(), *release))
            .collect();
        for (path, release) in stale {
            self.released.remove(&path);
            match self.variables_of(&path) {
                Some(variables) => self.release_behind_pointer(&variables),
                None => self.release_somewhere(&path, release),
            }
            self.among.remove(&path);
        }
    }

    /// Takes a lock, so many times.
    fn hold(&mut self, path: Path, more: Hold) {
        if !self.has_room_for(&path) {
            return;
        }
        if let Some(release) = self.released.get_mut(&path) {
            release.take(more.count, more.mode == Mode::Exclusive);
        }
        self.note_hold(path, more);
    }

    fn note_hold(&mut self, path: Path, more: Hold) {
        if !self.has_room_for(&path) {
            return;
        }
        let hold = self.held.entry(path).or_insert(Hold {
            mode: more.mode,
            count: 0,
            taken: more.taken,
        });
        hold.count = hold.count.saturating_add(more.count).min(MOST);
        hold.mode = hold.mode.max(more.mode);
    }

    /// Gives up holds of this lock, the function's own ones first.
    fn lose(&mut self, path: &Path, release: Release) {
        let own = self.count(path);
        match (self.held.get_mut(path), release.left(own)) {
            (Some(hold), left @ 1..) => {
                hold.count = left;
                if release.is_weakened {
                    hold.mode = Mode::Shared;
                }
            }
            _ => {
                self.held.remove(path);
            }
        }
        match release.after(self.released.get(path).copied(), own) {
            Some(release) => self.list_release(path.clone(), release),
            None => {
                self.released.remove(path);
            }
        }
    }

    /// A lock that was given up is held again. What was kept of it may be the same holds.
    fn regain(&mut self, path: &Path, hold: Hold) {
        if !self.has_room_for(path) {
            return;
        }
        let known = self.held.entry(path.clone()).or_insert(hold);
        known.mode = known.mode.max(hold.mode);
        known.count = known.count.max(hold.count);
    }
}

impl Effect for Lockset {
    fn is_copy_of(&self, other: &Lockset) -> bool {
        self.is_shared_with(other)
    }

    /// What holds behind a call with this effect (RELAY fig. 3): first its releases, then what it
    /// holds at its end.
    fn then(&self, callee: &Lockset) -> Lockset {
        let mut after = self.clone();
        if callee.is_idle() {
            return after;
        }
        if callee.released_any {
            after.release_unknown();
        }
        for (path, release) in &callee.released {
            after.note_variables(path, callee.among.get(path));
            after.give_up(path, *release);
        }
        for (path, hold) in &callee.held {
            if callee.released.contains_key(path) {
                after.regain(path, *hold);
            } else {
                after.hold(path.clone(), *hold);
            }
        }
        after.trust_names();
        after
    }

    /// Makes it say what both say of the same point: what either knows to be held is held.
    fn meet(&mut self, other: &Lockset) {
        if self.is_shared_with(other) {
            return;
        }
        for (path, theirs) in &other.held {
            self.regain(path, *theirs);
        }
        match (self.released_any, other.released_any) {
            // Who says that it may be any lock does not say which.
            (false, true) => {}
            (true, false) => {
                self.released = other.released.clone();
                self.among = other.among.clone();
            }
            _ => self
                .released
                .retain(|path, release| match other.released.get(path) {
                    Some(theirs) => {
                        release.meet(*theirs);
                        true
                    }
                    None => false,
                }),
        }
        self.released_any &= other.released_any;
        let happened: &mut Happened = self;
        let released = &happened.released;
        happened.among.retain(|path, _| released.contains_key(path));
    }
}

impl Domain for Lockset {
    fn join(&mut self, other: &Lockset) -> bool {
        if self.is_shared_with(other) || self.says_all_of(other) {
            return false;
        }
        if other.says_all_of(self) {
            *self = other.clone();
            return true;
        }
        for path in other.released.keys() {
            self.note_variables(path, other.among.get(path));
        }
        let happened: &mut Happened = self;
        for (path, release) in &mut happened.released {
            let theirs = other.released.get(path).copied();
            release.join(theirs, other.count(path));
        }
        for (path, release) in &other.released {
            if !happened.released.contains_key(path) {
                let mut release = *release;
                release.join(None, happened.count(path));
                happened.list_release(path.clone(), release);
            }
        }
        happened
            .held
            .retain(|path, _| other.held.contains_key(path));
        for (path, hold) in &mut happened.held {
            *hold = hold.joined(other.held[path]);
        }
        happened.released_any |= other.released_any;
        true
    }
}

/// `{+m, +p->lock shared, -n}`.
impl fmt::Display for Lockset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (path, hold) in &self.held {
            let mode = if hold.mode == Mode::Shared {
                " shared"
            } else {
                ""
            };
            let count = if hold.count > 1 {
                format!(" ×{}", hold.count)
            } else {
                String::new()
            };
            parts.push(format!("+{path}{mode}{count}"));
        }
        parts.extend(self.released().map(|path| format!("-{path}")));
        if self.released_any {
            parts.push("-any".into());
        }
        write!(f, "{{{}}}", parts.join(", "))
    }
}
