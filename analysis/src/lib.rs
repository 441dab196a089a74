//! The analysis behind Racelens: preprocessed C text in, plain structs out.
