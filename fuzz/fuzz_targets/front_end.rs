//! `cargo fuzz run front_end`: see the README beside this folder.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| racelens_tests::fuzzing::front_end(data));
