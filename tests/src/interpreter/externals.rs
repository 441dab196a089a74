//! The functions that programs get from outside.

use super::machine::Machine;
use super::memory::Content;
use super::{Fault, Value};

impl Machine<'_> {
    /// Calls a function without a body; `None` where it returns nothing.
    pub(super) fn external(
        &mut self,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, Fault> {
        let mut numbers = Vec::new();
        for argument in arguments {
            let Value::Integer(number) = argument else {
                return Fault::new(format!("`{name}` gets what is no number"));
            };
            numbers.push(*number);
        }
        match (name, numbers.as_slice()) {
            ("out", [number]) => {
                self.output.push(*number as i64);
                Ok(None)
            }
            ("malloc", [size]) => {
                let address = self.memory.allocate(*size as usize, Content::Leftover);
                Ok(Some(Value::Integer(i128::from(address))))
            }
            ("calloc", [count, size]) => {
                let bytes = (*count * *size) as usize;
                let address = self.memory.allocate(bytes, Content::Zero);
                Ok(Some(Value::Integer(i128::from(address))))
            }
            ("free", [0]) => Ok(None),
            ("free", [address]) => {
                self.memory.free(*address as u64)?;
                Ok(None)
            }
            ("memset", [address, byte, size]) => {
                let bytes = vec![*byte as u8; *size as usize];
                self.memory.write(*address as u64, &bytes)?;
                Ok(Some(Value::Integer(*address)))
            }
            ("memcpy" | "memmove", [to, from, size]) => {
                let bytes = self.memory.read(*from as u64, *size as usize)?;
                self.memory.write(*to as u64, &bytes)?;
                Ok(Some(Value::Integer(*to)))
            }
            _ => Fault::new(format!("there is no function `{name}`")),
        }
    }
}
