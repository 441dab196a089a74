//! What is fuzzed: functions that take any bytes, and panic if something is wrong. `fuzz/` drives them for as long as
//! one likes, and `tests/tests/fuzzing.rs` for some seconds.

mod c_text;
mod files;
mod messages;
mod mutation;

pub use c_text::{edits, front_end, kiss, summaries};
pub use files::project_files;
pub use messages::lsp_messages;
pub use mutation::mutated;

/// A target by its name, with the folder of its seeds and the dictionary below `fuzz/`.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: &'static str,
}

pub const TARGETS: &[Target] = &[
    Target {
        name: "front_end",
        run: front_end,
        seeds: "c",
    },
    Target {
        name: "summaries",
        run: summaries,
        seeds: "c",
    },
    Target {
        name: "edits",
        run: edits,
        seeds: "c",
    },
    Target {
        name: "kiss",
        run: kiss,
        seeds: "c",
    },
    Target {
        name: "lsp_messages",
        run: lsp_messages,
        seeds: "lsp",
    },
    Target {
        name: "project_files",
        run: project_files,
        seeds: "project",
    },
];

/// Larger inputs are no better, only slower.
const MOST_BYTES: usize = 16 << 10;

/// Input as text, whatever it is.
fn text_of(data: &[u8]) -> String {
    String::from_utf8_lossy(&data[..data.len().min(MOST_BYTES)]).into_owned()
}
