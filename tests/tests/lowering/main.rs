//! What each construct of C becomes in the intermediate representation.

mod accesses;
mod calls;
mod cleanup;
mod control;
mod initialisers;
mod places;
mod spans;

use expect_test::Expect;
use racelens_tests::front_end::FrontEnd;

/// Lowers the function `f` of a piece of C and compares how it prints.
fn check_ir(text: &str, expected: Expect) {
    let lowered = FrontEnd::read(text).body("f");
    expected.assert_eq(&lowered.body.pretty().to_string());
}
