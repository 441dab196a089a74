//! Semaphores that pass one token around: whoever waits for one of them takes the token, and whoever posts one
//! gives it away. If they begin with one in all, and nobody posts without having the token, only one thread
//! has it at a time (Dijkstra's split binary semaphores). A mailbox with a semaphore for "filled" and one for "emptied"
//! is the usual case.

use super::objects::{ChangedObjects, different_keys};
use super::semaphores::Semaphores;
use super::sync_uses::AllSyncUses;
use crate::callgraph::FunctionId;
use crate::dataflow::Loops;
use crate::ir::{Base, Body, Operand, Place, Projection, Rvalue, Statement, StatementId};
use crate::models::{Action, FunctionModel, Root, Value};
use crate::points_to::{Class, PointsTo};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A token, by its number.
pub type Token = u32;

#[derive(Clone, Default, PartialEq)]
pub struct Tokens {
    by_semaphore: FxHashMap<Class, Token>,
    /// Where a token is made that no semaphore begins with: who makes the semaphores has it first.
    made: FxHashMap<(FunctionId, StatementId), Token>,
}

impl Tokens {
    /// The semaphores that pass other tokens than before, and the functions in which others are made.
    pub(super) fn note_changes(&self, before: &Tokens, changes: &mut ChangedObjects) {
        changes
            .classes
            .extend(different_keys(&self.by_semaphore, &before.by_semaphore));
        let made = different_keys(&self.made, &before.made);
        changes
            .functions
            .extend(made.map(|(function, _)| *function));
    }

    pub(super) fn new(uses: &AllSyncUses, semaphores: &Semaphores) -> Tokens {
        if semaphores.is_empty() {
            return Tokens::default();
        }
        let mut all = Uses::default();
        for (function, uses) in (0..).map(FunctionId).zip(uses.iter()) {
            all.add(function, &uses.tokens);
        }
        all.tokens(semaphores)
    }

    pub fn of(&self, semaphore: Class) -> Option<Token> {
        self.by_semaphore.get(&semaphore).copied()
    }

    /// The token that a statement makes.
    pub fn made_at(&self, function: FunctionId, statement: StatementId) -> Option<Token> {
        self.made.get(&(function, statement)).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.by_semaphore.is_empty()
    }
}

/// What a call does to a semaphore.
#[derive(Clone, PartialEq)]
pub(super) struct TokenUse {
    class: Class,
    at: StatementId,
    /// The variable that it is, if the call shows that.
    variable: Option<Place>,
    action: TokenAction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenAction {
    Post,
    Wait,
    /// It is made; perhaps once in the whole program.
    Make {
        is_once: bool,
    },
}

/// What one call does to semaphores.
pub(super) fn uses(
    body: &Body,
    points_to: &PointsTo,
    at: StatementId,
    model: &FunctionModel,
    arguments: &[Operand],
) -> Vec<TokenUse> {
    let effects = model.effects.iter();
    let found = effects.filter_map(|effect| {
        let (Action::Post { object }
        | Action::WaitFor { object }
        | Action::InitialiseLock { lock: object, .. }) = &effect.action
        else {
            return None;
        };
        let operand = argument(object, arguments)?;
        let class = points_to.pointee(body.function, operand)?;
        let action = match &effect.action {
            Action::Post { .. } => TokenAction::Post,
            Action::WaitFor { .. } => TokenAction::Wait,
            _ => TokenAction::Make {
                is_once: body.function.name == "main" && !Loops::new(body).repeats(at),
            },
        };
        Some(TokenUse {
            class,
            at,
            variable: variable(body, operand),
            action,
        })
    });
    found.collect()
}

/// The semaphores that one function waits for and posts.
#[derive(Default)]
struct Touched {
    waited: BTreeSet<Class>,
    posted: BTreeSet<Class>,
}

#[derive(Default)]
struct Uses {
    /// The one variable that each class is, as far as calls show.
    variables: FxHashMap<Class, Place>,
    /// Classes that are more than one variable, or that are reached through pointers.
    unclear: FxHashSet<Class>,
    made: BTreeMap<Class, Vec<(FunctionId, StatementId, bool)>>,
    linked: BTreeMap<Class, BTreeSet<Class>>,
}

impl Uses {
    /// What one function does.
    fn add(&mut self, function: FunctionId, uses: &[TokenUse]) {
        let mut touched = Touched::default();
        for token in uses {
            let class = token.class;
            match &token.variable {
                Some(place) => {
                    let known = self.variables.entry(class).or_insert_with(|| place.clone());
                    if known != place {
                        self.unclear.insert(class);
                    }
                }
                None => {
                    self.unclear.insert(class);
                }
            }
            match token.action {
                TokenAction::Post => {
                    touched.posted.insert(class);
                }
                TokenAction::Wait => {
                    touched.waited.insert(class);
                }
                TokenAction::Make { is_once } => {
                    let made = self.made.entry(class).or_default();
                    made.push((function, token.at, is_once));
                }
            }
        }
        self.neighbours(&touched);
    }

