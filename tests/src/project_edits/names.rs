//! Other names for functions, variables and members, in one file or in all.

use super::functions::random_function;
use super::state::State;
use crate::random::Random;
use std::path::PathBuf;

/// What is given another name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Named {
    Function,
    Variable,
    Member,
}

/// Gives something another name, which now and then is that of something else. With `everywhere` in all files, otherwise in
/// one, so that the others mean something that is not there any more.
pub fn rename(
    state: &mut State,
    named: Named,
    everywhere: bool,
    random: &mut Random,
) -> Option<PathBuf> {
    let (file, function) = random_function(state, random)?;
    let text = state.text(&file);
    let names: Vec<String> = match named {
        Named::Function => vec![function.name],
        Named::Variable => assigned_names(text),
        Named::Member => member_names(text),
    };
    let name = names.get(random.below(names.len().max(1)))?.clone();
    let new = match name.strip_suffix("_renamed") {
        Some(first) => first.to_owned(),
        None if random.one_in(8) => names[random.below(names.len())].clone(),
        None => format!("{name}_renamed"),
    };
    let files: Vec<PathBuf> = match everywhere {
        true => state.c_files().into_iter().cloned().collect(),
        false => vec![file.clone()],
    };
    for file in files {
        let text = state.text(&file);
        let renamed = replaced(text, &name, &new);
        if renamed != text {
            state.set_text(&file, renamed);
        }
    }
    Some(file)
}

pub fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// The identifiers of a text with the bytes where they begin; words in comments and strings are among them.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        let rest = &text[start..];
        let length = rest.find(|character| !is_word(character));
        let word = &rest[..length.unwrap_or(rest.len())];
        at = start + word.len();
        Some((start, word))
    })
    .filter(|(_, word)| !word.starts_with(|first: char| first.is_ascii_digit()))
}

/// The text with another word wherever one stands, but for the names of included files.
pub fn replaced(text: &str, word: &str, new: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut written = 0;
        if !line.trim_start().starts_with("#include") {
            for (at, found) in words(line) {
                if found == word {
                    changed.push_str(&line[written..at]);
                    changed.push_str(new);
                    written = at + word.len();
                }
            }
        }
        changed.push_str(&line[written..]);
    }
    changed
}

/// The words in front of an assignment.
fn assigned_names(text: &str) -> Vec<String> {
    let is_assigned = |(at, word): &(usize, &str)| {
        let rest = text[at + word.len()..].trim_start_matches(' ');
        let rest = rest.trim_start_matches(['+', '-', '|']);
        rest.starts_with('=') && !rest.starts_with("==")
    };
    let found = words(text).filter(is_assigned);
    found.map(|(_, word)| word.to_owned()).collect()
}

/// The words behind an arrow or a point.
fn member_names(text: &str) -> Vec<String> {
    let is_member = |(at, _): &(usize, &str)| {
        let before = &text[..*at];
        before.ends_with("->") || before.ends_with('.')
    };
    let found = words(text).filter(is_member);
    found.map(|(_, word)| word.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_replaced() {
        let text = "#include \"a.h\"\nint a = ba + a->a2; /* a */\n";
        let expected = "#include \"a.h\"\nint b = ba + b->a2; /* b */\n";
        assert_eq!(replaced(text, "a", "b"), expected);
    }

    #[test]
    fn variables_and_members_are_told_apart() {
        let text = "p->hits += 1; total = s.size == 3;";
        assert_eq!(assigned_names(text), ["hits", "total"]);
        assert_eq!(member_names(text), ["hits", "size"]);
    }
}
