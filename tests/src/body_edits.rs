//! Edits of statements inside of functions, by kind: what somebody who types does to a C file.

use crate::random::Random;

/// What is done to a statement that stands on a line of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BodyEdit {
    /// A remark is written behind it.
    Remark,
    /// The first number in it becomes another one.
    Number,
    /// It is there twice.
    Repetition,
    /// It is gone.
    Removal,
    /// A block with a variable of its own comes before it.
    Variable,
    /// It depends on a condition.
    Condition,
    /// Only a half of it is there, as while it is typed.
    Half,
    /// It takes or releases a lock, and is gone.
    Lock,
}

impl BodyEdit {
    pub const ALL: [BodyEdit; 8] = [
        BodyEdit::Remark,
        BodyEdit::Number,
        BodyEdit::Repetition,
        BodyEdit::Removal,
        BodyEdit::Variable,
        BodyEdit::Condition,
        BodyEdit::Half,
        BodyEdit::Lock,
    ];

    pub fn word(self) -> &'static str {
        match self {
            BodyEdit::Remark => "remark",
            BodyEdit::Number => "number",
            BodyEdit::Repetition => "repetition",
            BodyEdit::Removal => "removal",
            BodyEdit::Variable => "variable",
            BodyEdit::Condition => "condition",
            BodyEdit::Half => "half",
            BodyEdit::Lock => "lock",
        }
    }

    /// The text after such an edit of one of its statements; `None` if there is none for it.
    pub fn apply(self, text: &str, random: &mut Random) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        let fits = |at: &usize| self.changed(lines[*at]).is_some();
        let places: Vec<usize> = statements(&lines).into_iter().filter(fits).collect();
        if places.is_empty() {
            return None;
        }
        let at = places[random.below(places.len())];
        let changed = self.changed(lines[at])?;
        let mut edited = String::with_capacity(text.len() + changed.len());
        for (index, line) in lines.iter().enumerate() {
            edited.push_str(if index == at { &changed } else { line });
            edited.push('\n');
        }
        Some(edited)
    }

    /// What becomes of the line; `None` if the edit is not for it.
    fn changed(self, line: &str) -> Option<String> {
        match self {
            BodyEdit::Remark => Some(format!("{line} /* as it was */")),
            BodyEdit::Number => {
                let at = number(line)?;
                let digit = (line.as_bytes()[at] - b'0' + 1) % 10;
                Some(format!("{}{digit}{}", &line[..at], &line[at + 1..]))
            }
            BodyEdit::Repetition => Some(format!("{line}\n{line}")),
            BodyEdit::Removal => Some(String::new()),
            BodyEdit::Variable => Some(format!("{{ int edited = 1; (void)edited; }}\n{line}")),
            BodyEdit::Condition => Some(format!("if (1 < 2) {{ {line} }}")),
            BodyEdit::Half => {
                let middle = line.char_indices().nth(line.chars().count() / 2)?.0;
                Some(line[..middle].to_owned())
            }
            BodyEdit::Lock => line.contains("lock(").then(String::new),
        }
    }
}

/// Where the first number of a line begins: a digit that is no part of a name.
pub fn number(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let is_word = |at: usize| bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
    (0..bytes.len()).find(|&at| bytes[at].is_ascii_digit() && (at == 0 || !is_word(at - 1)))
}

/// The lines that are one whole statement in the body of a function.
pub fn statements(lines: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_body = false;
    // The line in front that is not empty.
    let mut before = "";
    for (index, line) in lines.iter().enumerate() {
        let line = line.trim_end();
        if line.starts_with('}') {
            is_body = false;
        } else if line == "{" {
            is_body = before.ends_with(')');
        } else if let Some(head) = line.strip_suffix('{')
            && !line.starts_with([' ', '\t'])
        {
            is_body = head.trim_end().ends_with(')');
        } else if is_body
            && line.starts_with([' ', '\t'])
            && line.ends_with(';')
            && before.ends_with([';', '{', '}'])
        {
            found.push(index);
        }
        if !line.is_empty() {
            before = line;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
struct s {
    int member;
};
static int f(int a)
{
    int b = a + 1;
    pthread_mutex_lock(&m);
    if (a)
        b = 2;

    return g(a,
             b);
}
int g(int a, int b) {
    return a * 7 + b;
}
";

    #[test]
    fn only_whole_statements_of_functions_are_edited() {
        let lines: Vec<&str> = TEXT.lines().collect();
        let found = statements(&lines);
        let found: Vec<&str> = found.into_iter().map(|line| lines[line].trim()).collect();
        let expected = [
            "int b = a + 1;",
            "pthread_mutex_lock(&m);",
            "return a * 7 + b;",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn every_kind_of_edit_changes_one_line() {
        for edit in BodyEdit::ALL {
            let edited = edit.apply(TEXT, &mut Random::new(1)).unwrap();
            assert_ne!(edited, TEXT, "{edit:?}");
            let mut rest = edited.lines().filter(|line| TEXT.contains(*line));
            assert_eq!(rest.next(), Some("struct s {"), "{edit:?}");
            let kept = TEXT.lines().filter(|line| edited.contains(line)).count();
            assert!(kept + 1 >= TEXT.lines().count(), "{edit:?}: {edited}");
        }
    }

    #[test]
    fn a_digit_in_a_name_is_no_number() {
        assert_eq!(number("f1(a_2, 0x3) + 4;"), Some(8));
        assert_eq!(number("x1 = y2;"), None);
    }

    #[test]
    fn locks_are_edited_where_there_are_some() {
        let mut random = Random::new(1);
        let edited = BodyEdit::Lock.apply(TEXT, &mut random).unwrap();
        assert!(!edited.contains("pthread_mutex_lock"));
        assert_eq!(BodyEdit::Lock.apply(&edited, &mut random), None);
    }
}
