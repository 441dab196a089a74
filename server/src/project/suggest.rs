//! Finds the word that a misspelt one was probably meant to be.

/// The candidate nearest to `word`, if one is near enough to be worth suggesting.
/// Among equally near ones the first wins, so that the answer is stable.
pub fn nearest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let limit = (word.chars().count() / 3).max(1) + 1;
    candidates
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, without regard to case and to `_` in place of `-`.
fn distance(left: &str, right: &str) -> usize {
    let fold = |text: &str| -> Vec<char> {
        text.chars()
            .map(|c| {
                if c == '_' {
                    '-'
                } else {
                    c.to_ascii_lowercase()
                }
            })
            .collect()
    };
    let (left, right) = (fold(left), fold(right));
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (row, from) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, to) in right.iter().enumerate() {
            let replaced = previous[column] + usize::from(from != to);
            let best = replaced
                .min(previous[column + 1] + 1)
                .min(current[column] + 1);
            current.push(best);
        }
        previous = current;
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let keys = ["sources", "exclude", "compile-commands"];
        for (word, expected) in [
            ("source", Some("sources")),
            ("excludes", Some("exclude")),
            ("compile_commands", Some("compile-commands")),
            ("timeout", None),
        ] {
            assert_eq!(nearest(word, &keys), expected, "{word}");
        }
    }
}
