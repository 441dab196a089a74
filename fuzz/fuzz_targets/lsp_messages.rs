//! `cargo fuzz run lsp_messages`: see the README beside this folder.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| racelens_tests::fuzzing::lsp_messages(data));
