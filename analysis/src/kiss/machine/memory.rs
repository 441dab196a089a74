//! Memory: objects of bytes, and pointers that name an object and an offset in it.
//!
//! A pointer is a number: the region and the object's number in its upper half, the offset in its lower half, so that
//! pointers can be stored, compared and moved like numbers. Every thread allocates in a region of its own, so that the
//! order in which threads run does not change the names of objects. An address is never used again.

use super::stop::Fault;
use super::value::{Closed, Image, Unknown, UnknownRange};
use std::sync::Arc;

/// The region of variables with static storage, strings and the library's own objects.
pub const STATIC_REGION: usize = 0;
const REGION_SHIFT: u32 = 52;
const OBJECT_SHIFT: u32 = 32;
const MOST_OBJECTS: usize = 1 << 20;
/// No object is larger: nothing that a small number of steps can fill.
const MOST_BYTES: u64 = 1 << 26;
/// Objects of unknown size grow up to here.
const MOST_ELASTIC_BYTES: u64 = 1 << 16;

#[derive(Clone, Default, Debug)]
pub struct Memory {
    /// By region, then by number. The first region is static, then comes one for each thread.
    regions: Vec<Vec<Arc<Object>>>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    image: Image,
    state: ObjectState,
    /// Its size is not known: it is as large as is used of it, and the rest has this content.
    elastic: Option<Content>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ObjectState {
    Alive,
    Freed,
    /// A variable of a function that returned.
    OutOfScope,
}

/// What fresh memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    Zero,
    Closed(Closed),
}

impl Content {
    pub const UNINITIALISED: Content = Content::Closed(Closed::Uninitialised);
}

/// Where an address lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Split {
    region: usize,
    number: usize,
    offset: u64,
}

/// The number of an address without its offset: equal for addresses in one object.
pub fn object_of(address: u64) -> u64 {
    address >> OBJECT_SHIFT
}

fn split(address: u64) -> Option<Split> {
    let region = (address >> REGION_SHIFT) as usize;
    let number = ((address >> OBJECT_SHIFT) as usize) & (MOST_OBJECTS - 1);
    let offset = address & 0xffff_ffff;
    let region = region.checked_sub(1)?;
    Some(Split {
        region,
        number,
        offset,
    })
}

impl Memory {
    /// Makes an object and returns the address of its first byte.
    pub fn allocate(&mut self, region: usize, size: u64, content: Content) -> Result<u64, Fault> {
        self.place(region, size, content, None)
    }

    /// Makes an object whose size is not known.
    pub fn allocate_elastic(&mut self, region: usize, content: Content) -> Result<u64, Fault> {
        self.place(region, 0, content, Some(content))
    }

    fn place(
        &mut self,
        region: usize,
        size: u64,
        content: Content,
        elastic: Option<Content>,
    ) -> Result<u64, Fault> {
        while self.regions.len() <= region {
            self.regions.push(Vec::new());
        }
        let number = self.regions[region].len();
        if size > MOST_BYTES || number >= MOST_OBJECTS {
            return Err(Fault::OutOfMemory);
        }
        let mut image = Image::default();
        image.grow(size as usize, content);
        self.regions[region].push(Arc::new(Object {
            image,
            state: ObjectState::Alive,
            elastic,
        }));
        Ok(((region as u64 + 1) << REGION_SHIFT) | ((number as u64) << OBJECT_SHIFT))
    }

