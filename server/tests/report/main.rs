//! Reports made by hand over real files, and how every output shows them.

mod sample;
mod text;
