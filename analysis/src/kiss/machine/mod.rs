//! Runs programs step by step, exactly: values of C's widths, memory of bytes, threads, and whatever they wait for.
//!
//! A step is one statement, one terminator or one effect of a library function. It either happens as a whole or, where
//! it cannot, says why and leaves the state as it was. What the machine does not know it never guesses.

mod at_once;
mod atomic_effects;
mod calls;
mod comparing;
mod effects;
mod image;
mod input_calls;
pub mod library;
pub mod memory;
mod memory_effects;
mod model_values;
mod next;
mod own_objects;
mod places;
pub mod printed;
mod printing_calls;
mod questions;
mod state;
mod statements;
pub mod stop;
mod text_calls;
mod thread_effects;
pub mod value;
mod waiting;

pub use image::{Machine, SchedulingPoints};
pub use next::{Access, Next};
pub use state::{
    Activation, End, Frame, Holder, Ignored, Lock, ModelCall, Opened, Phase, Source, State, Thread,
};
