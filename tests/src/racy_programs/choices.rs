//! Chooses a random plan: a disciplined program, or one that breaks its rules here and there.

use super::idioms;
use super::plan::*;
use crate::random::Random;

/// The plan of a seed, always the same one.
pub fn plan(seed: u64) -> Plan {
    let mut random = Random::new(seed);
    let is_disciplined = random.below(100) < 40;
    let (has_locked_part, most_scenes) = match random.below(4) {
        0 => (true, 0),
        1 => (true, 1),
        _ => (false, 2),
    };
    let mut plan = Plan {
        seed,
        is_disciplined,
        objects: Vec::new(),
        operations: Vec::new(),
        threads: Vec::new(),
        main_calls: Vec::new(),
        rounds: 3 + random.below(4),
        arguments_on_heap: random.one_in(2),
        scenes: Vec::new(),
    };
    if has_locked_part {
        add_locked_part(&mut random, &mut plan);
    }
    if most_scenes > 0 {
        let moments: &[Moment] = if has_locked_part {
            &[
                Moment::Before,
                Moment::Meanwhile,
                Moment::InThread,
                Moment::After,
            ]
        } else {
            &[Moment::Before, Moment::Before, Moment::InThread]
        };
        plan.scenes = (0..1 + random.below(most_scenes))
            .map(|_| scene(&mut random, moments, is_disciplined))
            .collect();
    }
    plan
}

/// Objects, operations on them, and the threads that call these.
fn add_locked_part(random: &mut Random, plan: &mut Plan) {
    plan.objects = (0..1 + random.below(2)).map(|_| object(random)).collect();
    let groups = [choose(random, GROUPS), choose(random, GROUPS)];
    plan.operations = (0..3 + random.below(4))
        .map(|_| operation(random, &plan.objects, &groups, plan.is_disciplined))
        .collect();
    plan.threads = (0..1 + random.below(3))
        .map(|_| Thread {
            calls: calls(random, &plan.operations, 1),
            instances: if random.one_in(3) { 2 } else { 1 },
        })
        .collect();
    // One thread alone has to meet the main thread.
    let is_alone = plan.threads.len() == 1 && plan.threads[0].instances == 1;
    if is_alone || random.one_in(3) {
        plan.main_calls = calls(random, &plan.operations, 1);
    }
}

fn scene(random: &mut Random, moments: &[Moment], is_disciplined: bool) -> Scene {
    let idiom = choose(random, &idioms::all());
    let group = choose(random, &GROUPS[..GROUPS_THAT_READ]);
    let is_broken = !is_disciplined && random.below(3) > 0;
    Scene {
        idiom,
        flaw: is_broken.then(|| choose(random, idiom.flaws)),
        forms: idiom
            .forms
            .iter()
            .filter(|_| random.one_in(2))
            .copied()
            .collect(),
        moment: choose(random, moments),
        write: choose(random, &those(group, |access| !access.is_read())),
        read: choose(random, &those(group, Access::is_read)),
        others: [choose(random, group), choose(random, group)],
        in_helpers: random.one_in(3),
    }
}

fn those(group: &[Access], is_wanted: fn(Access) -> bool) -> Vec<Access> {
    let wanted = group.iter().filter(|access| is_wanted(**access));
    wanted.copied().collect()
}

fn choose<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[random.below(choices.len())]
}

fn object(random: &mut Random) -> Object {
    use Storage::*;
    let storage = choose(
        random,
        &[
            Global,
            Global,
            Array,
            Array,
            Handed,
            Handed,
            StaticLocal,
            Pointed,
            List,
        ],
    );
    let lock = choose(
        random,
        &[
            LockKind::Mutex,
            LockKind::Mutex,
            LockKind::Mutex,
            LockKind::Recursive,
            LockKind::ReadWrite,
            LockKind::ReadWrite,
            LockKind::Spin,
        ],
    );
    let lock_place = if storage == Array && random.one_in(2) {
        LockPlace::Parallel
    } else {
        let (inside, global) = (LockPlace::Inside, LockPlace::Global);
        choose(
            random,
            &[inside, inside, inside, global, LockPlace::BehindPointer],
        )
    };
    Object {
        storage,
        lock,
        lock_place,
    }
}

fn operation(
    random: &mut Random,
    objects: &[Object],
    groups: &[&[Access]],
    is_disciplined: bool,
) -> Operation {
    let index = random.below(objects.len());
    let object = &objects[index];
    let group = choose(random, groups);
    let access = choose(random, group);
    let addressing = match (object.storage, object.lock_place) {
        (_, LockPlace::Parallel) => Addressing::Index,
        (Storage::Array, _) if random.one_in(2) => Addressing::Index,
        (Storage::Global, _) if random.one_in(2) => Addressing::Name,
        _ => Addressing::Pointer,
    };
    let guard = guard(random, object, addressing, access, is_disciplined);
    let route = route(random, object, guard, access);
    Operation {
        object: index,
        addressing,
        guard,
        route,
        style: style(random, guard, route),
        access,
    }
}

/// So many of the groups below begin the list and have an access that only reads.
const GROUPS_THAT_READ: usize = 6;

/// Accesses that meet in memory. A program draws from two of these groups, so that its operations
/// often touch the same bytes.
const GROUPS: &[&[Access]] = &[
    &[Access::Increment, Access::Increment, Access::Read],
    &[
        Access::Increment,
        Access::Read,
        Access::AtomicBuiltin,
        Access::AtomicLoad,
    ],
    &[
        Access::PairLow,
        Access::PairHigh,
        Access::ReadPairLow,
        Access::WholePair,
    ],
    &[Access::FlagBit, Access::CountBits, Access::ReadBits],
    &[Access::UnionWhole, Access::UnionHalf, Access::ReadUnion],
    &[
        Access::ItemConstant,
        Access::ItemSymbolic,
        Access::ReadItem,
        Access::ClearItems,
        Access::FillItems,
        Access::CopyItems,
    ],
    &[
        Access::AtomicMember,
        Access::AtomicMemberCall,
        Access::Increment,
    ],
];

