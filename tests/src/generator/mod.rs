//! Writes random C programs that do something well-defined, for comparing two ways to run them.
//!
//! A program calls `out(long)` with what it computed. Shifts, divisions and indices are masked, and
//! no expression changes what another part of it reads, so that every compiler gives one answer.

mod data;
mod expressions;
mod functions;
mod statements;

use crate::random::Random;

/// A whole program. The same seed gives the same text.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        text: String::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        labels: 0,
        names: 0,
        loops: Vec::new(),
    };
    generator.declarations();
    let count = 2 + generator.random.below(3);
    for _ in 0..count {
        generator.function();
    }
    generator.main_function();
    generator.text
}

struct Generator {
    random: Random,
    text: String,
    /// Scalars that can be named here, each with what it takes to name it.
    variables: Vec<Variable>,
    functions: Vec<String>,
    labels: usize,
    names: usize,
    /// Counters of the loops around, which may be read but not changed.
    loops: Vec<String>,
}

/// A scalar lvalue. `{}` in the path stands for an index that fits.
#[derive(Clone)]
struct Variable {
    path: String,
    kind: Kind,
    /// The number of elements behind each `{}`, a power of two.
    extents: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    /// Fewer bits than the type has: its address cannot be taken.
    BitField,
    Float,
    Bool,
}

impl Generator {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn new_name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn integer_type(&mut self) -> &'static str {
        self.random.pick(&[
            "char",
            "signed char",
            "unsigned char",
            "short",
            "unsigned short",
            "int",
            "int",
            "unsigned",
            "long",
            "unsigned long",
            "long long",
            "unsigned long long",
        ])
    }
}
