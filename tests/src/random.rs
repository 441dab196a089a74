//! Random choices that come again with the same seed.

/// SplitMix64: small, and good enough to vary test programs.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// True in one of `out_of` cases.
    pub fn one_in(&mut self, out_of: usize) -> bool {
        self.below(out_of) == 0
    }

    pub fn pick<'t, T: ?Sized>(&mut self, choices: &[&'t T]) -> &'t T {
        choices[self.below(choices.len())]
    }
}

/// How many random cases to run: the number in the environment variable, or the usual one.
pub fn cases(variable: &str, usual: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(usual)
}
