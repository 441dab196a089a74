//! Memory: objects of bytes, and pointers that name an object and an offset in it.

use super::Fault;

/// All objects that ever lived. A pointer is a number: the object's in its upper half, the offset
/// in its lower half, so that pointers can be stored, compared and moved like numbers.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
}

struct Object {
    bytes: Vec<u8>,
    alive: bool,
}

/// Whether fresh memory is zero or left as it was; then a pattern shows reads of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Zero,
    Leftover,
}

const LEFTOVER: u8 = 0xcd;

impl Memory {
    /// Makes an object and returns the address of its first byte.
    pub fn allocate(&mut self, size: usize, content: Content) -> u64 {
        let byte = if content == Content::Zero {
            0
        } else {
            LEFTOVER
        };
        self.objects.push(Object {
            bytes: vec![byte; size],
            alive: true,
        });
        (self.objects.len() as u64) << 32
    }

    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let (object, offset) = self.object(address)?;
        if offset != 0 {
            return Fault::new("free of an address inside an object");
        }
        object.alive = false;
        Ok(())
    }

    pub fn read(&mut self, address: u64, size: usize) -> Result<Vec<u8>, Fault> {
        Ok(self.range(address, size)?.to_vec())
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.range(address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn range(&mut self, address: u64, size: usize) -> Result<&mut [u8], Fault> {
        let (object, offset) = self.object(address)?;
        let length = object.bytes.len();
        match object.bytes.get_mut(offset..offset + size) {
            Some(bytes) => Ok(bytes),
            None => Fault::new(format!(
                "{size} bytes at {offset} of an object of {length} bytes"
            )),
        }
    }

    fn object(&mut self, address: u64) -> Result<(&mut Object, usize), Fault> {
        let number = (address >> 32) as usize;
        let offset = (address & 0xffff_ffff) as usize;
        match number
            .checked_sub(1)
            .and_then(|at| self.objects.get_mut(at))
        {
            Some(object) if object.alive => Ok((object, offset)),
            Some(_) => Fault::new("an object that is gone"),
            None => Fault::new(format!("no object at {address:#x}")),
        }
    }
}