    /// Frees what `malloc` gave.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        if self.extent(address)?.0 != address {
            return Err(Fault::InvalidFree);
        }
        self.end(address, ObjectState::Freed);
        Ok(())
    }

    /// The variable's function returns.
    pub fn leave_scope(&mut self, address: u64) {
        self.end(address, ObjectState::OutOfScope);
    }

    fn end(&mut self, address: u64, state: ObjectState) {
        if let Some(object) = self.object_mut(address) {
            let object = Arc::make_mut(object);
            object.state = state;
            object.image = Image::default();
            object.elastic = None;
        }
    }

    /// The first address and the size of the object that an address lies in.
    pub fn extent(&self, address: u64) -> Result<(u64, u64), Fault> {
        let object = self.object(address)?;
        Ok((
            address >> OBJECT_SHIFT << OBJECT_SHIFT,
            object.image.bytes.len() as u64,
        ))
    }

    /// Whether so many bytes can be accessed.
    pub fn check(&self, address: u64, size: u64) -> Result<(), Fault> {
        let object = self.object(address)?;
        let end = split(address).map_or(0, |at| at.offset) + size;
        let most = match object.elastic {
            Some(_) => MOST_ELASTIC_BYTES,
            None => object.image.bytes.len() as u64,
        };
        if end > most {
            return Err(Fault::OutOfBounds);
        }
        Ok(())
    }

    pub fn read(&self, address: u64, size: u64) -> Result<Image, Fault> {
        self.check(address, size)?;
        let object = self.object(address)?;
        let first = (address & 0xffff_ffff) as usize;
        Ok(object.part(first, size as usize))
    }

    pub fn write(&mut self, address: u64, image: &Image) -> Result<(), Fault> {
        let size = image.bytes.len();
        self.check(address, size as u64)?;
        let first = (address & 0xffff_ffff) as usize;
        if let Some(object) = self.object_mut(address) {
            let object = Arc::make_mut(object);
            if let Some(content) = object.elastic {
                object.image.grow(first + size, content);
            }
            object.image.replace(first, image);
        }
        Ok(())
    }

    /// Gives an unknown value that is now known its bytes, wherever it lies.
    pub fn resolve(&mut self, unknown: Unknown, bytes: &[u8]) {
        for object in self.regions.iter_mut().flatten() {
            let holds = |range: &UnknownRange| range.what == unknown;
            if object.image.unknown.iter().any(holds) {
                Arc::make_mut(object).image.resolve(unknown, bytes);
            }
        }
    }

    pub fn objects(&self) -> impl Iterator<Item = &Arc<Object>> {
        self.regions.iter().flatten()
    }

    fn object(&self, address: u64) -> Result<&Object, Fault> {
        let found = split(address).and_then(|at| self.regions.get(at.region)?.get(at.number));
        match found {
            Some(object) if object.state == ObjectState::Alive => Ok(object),
            Some(object) if object.state == ObjectState::Freed => Err(Fault::UseAfterFree),
            Some(_) => Err(Fault::UseAfterReturn),
            None if address < 4096 => Err(Fault::NullDereference),
            None => Err(Fault::InvalidPointer),
        }
    }

    fn object_mut(&mut self, address: u64) -> Option<&mut Arc<Object>> {
        let at = split(address)?;
        self.regions.get_mut(at.region)?.get_mut(at.number)
    }
}

impl Object {
    fn part(&self, first: usize, size: usize) -> Image {
        let end = first + size;
        if end <= self.image.bytes.len() {
            return self.image.part(first, size);
        }
        let mut whole = self.image.clone();
        whole.grow(end, self.elastic.unwrap_or(Content::Zero));
        whole.part(first, size)
    }
}

impl Image {
    pub fn known(bytes: Vec<u8>) -> Image {
        Image {
            bytes,
            unknown: Vec::new(),
        }
    }

    pub fn filled(size: u64, content: Content) -> Image {
        let mut image = Image::default();
        image.grow(size as usize, content);
        image
    }

    fn grow(&mut self, size: usize, content: Content) {
        let old = self.bytes.len();
        if size <= old {
            return;
        }
        self.bytes.resize(size, 0);
        if let Content::Closed(reason) = content {
            let what = Unknown::Closed(reason);
            let added = (size - old) as u32;
            match self.unknown.last_mut() {
                Some(last) if last.what == what && (last.first + last.length) as usize == old => {
                    last.length += added;
                }
                _ => self.unknown.push(UnknownRange {
                    first: old as u32,
                    length: added,
                    what,
                }),
            }
        }
    }

    pub fn part(&self, first: usize, size: usize) -> Image {
        let end = (first + size) as u32;
        let first_byte = first as u32;
        let unknown = self.unknown.iter().filter_map(|range| {
            let from = range.first.max(first_byte);
            let to = (range.first + range.length).min(end);
            (from < to).then(|| UnknownRange {
                first: from - first_byte,
                length: to - from,
                what: range.what,
            })
        });
        Image {
            unknown: unknown.collect(),
            bytes: self.bytes[first..first + size].to_vec(),
        }
    }

    pub fn replace(&mut self, first: usize, image: &Image) {
        let (from, to) = (first as u32, (first + image.bytes.len()) as u32);
        self.bytes[first..first + image.bytes.len()].copy_from_slice(&image.bytes);
        if !self.unknown.is_empty() {
            let mut kept = Vec::with_capacity(self.unknown.len() + 1);
            for range in self.unknown.drain(..) {
                let end = range.first + range.length;
                if range.first < from {
                    let length = end.min(from) - range.first;
                    kept.push(UnknownRange { length, ..range });
                }
                if end > to {
                    let first = range.first.max(to);
                    kept.push(UnknownRange {
                        first,
                        length: end - first,
                        ..range
                    });
                }
            }
            self.unknown = kept;
        }
        if !image.unknown.is_empty() {
            let moved = image.unknown.iter().map(|range| UnknownRange {
                first: range.first + from,
                ..*range
            });
            self.unknown.extend(moved);
            self.unknown.sort_by_key(|range| range.first);
        }
    }

    pub fn resolve(&mut self, unknown: Unknown, bytes: &[u8]) {
        let found: Vec<UnknownRange> = self
            .unknown
            .iter()
            .filter(|range| range.what == unknown)
            .copied()
            .collect();
        for range in found {
            let length = range.length as usize;
            let mut known = bytes.to_vec();
            known.resize(length, 0);
            self.replace(range.first as usize, &Image::known(known));
        }
    }
}
