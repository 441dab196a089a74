//! The attributes that make promises about locks: those of clang's thread-safety analysis, old spellings included.

/// By name, without the underscores around it.
const CONTRACTS: &[&str] = &[
    "guarded_by",
    "pt_guarded_by",
    "requires_capability",
    "requires_shared_capability",
    "exclusive_locks_required",
    "shared_locks_required",
    "acquire_capability",
    "acquire_shared_capability",
    "exclusive_lock_function",
    "shared_lock_function",
    "release_capability",
    "release_shared_capability",
    "release_generic_capability",
    "unlock_function",
    "try_acquire_capability",
    "try_acquire_shared_capability",
    "exclusive_trylock_function",
    "shared_trylock_function",
    "no_thread_safety_analysis",
];

/// Parts of names of which each attribute has one, and other words seldom do.
const PARTS: &[&str] = &[
    "guarded_by",
    "_capability",
    "_locks_required",
    "lock_function",
    "no_thread_safety_analysis",
];

pub fn is_contract(name: &str) -> bool {
    CONTRACTS.contains(&name)
}

/// Whether a text can have such an attribute. Most have none and need not be looked at closely.
pub fn may_have_contracts(text: &str) -> bool {
    PARTS
        .iter()
        .any(|part| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_is_noticed_in_a_text() {
        for name in CONTRACTS {
            assert!(
                may_have_contracts(&format!("int x __{name}__(m);")),
                "{name}"
            );
        }
        assert!(!may_have_contracts("int x; void lock(void);"));
    }
}