    /// What a function waits for and what it posts may pass one token.
    fn neighbours(&mut self, touched: &Touched) {
        for &waited in &touched.waited {
            for &posted in touched.posted.iter().filter(|posted| **posted != waited) {
                self.linked.entry(waited).or_default().insert(posted);
                self.linked.entry(posted).or_default().insert(waited);
            }
        }
    }

    fn tokens(&self, semaphores: &Semaphores) -> Tokens {
        let mut tokens = Tokens::default();
        let mut done: BTreeSet<Class> = BTreeSet::new();
        let mut next: Token = 0;
        for &start in self.linked.keys() {
            if done.contains(&start) {
                continue;
            }
            let group = self.group(start);
            done.extend(&group);
            let is_clear = |class: &Class| !self.unclear.contains(class);
            let count = |class: &Class| semaphores.first_value(*class).flatten();
            let counts: Option<i128> = group.iter().map(count).sum();
            let made = match counts {
                Some(1) => None,
                Some(0) => match group.iter().find_map(|class| self.made.get(class)) {
                    Some(made) if made.len() == 1 && made[0].2 => Some((made[0].0, made[0].1)),
                    _ => continue,
                },
                _ => continue,
            };
            if !group.iter().all(is_clear) {
                continue;
            }
            let members = group.iter().map(|class| (*class, next));
            tokens.by_semaphore.extend(members);
            tokens.made.extend(made.map(|statement| (statement, next)));
            next += 1;
        }
        tokens
    }

    fn group(&self, start: Class) -> BTreeSet<Class> {
        let mut group = BTreeSet::from([start]);
        let mut pending = vec![start];
        while let Some(class) = pending.pop() {
            for &other in self.linked.get(&class).into_iter().flatten() {
                if group.insert(other) {
                    pending.push(other);
                }
            }
        }
        group
    }
}

fn argument<'a>(value: &Value, arguments: &'a [Operand]) -> Option<&'a Operand> {
    match value.root {
        Root::Argument(index) if value.path.is_empty() => arguments.get(usize::from(index)),
        _ => None,
    }
}

/// The variable, or the member of one, whose address an argument is.
fn variable(body: &Body, operand: &Operand) -> Option<Place> {
    let Operand::Local(local) = operand else {
        return None;
    };
    let mut assigned = body
        .statements()
        .filter(|(_, statement)| statement.target() == Some(*local));
    let (_, statement) = assigned.next()?;
    let Statement::Assign {
        value: Rvalue::AddressOf(place),
        ..
    } = statement
    else {
        return None;
    };
    let is_member = |projection: &Projection| matches!(projection, Projection::Field { .. });
    let is_fixed = matches!(place.base, Base::Global(global) if !global.thread_local)
        && place.path.iter().all(is_member);
    (is_fixed && assigned.next().is_none()).then(|| place.clone())
}
