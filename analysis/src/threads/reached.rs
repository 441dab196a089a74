//! The contexts of one function, and who comes there.

use super::companies::CompanyId;
use super::context::{Context, ContextId, Threads};
use super::contexts::Arrival;
use super::prepared::Entered;
use super::roots::RootId;
use super::timeline::Time;
use crate::branches::Certain;
use crate::callgraph::FunctionId;
use crate::dataflow::{Fixed, Shared};
use crate::ir::{BlockId, Landmark};
use crate::signals::SignalState;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// More contexts than this of one function are joined.
const MOST_CONTEXTS: usize = 24;
/// So many joined contexts are told apart by what is certain of the formals.
const MOST_OVERFLOWS: usize = 8;

/// So many moments in the lives of threads are told apart where everything else is the same.
const MOST_MOMENTS: usize = 4;

/// Any moment in the life of any thread: it may have started every thread, and is certain of nothing.
#[derive(Default)]
pub(super) struct AnyMoment {
    pub threads: Fixed<Threads>,
    pub signals: Fixed<SignalState>,
}

impl AnyMoment {
    /// Whether a context stands for any moment.
    pub fn is_that_of(&self, context: &Context) -> bool {
        context.threads == self.threads && context.signals == self.signals
    }
}

#[derive(Clone, Default)]
pub(super) struct FunctionContexts {
    pub contexts: Vec<Reached>,
    /// Shared with those before an edit that changes only who comes there.
    known: Arc<KnownContexts>,
}

/// The contexts of a function by what is in them.
#[derive(Clone, Default)]
struct KnownContexts {
    index: FxHashMap<Fixed<Context>, ContextId>,
    /// The first moments of what is else the same.
    moments: FxHashMap<AtAnyMoment, Vec<Fixed<Context>>>,
    /// Contexts that stand for any moment because there were too many, and those that were entered instead.
    timeless: FxHashMap<Fixed<Context>, ContextId>,
    /// There were too many: those that cover all later ones, by what is certain of the formals.
    overflows: BTreeMap<BTreeMap<u32, Certain>, ContextId>,
    /// Contexts that some of these cover already, and what is certain in it.
    covered: FxHashMap<Fixed<Context>, BTreeMap<u32, Certain>>,
}

/// Contexts that differ in nothing but the moment.
#[derive(Clone)]
struct AtAnyMoment(Fixed<Context>);

impl PartialEq for AtAnyMoment {
    fn eq(&self, other: &AtAnyMoment) -> bool {
        self.0.is_same_but_for_the_moment(&other.0)
    }
}

impl Eq for AtAnyMoment {}

impl Hash for AtAnyMoment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hash = |context: &Context, hasher: &mut _| context.hash_but_for_the_moment(hasher);
        state.write_u64(self.0.hash_of_part(hash));
    }
}

/// A call in a context, and where it leads.
#[derive(Clone)]
pub(super) struct Called {
    pub callee: FunctionId,
    pub context: ContextId,
    pub at: Landmark,
    pub repeats: bool,
    /// What is known at the call. The callee's context may cover more than that.
    pub entered: Fixed<Context>,
}

/// Blocks of a function that control does not get to, for each of its contexts. They are apart from the contexts, because
/// an edit moves blocks that change nothing for other functions.
#[derive(Clone, Default, PartialEq)]
pub(super) struct LeftOut(Option<Arc<BTreeMap<ContextId, BTreeSet<BlockId>>>>);

impl LeftOut {
    pub fn add(&mut self, context: ContextId, blocks: BTreeSet<BlockId>) {
        if !blocks.is_empty() {
            Arc::make_mut(self.0.get_or_insert_default()).insert(context, blocks);
        }
    }

    pub fn of(&self, context: ContextId) -> BTreeSet<BlockId> {
        let known = self.0.as_ref().and_then(|known| known.get(&context));
        known.cloned().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn has(&self, context: ContextId, block: BlockId) -> bool {
        let blocks = self.0.as_ref().and_then(|known| known.get(&context));
        blocks.is_some_and(|blocks| blocks.contains(&block))
    }
}

/// A context and who comes there.
#[derive(Clone)]
pub(super) struct Reached {
    pub context: Fixed<Context>,
    /// Often the same as those of its callers, and then shared with them.
    pub roots: Shared<BTreeSet<RootId>>,
    /// Stands for the roots; known at the end.
    pub company: CompanyId,
    /// It stands for any moment in the lives of its threads; known at the end.
    pub is_timeless: bool,
    /// The first is the one that it was found by.
    pub arrivals: Vec<Arrival>,
    /// The visit in which it was found, and that of itself.
    pub found_at: Time,
    pub visited_at: Time,
    /// It is entered more than once in one run of its thread, or by several threads.
    pub is_repeated: bool,
    /// What its calls lead to; known when it has been visited.
    pub calls: Option<Vec<Called>>,
    /// Threads that are started in it.
    pub starts: Vec<(RootId, bool)>,
}

impl Reached {
    /// These threads come here too. Whether one of them did not before.
    pub fn add_roots(&mut self, more: &Shared<BTreeSet<RootId>>) -> bool {
        add_roots(&mut self.roots, more)
    }

