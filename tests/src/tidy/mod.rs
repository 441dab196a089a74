//! Checks of the repository's own sources.
