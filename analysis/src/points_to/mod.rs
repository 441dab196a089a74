//! What pointers point to: Steensgaard's unification, with members told apart.
//!
//! Each function gives its constraints, which depend on nothing but its body; the solver puts those
//! of all functions together in almost linear time. Memory is divided into classes of cells: two
//! pointers that may point to the same cell point to the same class.

mod alignment;
mod builder;
mod by_function;
mod byte_offsets;
mod calls;
mod changes;
mod constraints;
mod containment;
mod detail;
mod details;
mod differences;
mod entailment;
mod escape;
mod extract;
mod go_betweens;
mod graph;
mod group;
mod handled_calls;
mod handling;
mod joining;
mod layouts;
mod local;
mod model_effects;
mod naive;
mod names;
mod placing;
mod reads;
mod record_uses;
mod records;
mod reduction;
mod renaming;
mod simplification;
mod solution;
mod solve;
mod standing;
mod surroundings;
mod terms;
mod treatment;
mod trial;
mod views;
mod wrappers;

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod random_wrappers;

pub use changes::Changes;
pub use constraints::Constraints;
pub use extract::{constraints, constraints_with_layouts};
#[doc(hidden)]
pub use naive::disagreement;
pub use reads::{Reads, recording};
pub use renaming::SaidAgain;
pub use solution::{Class, Object, PointsTo};
pub use solve::{Resolve, solve, solve_for_edits, solve_in};
