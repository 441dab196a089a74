//! What a program consists of on disk, and how its files become preprocessed text.
