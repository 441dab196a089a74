//! Reports made by hand over real files, and how every output shows them.

mod json;
mod sample;
mod sarif;
mod schema;
mod selection;
mod text;
