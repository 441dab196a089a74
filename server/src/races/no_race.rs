//! Why accesses of the same memory do not race.

use super::access::kind;
use super::checked::Checked;
use super::expression::name;
use crate::report::{NoRace, OtherAccess};
use racelens_analysis::races::{AccessKey, Apart, Comparison, OrderKind, Verdict};
use racelens_analysis::symexec::Path;
use racelens_analysis::threads::RootId;
use std::collections::{BTreeMap, BTreeSet};

/// The accesses of the same memory as one access, that one among them.
#[derive(Default)]
pub(super) struct Others {
    pub by_several_threads: bool,
    pub is_written: bool,
    pub no_races: Vec<NoRace>,
}

pub(super) fn others(
    checked: &Checked<'_>,
    comparison: &Comparison<'_>,
    access: AccessKey,
) -> Others {
    let same_memory = comparison.of_same_memory(access);
    let own_roots = self::roots(checked, access);
    let runs_beside_itself = several(checked, &own_roots);
    let mut roots = own_roots;
    let mut by_reason: BTreeMap<String, BTreeSet<OtherAccess>> = BTreeMap::new();
    let mut with_itself = None;
    for &other in &same_memory {
        roots.extend(self::roots(checked, other));
        let verdict = comparison.verdict(access, other);
        if verdict.races || verdict.apart.is_empty() {
            continue;
        }
        if other == access {
            // It goes without saying that one thread is at one place at a time.
            if runs_beside_itself {
                with_itself = reason(checked, access, &verdict, true);
            }
        } else if let Some(reason) = reason(checked, access, &verdict, false)
            && let Some(other) = other_access(checked, other)
        {
            by_reason.entry(reason).or_default().insert(other);
        }
    }
    let own = other_access(checked, access);
    let mut no_races: Vec<NoRace> = Vec::new();
    for (reason, others) in by_reason {
        let with = lines_once(others, own.as_ref());
        if !with.is_empty() {
            no_races.push(NoRace { with, reason });
        }
    }
    no_races.extend(with_itself.map(|reason| NoRace {
        with: Vec::new(),
        reason,
    }));
    Others {
        by_several_threads: several(checked, &roots),
        is_written: !same_memory.is_empty(),
        no_races,
    }
}

fn roots(checked: &Checked<'_>, (function, _): AccessKey) -> BTreeSet<RootId> {
    let contexts = checked.program().contexts.of(function);
    contexts.flat_map(|(_, _, roots)| roots).copied().collect()
}

fn several(checked: &Checked<'_>, roots: &BTreeSet<RootId>) -> bool {
    let contexts = &checked.program().contexts;
    roots.len() > 1 || roots.iter().any(|root| contexts.root(*root).many)
}

/// What keeps two accesses apart, in words. `None` if it is not worth saying.
fn reason(
    checked: &Checked<'_>,
    (function, _): AccessKey,
    verdict: &Verdict,
    is_itself: bool,
) -> Option<String> {
    let listed = |paths: &BTreeSet<Path>, word: &str| {
        let names = paths.iter();
        let names = names.map(|path| format!("`{}`", name(checked, function, path)));
        let names: BTreeSet<String> = names.collect();
        let names: Vec<String> = names.into_iter().collect();
        names.join(word)
    };
    let reasons: Vec<String> = verdict
        .apart
        .iter()
        .map(|apart| match apart {
            Apart::OnlyReads => "both only read".to_owned(),
            Apart::Atomic => "both are atomic".to_owned(),
            Apart::DifferentMemory => "they are different objects".to_owned(),
            Apart::NeverParallel if is_itself => "only one thread gets there at a time".to_owned(),
            Apart::NeverParallel => "no two threads get there at the same time".to_owned(),
            Apart::NotYetShared if is_itself => {
                "each thread has an object that no other thread knows yet".to_owned()
            }
            Apart::NotYetShared => "at one of them no other thread knows the object yet".to_owned(),
            Apart::TakenOut => {
                "one thread has taken the object out of where the other finds it".to_owned()
            }
            Apart::LastReference => "one thread had the last reference to the object".to_owned(),
            Apart::CommonLock => format!("both hold {}", listed(&verdict.common_locks, " and ")),
            Apart::Ordered(kind) => {
                let by = listed(&verdict.ordered_by, " or ");
                match kind {
                    OrderKind::Signal => {
                        format!("one waits for {by}, which is set only after the other")
                    }
                    OrderKind::Once if is_itself => format!("it runs only once, by {by}"),
                    OrderKind::Once => {
                        format!("one runs only once, by {by}, before the other")
                    }
                    OrderKind::Token => {
                        format!("{by} lets only one thread at a time get there")
                    }
                    OrderKind::Claim => format!("only one thread finds {by} unset and gets there"),
                    OrderKind::Barrier => format!("the barrier {by} stands between them"),
                }
            }
        })
        .collect();
    let says_nothing = is_itself && verdict.apart.contains(&Apart::OnlyReads);
    (!says_nothing).then(|| reasons.join(", or "))
}

fn other_access(checked: &Checked<'_>, (function, number): AccessKey) -> Option<OtherAccess> {
    let access = &checked.program().facts[function.0 as usize].accesses[number as usize];
    let entity = checked.entity(function);
    Some(OtherAccess {
        place: checked.places.statement_place(entity, access.statement)?,
        kind: kind(access.kind),
        atomic: access.atomic,
    })
}

/// `x++` reads and writes, and is one access to its reader: the write. The access's own line is left out,
/// since it does not help to understand itself.
fn lines_once(others: BTreeSet<OtherAccess>, own: Option<&OtherAccess>) -> Vec<OtherAccess> {
    let mut kept: Vec<OtherAccess> = Vec::new();
    for other in others {
        let is_own = own.is_some_and(|own| own.place == other.place);
        match kept.iter_mut().find(|known| known.place == other.place) {
            _ if is_own => {}
            Some(known) if other.kind.writes() => *known = other,
            Some(_) => {}
            None => kept.push(other),
        }
    }
    kept
}
