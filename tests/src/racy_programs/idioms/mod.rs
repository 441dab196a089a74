//! Idioms that keep threads apart by other means than one lock around each access, and ways to break them.
//!
//! An idiom is data: a text in the small language of [`template`], with the names of its flaws and of the
//! harmless forms it comes in. Each of its scenes has objects and threads of its own, so that what is
//! reported in a scene without a flaw is wrong whatever stands beside it.

mod branches;
mod forks;
mod locking;
mod owners;
mod publication;
mod signals;
mod slots;
pub mod template;

/// A way to share memory, as it should be and as it should not.
#[derive(Debug)]
pub struct Idiom {
    pub name: &'static str,
    /// What may be wrong; each alone makes a race possible.
    pub flaws: &'static [&'static str],
    /// What may be spelt otherwise, without changing what is ordered.
    pub forms: &'static [&'static str],
    /// Members that the struct of the data has besides those that are accessed.
    pub members: &'static str,
    pub text: &'static str,
}

/// The idioms of all families.
pub fn all() -> Vec<&'static Idiom> {
    let families = [
        forks::IDIOMS,
        slots::IDIOMS,
        owners::IDIOMS,
        locking::IDIOMS,
        signals::IDIOMS,
        publication::IDIOMS,
        branches::IDIOMS,
    ];
    families.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = all().iter().map(|idiom| idiom.name).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn every_idiom_can_be_broken() {
        for idiom in all() {
            assert!(!idiom.flaws.is_empty(), "{}", idiom.name);
        }
    }

    #[test]
    fn the_text_asks_for_exactly_the_flaws_and_forms_that_are_stated() {
        for idiom in all() {
            let stated: BTreeSet<&str> = idiom.flaws.iter().chain(idiom.forms).copied().collect();
            assert_eq!(template::switches(idiom.text), stated, "{}", idiom.name);
        }
    }
}
