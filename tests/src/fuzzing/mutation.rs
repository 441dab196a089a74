//! Changes inputs at random, always the same way for the same seed: the bounded run needs no fuzzer.

use crate::random::Random;

/// The seed with some pieces removed, repeated, replaced by words, or taken from elsewhere in it.
pub fn mutated(seed: &[u8], words: &[String], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(data.len() + 1);
        let length = random.below(24).min(data.len() - at);
        let piece: Vec<u8> = match random.below(6) {
            0 => Vec::new(),
            1 if !data.is_empty() => {
                let from = random.below(data.len());
                data[from..data.len().min(from + 40)].to_vec()
            }
            2 => vec![random.below(256) as u8],
            3 => data[at..at + length].repeat(1 + random.below(30)),
            4 if !words.is_empty() => words[random.below(words.len())].clone().into_bytes(),
            _ => random.bits().to_string().into_bytes(),
        };
        let removed = if random.one_in(2) { length } else { 0 };
        data.splice(at..at + removed, piece);
    }
    data
}
