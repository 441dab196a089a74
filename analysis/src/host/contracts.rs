//! Collects what the declarations of all units promise about locks.

use super::Analysis;
use crate::contracts::Contracts;
use crate::db::{Unit, bindings, item_contracts};
use crate::frontend::groups::DeclarationSource;
use crate::ir::{Contract, ContractSubject, FunctionRef, GlobalRef, GlobalScope};
use ustr::Ustr;

impl Analysis {
    /// The promises of the whole program.
    pub fn contracts(&self) -> Contracts {
        let mut contracts = Contracts::default();
        for (path, table) in &self.program().units {
            let said = table.contracts.get_or_init(|| {
                let mut said = Contracts::default();
                for placed in &table.groups {
                    for &index in placed.group.annotated_items() {
                        let source = DeclarationSource::new(&placed.group, index);
                        self.add_contracts(&mut said, *path, table.unit, &source);
                    }
                }
                said
            });
            contracts.add(said);
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
