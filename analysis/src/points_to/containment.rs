//! The objects that a member's class lies in.

use super::solution::{ClassData, Object};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// For each class its own objects and those of all classes of which it is a member, sorted.
pub(super) fn objects_of_members(
    own: Vec<Vec<Object>>,
    classes: &[ClassData],
) -> Vec<Arc<[Object]>> {
    // For each class, the classes with objects that it lies in.
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); own.len()];
    let mut pending = Vec::new();
    for (class, objects) in own.iter().enumerate() {
        if objects.is_empty() {
            continue;
        }
        pending.push(class as u32);
        while let Some(inner) = pending.pop() {
            let known = &mut holders[inner as usize];
            if known.last() == Some(&(class as u32)) {
                continue;
            }
            known.push(class as u32);
            let members = classes[inner as usize].fields.iter();
            pending.extend(members.map(|(_, member)| *member));
        }
    }
    // Most members lie in one object, and share its list.
    let mut sole: Vec<Option<Arc<[Object]>>> = vec![None; own.len()];
    let mut lists: FxHashMap<Vec<u32>, Arc<[Object]>> = FxHashMap::default();
    let nothing: Arc<[Object]> = Arc::default();
    holders
        .into_iter()
        .map(|holders| {
            let known = match holders[..] {
                [] => Some(&nothing),
                [holder] => sole[holder as usize].as_ref(),
                _ => lists.get(&holders),
            };
            if let Some(known) = known {
                return known.clone();
            }
            let mut objects: Vec<Object> = holders
                .iter()
                .flat_map(|holder| own[*holder as usize].iter().copied())
                .collect();
            objects.sort_unstable();
            objects.dedup();
            let objects: Arc<[Object]> = objects.into();
            match holders[..] {
                [holder] => sole[holder as usize] = Some(objects.clone()),
                _ => {
                    lists.insert(holders, objects.clone());
                }
            }
            objects
        })
        .collect()
}
