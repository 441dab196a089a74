//! What is known about all of a file at once: its shared accesses, where locks are taken, who calls whom.

use super::access::kind;
use super::checked::Checked;
use super::held_locks::HeldLocks;
use crate::project::Place;
use crate::report::{CallSite, HeldLock, SharedAccess};
use racelens_analysis::accesses::statement_locks;
use racelens_analysis::callgraph::FunctionId;
use racelens_analysis::host::Location;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::path::Path;

/// The accesses of a file to memory that several threads reach, in the order of the text, each place once.
pub(super) fn shared_accesses(checked: &Checked<'_>, file: &Path) -> Vec<SharedAccess> {
    let program = checked.program();
    let shared = shared_classes(checked);
    let racing: HashSet<_> = program
        .races
        .iter()
        .flat_map(|race| &race.pairs)
        .flat_map(|pair| [pair.first, pair.second])
        .map(|side| (side.function, program.access(side).statement))
        .collect();
    let mut found: BTreeMap<Place, SharedAccess> = BTreeMap::new();
    for function in checked.functions_in(file) {
        let entity = checked.entity(function);
        for access in &program.facts[function.0 as usize].accesses {
            if !shared.contains(&access.cell.class) {
                continue;
            }
            let Some(stretch) = checked.places.statement(entity, access.statement) else {
                continue;
            };
            if stretch.length == 0 || stretch.place.path != file {
                continue;
            }
            let races = racing.contains(&(function, access.statement));
            let known = found.entry(stretch.place.clone()).or_insert(SharedAccess {
                place: stretch.place,
                length: stretch.length,
                kind: kind(access.kind),
                races,
            });
            known.races |= races;
            if kind(access.kind).writes() {
                known.kind = kind(access.kind);
            }
        }
    }
    found.into_values().collect()
}

/// The classes of memory that more than one thread accesses.
fn shared_classes(checked: &Checked<'_>) -> HashSet<racelens_analysis::points_to::Class> {
    let program = checked.program();
    let mut roots: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for function in program.functions.ids() {
        let contexts = program.contexts.of(function);
        let own: BTreeSet<_> = contexts.flat_map(|(_, _, roots)| roots).copied().collect();
        for access in &program.facts[function.0 as usize].accesses {
            let known = roots.entry(access.cell.class).or_default();
            known.extend(own.iter().copied());
        }
    }
    let is_many = |root: &_| program.contexts.root(*root).many;
    let shared = roots
        .into_iter()
        .filter(|(_, roots)| roots.len() > 1 || roots.iter().any(is_many));
    shared.map(|(class, _)| class).collect()
}

/// What is held at each access and call of the file's functions that stand on these lines.
pub(super) fn held_locks(
    checked: &Checked<'_>,
    file: &Path,
    lines: RangeInclusive<u32>,
) -> Vec<(Place, Vec<HeldLock>)> {
    let program = checked.program();
    let graph = program.graph(checked.models());
    let objects = program.objects();
    let mut found: BTreeMap<Place, Vec<HeldLock>> = BTreeMap::new();
    for function in checked.functions_in(file) {
        let entity = checked.entity(function);
        let locations = checked.places.locations(entity);
        let whole = locations.and_then(|locations| locations.whole());
        let is_seen =
            |whole: Location| whole.line <= *lines.end() && *lines.start() <= whole.end_line;
        if !whole.is_some_and(is_seen) {
            continue;
        }
        let held = statement_locks(&graph, &program.summaries, objects, function);
        let held = HeldLocks::new(checked, function, held);
        for (statement, _) in program.functions.body(function).statements() {
            let place = checked.places.statement_place(entity, statement);
            if let Some(place) = place.filter(|_| held.knows(statement)) {
                found.entry(place).or_insert_with(|| held.in_all(statement));
            }
        }
    }
    found.into_iter().collect()
}

/// The calls of a function, or with `callers` those that lead to it.
pub(super) fn calls(checked: &Checked<'_>, function: FunctionId, callers: bool) -> Vec<CallSite> {
    let program = checked.program();
    let mut pairs: BTreeMap<FunctionId, BTreeSet<Place>> = BTreeMap::new();
    let mut add = |other: FunctionId, caller: FunctionId, at| {
        let entity = checked.entity(caller);
        let place = checked.places.statement_place(entity, at);
        pairs.entry(other).or_default().extend(place);
    };
    if callers {
        for caller in program.functions.ids() {
            for call in &program.facts[caller.0 as usize].calls {
                if call.targets.contains(&function) {
                    add(caller, caller, call.statement);
                }
            }
        }
    } else {
        for call in &program.facts[function.0 as usize].calls {
            for target in &call.targets {
                add(*target, function, call.statement);
            }
        }
    }
    let sites = pairs.into_iter().filter_map(|(other, places)| {
        Some(CallSite {
            function: super::summary::place(checked, other)?,
            places: places.into_iter().collect(),
        })
    });
    sites.collect()
}