    /// It is entered so. A call is made in one visit of its caller, so that it is among the last if it was here before.
    pub fn add_arrival(&mut self, arrival: Arrival) {
        let latest = self.arrivals.iter().rev();
        let mut latest = latest.take_while(|known| known.is_from_where(&arrival));
        if !latest.any(|known| *known == arrival) {
            self.arrivals.push(arrival);
        }
    }

    /// What its calls lead to, in the order of the function.
    pub fn calls(&self) -> &[Called] {
        self.calls.as_deref().unwrap_or_default()
    }

    /// Whether its calls are these.
    pub fn leads_to(&self, calls: &[Entered]) -> bool {
        let is_same = |(called, entered): (&Called, &Entered)| {
            called.callee == entered.target
                && called.at == entered.at
                && called.repeats == entered.repeats
                && called.entered == entered.context
        };
        let known = self.calls();
        known.len() == calls.len() && known.iter().zip(calls).all(is_same)
    }
}

/// Adds threads to others. Whether one of them was not among them.
pub(super) fn add_roots(
    roots: &mut Shared<BTreeSet<RootId>>,
    more: &Shared<BTreeSet<RootId>>,
) -> bool {
    if roots.is_shared_with(more) || more.is_subset(roots) {
        return false;
    }
    if roots.is_subset(more) {
        *roots = more.clone();
    } else {
        roots.extend(more.iter());
    }
    true
}

impl FunctionContexts {
    /// The context that a function is entered in, and the copy of what it is entered with that is kept here.
    pub fn find_or_add(
        &mut self,
        context: Fixed<Context>,
        any_moment: &AnyMoment,
    ) -> (ContextId, Fixed<Context>) {
        let known = &*self.known;
        let found = known.index.get_key_value(&context);
        let found = found.or_else(|| known.timeless.get_key_value(&context));
        if let Some((context, found)) = found {
            return (*found, context.clone());
        }
        if let Some(found) = self.covering(&context) {
            return found;
        }
        let known = Arc::make_mut(&mut self.known);
        let moments = known.moments.entry(AtAnyMoment(context.clone()));
        let moments = moments.or_default();
        // One that comes again is no further moment: it may have been joined with others.
        let is_told_apart = moments.contains(&context);
        if is_told_apart || moments.len() < MOST_MOMENTS {
            if !is_told_apart {
                moments.push(context.clone());
            }
            return self.find_or_join(context);
        }
        let (threads, signals) = (any_moment.threads.clone(), any_moment.signals.clone());
        let timeless = Fixed::new(context.at_moment(threads, signals));
        let found = self.known.index.get(&timeless).copied();
        let id = found.unwrap_or_else(|| self.find_or_join(timeless.clone()).0);
        let known = Arc::make_mut(&mut self.known);
        known.timeless.insert(timeless, id);
        known.timeless.insert(context.clone(), id);
        (id, context)
    }

    fn find_or_join(&mut self, context: Fixed<Context>) -> (ContextId, Fixed<Context>) {
        let known = &*self.known;
        if self.contexts.len() < MOST_CONTEXTS {
            return (self.add(context.clone()), context);
        }
        if let Some(found) = self.covering(&context) {
            return found;
        }
        // What is certain of formals is the same in all that are joined, unless there is too much of that.
        let mut certain = context.certain.clone();
        if known.overflows.len() >= MOST_OVERFLOWS && !known.overflows.contains_key(&certain) {
            certain.clear();
        }
        let overflow = known.overflows.get(&certain).copied();
        let covering = overflow.filter(|id| {
            let context_there = &self.contexts[id.0 as usize].context;
            context_there.covers(&context)
        });
        if let Some(id) = covering {
            debug_assert_eq!(
                self.joined_with(id, &context),
                self.contexts[id.0 as usize].context
            );
            Arc::make_mut(&mut self.known)
                .covered
                .insert(context.clone(), certain);
            return (id, context);
        }
        let joined = match overflow {
            Some(overflow) => self.contexts[overflow.0 as usize].context.joined(&context),
            None => {
                let all = self.contexts.iter().map(|reached| &*reached.context);
                all.fold(Context::clone(&context), |joined, other| {
                    joined.joined(other)
                })
            }
        };
        let joined = Fixed::new(Context {
            certain: certain.clone(),
            ..joined
        });
        let id = match known.index.get(&joined) {
            Some(known) => *known,
            None => self.add(joined),
        };
        let known = Arc::make_mut(&mut self.known);
        known.overflows.insert(certain.clone(), id);
        known.covered.insert(context.clone(), certain);
        (id, context)
    }

    /// The joined context that covers a context which was joined with it before: joining it once more would change nothing.
    fn covering(&self, context: &Fixed<Context>) -> Option<(ContextId, Fixed<Context>)> {
        let (context, certain) = self.known.covered.get_key_value(context)?;
        let id = self.known.overflows.get(certain)?;
        Some((*id, context.clone()))
    }

