//! Classes of memory are named by numbers that mean nothing and are others for who begins anew.

use std::collections::HashMap;

const CLASS: &str = "Class(";
const HASH: &str = "hash: ";

/// The text with classes numbered in the order in which it names them, and without hashes, which are made of the numbers and
/// of what the text says besides.
pub fn renumbered(text: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    // Line by line, since the next of both words is looked for each time.
    for mut rest in text.split_inclusive('\n') {
        while let Some((at, word)) = next(rest) {
            let (before, behind) = rest.split_at(at + word.len());
            let end = behind.find(|character: char| !character.is_ascii_digit());
            let (number, behind) = behind.split_at(end.unwrap_or(behind.len()));
            changed.push_str(before);
            if word == CLASS {
                let new = numbers.len();
                changed.push_str(&numbers.entry(number).or_insert(new).to_string());
            }
            rest = behind;
        }
        changed.push_str(rest);
    }
    changed
}

fn next(text: &str) -> Option<(usize, &'static str)> {
    let found = [CLASS, HASH].map(|word| Some((text.find(word)?, word)));
    found.into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_classes_are_called_makes_no_difference() {
        let one = "Ticket(Class(42)), hash: 7; Class(5), Class(42) 42";
        let other = "Ticket(Class(5)), hash: 99; Class(42), Class(5) 42";
        assert_eq!(renumbered(one), renumbered(other));
        assert_ne!(
            renumbered("Class(1) Class(1)"),
            renumbered("Class(1) Class(2)")
        );
    }
}
