//! Whole functions of a C file, found by how C is usually laid out, and edits of them.

use super::names::{is_word, replaced, words};
use super::state::State;
use crate::random::Random;
use std::ops::Range;
use std::path::PathBuf;

/// A function as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionText {
    pub name: String,
    /// All of its lines, from its type to its last brace.
    pub lines: Range<usize>,
    /// The line with the brace that begins its body.
    pub brace: usize,
}

/// The functions whose last brace stands in the first column.
pub fn functions(lines: &[&str]) -> Vec<FunctionText> {
    let mut found = Vec::new();
    // Where no function has begun yet.
    let mut from = 0;
    for (end, line) in lines.iter().enumerate() {
        if !line.starts_with('}') {
            continue;
        }
        let begins = |at: &usize| {
            let line = lines[*at].trim_end();
            line == "{" || (line.ends_with(") {") && is_headed(&lines[from..=*at]))
        };
        if line.trim_end() == "}"
            && let Some(brace) = (from..end).find(begins)
        {
            found.extend(function(lines, from, brace, end));
        }
        from = end + 1;
    }
    found
}

/// Whether the last of the lines begins in the first column, or goes on with one that does.
fn is_headed(lines: &[&str]) -> bool {
    let mut lines = lines.iter().rev();
    let is_inner = |line: &str| line.starts_with([' ', '\t']);
    let mut is_last = |line: &&&str| !is_inner(line) || !line.trim_end().ends_with(',');
    match lines.next() {
        Some(last) if is_inner(last) => {
            let head = lines.find(&mut is_last);
            head.is_some_and(|head| !is_inner(head) && head.trim_end().ends_with(','))
        }
        Some(_) => true,
        None => false,
    }
}

fn function(lines: &[&str], from: usize, brace: usize, end: usize) -> Option<FunctionText> {
    let is_head = |line: &str| {
        let line = line.trim_end();
        !line.is_empty()
            && !line.starts_with(['#', '/', ' ', '*'])
            && !line.ends_with([';', '/', '}'])
    };
    let mut first = brace;
    while first > from
        && (is_head(lines[first - 1]) || lines[first - 1].trim_end().ends_with([')', ',']))
    {
        first -= 1;
    }
    let head = lines[first..=brace].join(" ");
    let before = head[..head.find('(')?].trim_end();
    let name = before.rsplit(|character| !is_word(character)).next()?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    (is_name && name != "__attribute__" && before.len() > name.len()).then(|| FunctionText {
        name: name.to_owned(),
        lines: first..end + 1,
        brace,
    })
}

/// What is done to a whole function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FunctionEdit {
    /// A small one is written, which counts something.
    Addition,
    /// It is there again under another name, and calls the first one.
    Copy,
    Deletion,
    /// It stands elsewhere in its file.
    Move,
    /// It stands in another file.
    Emigration,
}

impl FunctionEdit {
    pub fn apply(self, state: &mut State, random: &mut Random) -> Option<PathBuf> {
        let (file, function) = random_function(state, random)?;
        let text = state.text(&file).to_owned();
        let mut lines: Vec<&str> = text.lines().collect();
        let own: Vec<String> = lines[function.lines.clone()]
            .iter()
            .map(|line| line.to_string())
            .collect();
        let number = random.below(1_000);
        match self {
            FunctionEdit::Addition => {
                let calls = match random.one_in(2) {
                    true => format!("(void)&{};", function.name),
                    false => String::new(),
                };
                let added = format!(
                    "static int edited_count_{number};\nint edited_{number}(int by)\n{{\n    edited_count_{number} += by;\n    {calls}\n    return edited_count_{number};\n}}"
                );
                lines.insert(function.lines.end, &added);
                state.set_text(&file, joined(&lines));
            }
            FunctionEdit::Copy => {
                let name = format!("{}_{number}", function.name);
                let copy = replaced(&own.join("\n"), &function.name, &name);
                lines.insert(function.lines.end, &copy);
                state.set_text(&file, joined(&lines));
            }
            FunctionEdit::Deletion => {
                lines.drain(function.lines);
                state.set_text(&file, joined(&lines));
            }
            FunctionEdit::Move => {
                lines.drain(function.lines);
                let others = functions(&lines);
                if others.is_empty() {
                    return None;
                }
                let at = others[random.below(others.len())].lines.end;
                let own = own.join("\n");
                lines.insert(at, &own);
                state.set_text(&file, joined(&lines));
            }
            FunctionEdit::Emigration => {
                let (other, neighbour) = random_function(state, random)?;
                if other == file {
                    return None;
                }
                lines.drain(function.lines);
                let there = state.text(&other).to_owned();
                let mut there: Vec<&str> = there.lines().collect();
                let own = own.join("\n");
                there.insert(neighbour.lines.end, &own);
                let there = joined(&there);
                state.set_text(&file, joined(&lines));
                state.set_text(&other, there);
            }
        }
        Some(file)
    }
}

/// One of the functions of all files, of a file that is chosen first.
pub fn random_function(state: &State, random: &mut Random) -> Option<(PathBuf, FunctionText)> {
    let files = state.sources();
    for _ in 0..20 {
        let file = files.get(random.below(files.len().max(1)))?;
        let lines: Vec<&str> = state.text(file).lines().collect();
        let mut found = functions(&lines);
        if !found.is_empty() {
            return Some((
                (*file).clone(),
                found.swap_remove(random.below(found.len())),
            ));
        }
    }
    None
}

pub fn joined(lines: &[&str]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// The names of functions that a text calls or defines.
pub fn called_names(text: &str) -> Vec<&str> {
    let is_called = |(at, word): &(usize, &str)| text[at + word.len()..].starts_with('(');
    let calls = words(text).filter(is_called);
    calls.map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
struct s {
    int member;
};

static int
f(int a)
{
    return a;
}

void g(int a,
       int b) {
    a = b;
}
/* A remark. */
int table[] = {
    1,
};
#define X 1
int h(void)
{
}
";

    #[test]
    fn functions_are_found_with_all_of_their_lines() {
        let lines: Vec<&str> = TEXT.lines().collect();
        let found: Vec<(String, &str, &str)> = functions(&lines)
            .into_iter()
            .map(|found| {
                let (first, last) = (found.lines.start, found.lines.end - 1);
                (found.name, lines[first], lines[last])
            })
            .collect();
        let expected = [
            ("f".to_owned(), "static int", "}"),
            ("g".to_owned(), "void g(int a,", "}"),
            ("h".to_owned(), "int h(void)", "}"),
        ];
        assert_eq!(found, expected);
    }
}
