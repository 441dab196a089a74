//! Which lines of a text an edit replaced, and where the others are now.

/// Lines `first..first + removed` of the old text, counted from 1, became `added` lines of the new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LineChange {
    first: u32,
    removed: u32,
    added: u32,
}

impl LineChange {
    /// `None` if the texts are the same.
    pub fn between(old: &str, new: &str) -> Option<LineChange> {
        if old == new {
            return None;
        }
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let shorter = old.len().min(new.len());
        let same = |(left, right): &(&u8, &u8)| left == right;
        let prefix = old.iter().zip(new).take_while(same).count();
        // What is in the prefix is not counted again.
        let rest = old.iter().rev().zip(new.iter().rev());
        let suffix = rest.take(shorter - prefix).take_while(same).count();
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count() as u32;
        let changed = |text: &[u8]| lines(&text[prefix..text.len() - suffix]) + 1;
        Some(LineChange {
            first: lines(&old[..prefix]) + 1,
            removed: changed(old),
            added: changed(new),
        })
    }

    /// Where a line of the old text is now, if it is not among those replaced.
    pub fn line_now(&self, line: u32) -> Option<u32> {
        if line < self.first {
            Some(line)
        } else if line >= self.first + self.removed {
            Some(line - self.removed + self.added)
        } else {
            None
        }
    }

    /// Whether it touches these lines of the old text, or those next to them.
    pub fn touches(&self, first: u32, last: u32) -> bool {
        self.first <= last + 1 && first <= self.first + self.removed
    }
}

#[cfg(test)]
mod tests {
    use super::LineChange;

    /// All texts of up to `most` characters that are letters or ends of lines.
    fn texts(most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let end = all.len();
            for index in from..end {
                for character in ["a", "b", "\n"] {
                    all.push(format!("{}{character}", all[index]));
                }
            }
            from = end;
        }
        all
    }

    #[test]
    fn lines_that_are_not_replaced_are_found_again_in_every_pair_of_texts() {
        for old in texts(4) {
            for new in texts(4) {
                let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
                let (old_lines, new_lines) = (lines(&old), lines(&new));
                let Some(change) = LineChange::between(&old, &new) else {
                    assert_eq!(old, new);
                    continue;
                };
                let mut replaced = 0;
                for (index, text) in old_lines.iter().enumerate() {
                    match change.line_now(index as u32 + 1) {
                        Some(line) => assert_eq!(new_lines[line as usize - 1], *text),
                        None => replaced += 1,
                    }
                }
                assert_eq!(replaced, change.removed);
                let kept = old_lines.len() as u32 - change.removed;
                assert_eq!(kept + change.added, new_lines.len() as u32);
            }
        }
    }

    #[test]
    fn a_change_touches_its_neighbours() {
        let change = LineChange::between("1\n2\n3\n4\n5", "1\n2\nx\n4\n5").unwrap();
        assert!(change.touches(1, 2) && change.touches(4, 9) && change.touches(1, 9));
        assert!(!change.touches(1, 1) && !change.touches(5, 5));
    }
}
