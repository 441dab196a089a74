//! Guesses which known word a misspelt one was meant to be.

/// Help for an unknown word: the nearest known one, or all of them.
pub fn help(word: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|candidate| (edits(word, candidate), *candidate))
        // Half of the letters wrong is another word.
        .filter(|(edits, candidate)| *edits * 2 < candidate.len().max(3))
        // The first of several equally near ones, so that the answer is stable.
        .min_by_key(|(edits, _)| *edits);
    match near {
        Some((_, candidate)) => format!("did you mean `{candidate}`?"),
        None if known.is_empty() => "remove it".to_owned(),
        None => format!("known here: {}", known.join(", ")),
    }
}

/// How many letters to insert, remove or replace to get from one word to the other.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, letter) in from.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (index, wanted) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(!letter.eq_ignore_ascii_case(wanted));
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let known = ["acquire", "release", "wait_for"];
        for (word, expected) in [
            ("aquire", "did you mean `acquire`?"),
            ("Release", "did you mean `release`?"),
            ("waitfor", "did you mean `wait_for`?"),
            ("explode", "known here: acquire, release, wait_for"),
        ] {
            assert_eq!(help(word, &known), expected, "{word}");
        }
    }
}
