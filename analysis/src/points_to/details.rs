//! The details of a graph's nodes: some of its own, and some that it shares with solved groups of functions as long as nothing
//! changes them.

use super::detail::Detail;
use super::graph::NONE;
use std::ops::Deref;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Details {
    own: Vec<Detail>,
    /// By the number of the group.
    shared: Vec<Arc<Vec<Detail>>>,
}

/// A number with this bit is that of a shared detail: the group's number, and its place there.
const IS_SHARED: u32 = 1 << 31;
const PLACE_BITS: u32 = 18;
const PLACES: u32 = 1 << PLACE_BITS;
const GROUPS: u32 = (IS_SHARED >> PLACE_BITS) - 1;

impl Details {
    /// How many are its own.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Forgets its own details but for so many.
    pub fn truncate(&mut self, length: usize) {
        self.own.truncate(length);
    }

    pub fn get(&self, number: u32) -> Option<&Detail> {
        match number {
            NONE => None,
            number if number & IS_SHARED == 0 => self.own.get(number as usize),
            number => {
                let (group, place) = shared_place(number);
                self.shared.get(group)?.get(place)
            }
        }
    }

    /// A detail that may be changed, of a node that has this number; the number becomes another one if it was shared or there was
    /// none.
    pub fn of_node(&mut self, number: &mut u32) -> &mut Detail {
        if *number & IS_SHARED != 0 {
            let own = self.get(*number).cloned().unwrap_or_default();
            *number = self.own.len() as u32;
            self.own.push(own);
        }
        &mut self.own[*number as usize]
    }

    /// Takes a detail from a node that needs it no more.
    pub fn take(&mut self, number: u32) -> Taken {
        if number & IS_SHARED == 0 {
            let own = self.own.get_mut(number as usize);
            return Taken::Own(own.map_or_else(Detail::default, std::mem::take));
        }
        let (group, place) = shared_place(number);
        match self.shared.get(group) {
            Some(details) if number != NONE => Taken::Shared(details.clone(), place),
            _ => Taken::Own(Detail::default()),
        }
    }

    /// Puts the details of a group beside the others, and says which number a node's detail gets by its place in the group. Groups come
    /// in the order of their numbers.
    pub fn append(&mut self, details: &Arc<Vec<Detail>>) -> impl Fn(u32) -> u32 + use<> {
        let group = self.shared.len() as u32;
        let can_share = group < GROUPS && details.len() <= PLACES as usize;
        let first = match can_share {
            true => IS_SHARED | (group << PLACE_BITS),
            false => self.own.len() as u32,
        };
        if !can_share {
            self.own.extend(details.iter().cloned());
        }
        self.shared.push(details.clone());
        move |place| match place {
            NONE => NONE,
            place => first + place,
        }
    }
}

fn shared_place(number: u32) -> (usize, usize) {
    let group = (number & !IS_SHARED) >> PLACE_BITS;
    (group as usize, (number & (PLACES - 1)) as usize)
}

/// A detail of a node that is another one now.
pub(super) enum Taken {
    Own(Detail),
    Shared(Arc<Vec<Detail>>, usize),
}

impl Taken {
    pub fn into_own(self) -> Detail {
        match self {
            Taken::Own(detail) => detail,
            Taken::Shared(details, place) => details[place].clone(),
        }
    }
}

impl Deref for Taken {
    type Target = Detail;

    fn deref(&self) -> &Detail {
        match self {
            Taken::Own(detail) => detail,
            Taken::Shared(details, place) => &details[*place],
        }
    }
}
