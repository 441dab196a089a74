//! Collects what the declarations of all units promise about locks.

use super::Analysis;
use crate::contracts::Contracts;
use crate::db::{Unit, bindings, item_contracts};
use crate::frontend::groups::{DeclarationSource, Group};
use crate::frontend::normalise::may_have_contracts;
use crate::ir::{Contract, ContractSubject, FunctionRef, GlobalRef, GlobalScope};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use ustr::Ustr;

impl Analysis {
    /// The promises of the whole program.
    pub fn contracts(&self) -> Contracts {
        let mut contracts = Contracts::default();
        // Headers are the same group in every unit.
        let mut items: FxHashMap<*const Group, Vec<u32>> = FxHashMap::default();
        for (path, table) in &self.program().units {
            for placed in &table.groups {
                let found = items
                    .entry(Arc::as_ptr(&placed.group))
                    .or_insert_with(|| annotated_items(&placed.group));
                for &index in found.iter() {
                    let source = DeclarationSource::new(&placed.group, index);
                    self.add_contracts(&mut contracts, *path, table.unit, &source);
                }
            }
        }
        contracts
    }

    fn add_contracts(
        &self,
        contracts: &mut Contracts,
        path: Ustr,
        unit: Unit,
        source: &DeclarationSource,
    ) {
        let db = self.database();
        for (subject, contract) in item_contracts(db, unit, source) {
            let said = match subject {
                ContractSubject::Member(record, name) => {
                    contracts.members.entry((record, name)).or_default()
                }
                ContractSubject::Name(name) => {
                    let Some(value) = &bindings(db, unit, name).value else {
                        continue;
                    };
                    let scope = if value.storage.is_static {
                        GlobalScope::Unit(path)
                    } else {
                        GlobalScope::External
                    };
                    let is_of_variable = matches!(
                        contract,
                        Contract::GuardedBy(_) | Contract::PointeeGuardedBy(_)
                    );
                    if is_of_variable {
                        let variable = GlobalRef {
                            name,
                            scope,
                            thread_local: value.storage.is_thread_local,
                        };
                        contracts.variables.entry(variable).or_default()
                    } else {
                        let function = FunctionRef { name, scope };
                        contracts.functions.entry(function).or_default()
                    }
                }
            };
            said.insert(contract);
        }
    }
}

/// The items of a group in which attributes may stand outside of functions' bodies.
fn annotated_items(group: &Group) -> Vec<u32> {
    if !may_have_contracts(&group.text) {
        return Vec::new();
    }
    let items = group.items.iter().enumerate();
    items
        .filter(|(_, item)| {
            let declaration = &group.text[item.start as usize..item.body as usize];
            may_have_contracts(declaration)
        })
        .map(|(index, _)| index as u32)
        .collect()
}