fn guard(
    random: &mut Random,
    object: &Object,
    addressing: Addressing,
    access: Access,
    is_disciplined: bool,
) -> Guard {
    if access.is_always_atomic() && random.one_in(2) {
        return Guard::Nothing;
    }
    let is_shareable = object.lock == LockKind::ReadWrite;
    if is_disciplined || random.below(5) > 2 {
        return match random.below(6) {
            0 => Guard::Nested,
            1 | 2 if is_shareable && access.is_read() => Guard::Shared,
            _ => Guard::Right,
        };
    }
    let has_neighbours = addressing == Addressing::Index
        && object.lock_place != LockPlace::BehindPointer
        && object.lock_place != LockPlace::Global;
    match random.below(8) {
        0 if has_neighbours => Guard::Neighbour,
        1 if is_shareable => Guard::Shared,
        2 => Guard::Spare,
        3 => Guard::Released,
        4 => Guard::Sometimes,
        5 => Guard::Tried,
        _ => Guard::Nothing,
    }
}

fn route(random: &mut Random, object: &Object, guard: Guard, access: Access) -> Route {
    use Route::*;
    let mut routes = vec![Direct, CallerHolds, FunctionTable, Recursion, Switch, Loop];
    if takes_one_lock(guard) {
        routes.extend([
            LockPassed,
            LockPassed,
            LeftHeld,
            TryLock,
            EarlyReturn,
            GotoOut,
        ]);
    }
    if super::accesses::member_of(access).is_some() {
        routes.extend([MemberPointer, MemberPointer]);
    }
    if object.storage == Storage::List {
        routes.extend([Walk, Walk]);
        if guard == Guard::Right && object.lock_place == LockPlace::Inside {
            routes.extend([HandOverHand, HandOverHand]);
        }
    }
    choose(random, &routes)
}

fn style(random: &mut Random, guard: Guard, route: Route) -> Style {
    // These two name the lock themselves.
    let is_plain = matches!(route, Route::LockPassed | Route::TryLock);
    if (takes_one_lock(guard) || guard == Guard::Nested) && !is_plain {
        choose(
            random,
            &[Style::Plain, Style::Plain, Style::Wrappers, Style::Macros],
        )
    } else {
        Style::Plain
    }
}

fn takes_one_lock(guard: Guard) -> bool {
    matches!(
        guard,
        Guard::Right | Guard::Shared | Guard::Spare | Guard::Neighbour
    )
}

fn calls(random: &mut Random, operations: &[Operation], fewest: usize) -> Vec<Call> {
    (0..fewest + random.below(4))
        .map(|_| Call {
            operation: random.below(operations.len()),
            element: match random.below(6) {
                0 => Element::OfThread,
                1 => Element::OfRound,
                2 => Element::Constant(2),
                _ => Element::Constant(1),
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn distinct<T: std::fmt::Debug>(values: impl Iterator<Item = T>) -> usize {
        let texts: BTreeSet<String> = values.map(|value| format!("{value:?}")).collect();
        texts.len()
    }

    #[test]
    fn everything_that_can_be_chosen_is_chosen() {
        let plans: Vec<Plan> = (0..300).map(plan).collect();
        let operations = || plans.iter().flat_map(|plan| &plan.operations);
        let objects = || plans.iter().flat_map(|plan| &plan.objects);
        assert_eq!(distinct(operations().map(|operation| operation.route)), 14);
        assert_eq!(distinct(operations().map(|operation| operation.style)), 3);
        assert_eq!(distinct(operations().map(|operation| operation.guard)), 9);
        assert_eq!(distinct(operations().map(|operation| operation.access)), 22);
        assert_eq!(distinct(objects().map(|object| object.storage)), 6);
        assert_eq!(distinct(objects().map(|object| object.lock)), 4);
        assert_eq!(distinct(objects().map(|object| object.lock_place)), 4);
    }

    #[test]
    fn every_idiom_is_shown_as_it_should_be_and_with_each_of_its_flaws() {
        let plans: Vec<Plan> = (0..3000).map(plan).collect();
        let scenes = || plans.iter().flat_map(|plan| &plan.scenes);
        let shown: BTreeSet<(&str, Option<&str>)> = scenes()
            .map(|scene| (scene.idiom.name, scene.flaw))
            .collect();
        let kinds = idioms::all()
            .iter()
            .map(|idiom| 1 + idiom.flaws.len())
            .sum::<usize>();
        assert_eq!(shown.len(), kinds);
        assert_eq!(distinct(scenes().map(|scene| scene.moment)), 4);
    }

    #[test]
    fn a_disciplined_program_has_every_lock_it_needs_and_no_flaw() {
        for plan in (0..300).map(plan).filter(|plan| plan.is_disciplined) {
            for operation in &plan.operations {
                let is_right = match operation.guard {
                    Guard::Right | Guard::Nested => true,
                    Guard::Shared => operation.access.is_read(),
                    Guard::Nothing => operation.access.is_always_atomic(),
                    _ => false,
                };
                assert!(is_right, "program {}: {operation:?}", plan.seed);
            }
            assert!(plan.scenes.iter().all(|scene| scene.flaw.is_none()));
        }
    }
}