    /// A joined context after another one was joined with it.
    fn joined_with(&self, id: ContextId, context: &Context) -> Fixed<Context> {
        let known = &self.contexts[id.0 as usize].context;
        Fixed::new(Context {
            certain: known.certain.clone(),
            ..known.joined(context)
        })
    }

    /// The context with this content.
    pub fn with_content(&self, context: &Fixed<Context>) -> Option<ContextId> {
        self.known.index.get(context).copied()
    }

    /// The context with exactly this content, if it is none that others are joined in.
    pub fn exactly(&self, context: &Fixed<Context>) -> Option<ContextId> {
        let id = self.with_content(context)?;
        let mut joined = self.known.overflows.values();
        let is_joined =
            self.known.timeless.contains_key(context) || joined.any(|joined| *joined == id);
        (!is_joined).then_some(id)
    }

    /// The copy of a context that is kept here already, if there is one.
    pub fn shared(&self, context: Fixed<Context>) -> Fixed<Context> {
        let (index, covered) = (&self.known.index, &self.known.covered);
        let known = index.get_key_value(&context).map(|known| known.0);
        let known = known.or_else(|| Some(self.known.timeless.get_key_value(&context)?.0));
        let known = known.or_else(|| Some(covered.get_key_value(&context)?.0));
        known.cloned().unwrap_or(context)
    }

    fn add(&mut self, context: Fixed<Context>) -> ContextId {
        let id = ContextId(self.contexts.len() as u32);
        let known = Arc::make_mut(&mut self.known);
        known.index.insert(context.clone(), id);
        self.contexts.push(Reached {
            context,
            roots: Shared::default(),
            company: CompanyId::default(),
            is_timeless: false,
            arrivals: Vec::new(),
            found_at: Time::BEGINNING,
            visited_at: Time::BEGINNING,
            is_repeated: false,
            calls: None,
            starts: Vec::new(),
        });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symexec::{Path, Root, Value};

    /// Many different contexts, each of which comes again and again.
    fn contexts() -> impl Iterator<Item = Fixed<Context>> {
        (0..5_000_u64).map(|step| {
            let mixed = (step % 900).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            let certain = (mixed % 12) as i32;
            Fixed::new(Context {
                bindings: vec![
                    Value::Constant(i128::from(mixed % 5)),
                    Value::Constant(i128::from(mixed / 5 % 7)),
                ],
                certain: match certain {
                    0 => BTreeMap::new(),
                    number => BTreeMap::from([(1, Certain::Number(number))]),
                },
                ..Context::default()
            })
        })
    }

    fn any_moment() -> AnyMoment {
        AnyMoment {
            threads: Fixed::default(),
            signals: Fixed::new(SignalState::of_anything()),
        }
    }

    /// The same context when this thread has changed so many variables for itself.
    fn at(moment: u32) -> Fixed<Context> {
        let mut signals = SignalState::default();
        for variable in 0..moment {
            signals.win(Path::new(Root::Formal(variable)));
        }
        Fixed::new(Context {
            signals: Fixed::new(signals),
            ..Context::default()
        })
    }

    #[test]
    fn more_moments_than_are_told_apart_are_any_moment() {
        let mut known = FunctionContexts::default();
        let any = any_moment();
        let most = MOST_MOMENTS as u32;
        let early: Vec<ContextId> = (0..most)
            .map(|it| known.find_or_add(at(it), &any).0)
            .collect();
        let late: Vec<ContextId> = (most..3 * most)
            .map(|it| known.find_or_add(at(it), &any).0)
            .collect();
        assert_eq!(known.contexts.len(), MOST_MOMENTS + 1);
        assert!(late.iter().all(|id| *id == late[0] && !early.contains(id)));
        assert_eq!(
            known.contexts[late[0].0 as usize].context.signals,
            any.signals
        );
        // Whoever came before stays where he was, and what stands for any moment is none that one comes to by oneself.
        assert_eq!(known.find_or_add(at(0), &any).0, early[0]);
        assert_eq!(known.exactly(&at(0)), Some(early[0]));
        assert_eq!(known.exactly(&at(2 * most)), None);
        let timeless = known.contexts[late[0].0 as usize].context.clone();
        assert_eq!(known.exactly(&timeless), None);
    }

    #[test]
    fn a_context_that_is_covered_need_not_be_joined_again() {
        let mut quick = FunctionContexts::default();
        let mut slow = FunctionContexts::default();
        let any = any_moment();
        for context in contexts() {
            Arc::make_mut(&mut slow.known).covered.clear();
            let found = quick.find_or_add(context.clone(), &any);
            assert_eq!(found, slow.find_or_add(context, &any));
        }
        let all = |found: &FunctionContexts| -> Vec<Fixed<Context>> {
            let contexts = found.contexts.iter();
            contexts.map(|reached| reached.context.clone()).collect()
        };
        assert_eq!(all(&quick), all(&slow));
        assert!(quick.known.covered.len() > 100);
    }
}
