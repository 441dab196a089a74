//! `cargo fuzz run project_files`: see the README beside this folder.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| racelens_tests::fuzzing::project_files(data));
