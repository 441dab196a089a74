//! Edits of headers, which all units that include them see.

use super::functions::joined;
use super::state::State;
use crate::body_edits::number;
use crate::random::Random;
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HeaderEdit {
    /// Something is declared that nothing uses, or defined that every unit gets.
    Declaration,
    /// A struct has one member more.
    Member,
    /// A number is another one: of a macro, an enumerator, the length of an array.
    Number,
    /// A line is gone.
    LineGone,
    /// Only a half of a line is there.
    Half,
    /// An empty line moves everything below it.
    EmptyLine,
    /// The file itself is gone.
    Gone,
}

impl HeaderEdit {
    pub fn apply(self, state: &mut State, random: &mut Random) -> Option<PathBuf> {
        let headers = state.headers();
        // A struct or a macro of a source is as good where there are no headers.
        let files = match headers.is_empty() || random.one_in(6) {
            true => state.sources(),
            false => headers,
        };
        let file = (*files.get(random.below(files.len().max(1)))?).clone();
        let text = state.text(&file).to_owned();
        let mut lines: Vec<&str> = text.lines().collect();
        let at = random.below(lines.len().max(1));
        let count = random.below(1_000);
        let written: String;
        match self {
            HeaderEdit::Declaration => {
                written = declaration(count, random);
                let end = lines.iter().rposition(|line| line.starts_with("#endif"));
                lines.insert(end.unwrap_or(lines.len()), &written);
            }
            HeaderEdit::Member => {
                let begins = |line: &str| {
                    line.contains("struct") && line.trim_end().ends_with('{') && !line.contains('(')
                };
                let places: Vec<usize> = (0..lines.len()).filter(|at| begins(lines[*at])).collect();
                let at = *places.get(random.below(places.len().max(1)))?;
                written = format!("    int edited_{count};");
                lines.insert(at + 1, &written);
            }
            HeaderEdit::Number => {
                let is_counted = |at: &usize| {
                    let line = lines[*at];
                    number(line).is_some() && !line.trim_start().starts_with(['*', '/'])
                };
                let places: Vec<usize> = (0..lines.len()).filter(is_counted).collect();
                let line = *places.get(random.below(places.len().max(1)))?;
                let at = number(lines[line])?;
                let digit = (lines[line].as_bytes()[at] - b'0' + 1) % 10;
                written = format!("{}{digit}{}", &lines[line][..at], &lines[line][at + 1..]);
                lines[line] = &written;
            }
            HeaderEdit::LineGone => {
                lines.get(at)?;
                lines.remove(at);
            }
            HeaderEdit::Half => {
                let line = lines.get(at)?;
                let middle = line.char_indices().nth(line.chars().count() / 2)?.0;
                lines[at] = &line[..middle];
            }
            HeaderEdit::EmptyLine => lines.insert(at, ""),
            HeaderEdit::Gone => {
                if file.extension().is_none_or(|extension| extension != "h") {
                    return None;
                }
                state.remove(&file);
                return Some(file);
            }
        }
        state.set_text(&file, joined(&lines));
        Some(file)
    }
}

fn declaration(count: usize, random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("extern int edited_{count};"),
        1 => format!("#define EDITED_{count} {count}"),
        2 => format!("static inline int edited_{count}(void) {{ return {count}; }}"),
        3 => format!("struct edited_{count} {{ int low, high; }};"),
        4 => format!("enum {{ EDITED_{count} = {count} }};"),
        _ => format!(
            "static int edited_total_{count};\nstatic inline void edited_{count}(void)\n{{\n    edited_total_{count}++;\n}}"
        ),
    }
}
