//! All promises of a program, by what they are about.

use super::duty::lock_path;
use crate::ir::{Contract, FunctionRef, GlobalRef, RecordRef};
use crate::locksets::Mode;
use crate::symexec::Path;
use std::collections::{BTreeMap, BTreeSet};
use ustr::Ustr;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contracts {
    pub functions: BTreeMap<FunctionRef, BTreeSet<Contract>>,
    pub variables: BTreeMap<GlobalRef, BTreeSet<Contract>>,
    pub members: BTreeMap<(RecordRef, Ustr), BTreeSet<Contract>>,
}

impl Contracts {
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.variables.is_empty() && self.members.is_empty()
    }

    /// What another part of the program promises as well.
    pub fn add(&mut self, more: &Contracts) {
        fn join<K: Ord + Copy>(
            mine: &mut BTreeMap<K, BTreeSet<Contract>>,
            more: &BTreeMap<K, BTreeSet<Contract>>,
        ) {
            for (subject, said) in more {
                mine.entry(*subject)
                    .or_default()
                    .extend(said.iter().cloned());
            }
        }
        join(&mut self.functions, &more.functions);
        join(&mut self.variables, &more.variables);
        join(&mut self.members, &more.members);
    }

    pub fn of_function(&self, function: FunctionRef) -> impl Iterator<Item = &Contract> {
        self.functions.get(&function).into_iter().flatten()
    }

    /// The locks that a function's callers hold, in terms of its formals.
    pub fn required(&self, function: FunctionRef) -> impl Iterator<Item = (Path, Mode)> {
        self.of_function(function)
            .filter_map(|contract| match contract {
                Contract::Requires { lock, shared } => {
                    Some((lock_path(lock, None)?, mode(*shared)))
                }
                _ => None,
            })
    }
}

pub(super) fn mode(shared: bool) -> Mode {
    if shared {
        Mode::Shared
    } else {
        Mode::Exclusive
    }
}
