//! Reports made by hand over real files, and how every output shows them.

mod explanation;
mod html;
mod json;
mod sample;
mod sarif;
#[path = "../common/schema.rs"]
mod schema;
mod selection;
mod statistics;
#[path = "../common/temporary_folder.rs"]
mod temporary_folder;
mod text;
