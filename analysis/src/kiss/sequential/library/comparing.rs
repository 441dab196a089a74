//! Functions that sort and search by calling back, which must be able to stop in what they call.

use super::super::writer::pointer;
use super::Library;
use crate::ir::{Callee, LocalId, Operand, Rvalue, Statement, Terminator, Ty};
use crate::kiss::machine::library::comparing;

impl Library<'_> {
    /// Compares elements until nothing is left to compare.
    pub(super) fn compare(&mut self) -> Option<()> {
        let places = comparing(self.function.name.as_str())?;
        let argument = |place: usize| Operand::Local(LocalId(place as u32));
        let key = match places.key {
            Some(key) => self.writer.as_pointer(argument(key)),
            None => Operand::Integer(0),
        };
        let base = self.writer.as_pointer(argument(places.base));
        let given = vec![key, base, argument(places.count), argument(places.size)];
        let comparing = self
            .writer
            .call("racelens_compare_begin", given, Some(pointer()), None)?;
        let order = self.writer.local(Ty::int());
        let value = Rvalue::Use(Operand::Integer(0));
        self.writer.push(
            Statement::Assign {
                target: order,
                value,
            },
            None,
        );
        let (again, inside, behind) = (
            self.writer.new_block(),
            self.writer.new_block(),
            self.writer.new_block(),
        );
        self.writer.end_block(Terminator::Goto(again));
        self.writer.begin(again);
        let next = match places.key {
            Some(_) => "racelens_search_on",
            None => "racelens_sort_on",
        };
        let given = vec![comparing.clone(), Operand::Local(order)];
        let condition = self.writer.call(next, given, Some(Ty::int()), None)?;
        self.writer.end_block(Terminator::Branch {
            condition,
            then: inside,
            otherwise: behind,
        });
        self.writer.begin(inside);
        let mut arguments = Vec::new();
        for element in ["racelens_compare_left", "racelens_compare_right"] {
            let given = vec![comparing.clone()];
            arguments.push(self.writer.call(element, given, Some(pointer()), None)?);
        }
        arguments.extend(places.extra.map(argument));
        self.writer.mark();
        let call = Statement::Call {
            target: Some(order),
            callee: Callee::Indirect(argument(places.compare)),
            arguments,
        };
        self.writer.push(call, None);
        self.writer.leave_if_raised();
        self.writer.end_block(Terminator::Goto(again));
        self.writer.begin(behind);
        if places.key.is_some() {
            let given = vec![comparing];
            self.result = self
                .writer
                .call("racelens_compare_right", given, Some(pointer()), None);
        }
        Some(())
    }
}
