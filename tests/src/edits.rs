//! Random edits of C text, such as somebody makes who types: some make no sense, and some do not parse.

use crate::random::Random;

/// The text with one line of the user's own file changed. Line markers stay, and so does what headers say.
pub fn edited(text: &str, main_file: &str, random: &mut Random) -> String {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let own = own_lines(&lines, main_file);
    edited_lines(text, lines, &own, random)
}

/// The same for a file that is not preprocessed.
pub fn edited_file(text: &str, random: &mut Random) -> String {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let written = |index: &usize| !lines[*index].trim().is_empty();
    let own: Vec<usize> = (0..lines.len()).filter(written).collect();
    edited_lines(text, lines, &own, random)
}

fn edited_lines(text: &str, mut lines: Vec<String>, own: &[usize], random: &mut Random) -> String {
    if own.is_empty() {
        return text.to_owned();
    }
    let at = own[random.below(own.len())];
    let other = lines[own[random.below(own.len())]].clone();
    let is_statement = |line: &str| line.starts_with([' ', '\t']) && line.trim_end().ends_with(';');
    match random.below(9) {
        // What somebody writes most: a statement that is like another one.
        0 | 1 if is_statement(&lines[at]) && is_statement(&other) => lines.insert(at, other),
        2 if is_statement(&lines[at]) => {
            lines.remove(at);
        }
        3 => lines[at] = next_number(&lines[at]),
        4 if is_statement(&lines[at]) && is_statement(&other) => lines[at] = other,
        5 if is_statement(&lines[at]) => lines[at] = format!("if (1 < 2) {{ {} }}", lines[at]),
        // Half of a line that is being typed.
        6 => {
            let length = lines[at].chars().count();
            lines[at] = lines[at].chars().take(random.below(length + 1)).collect();
        }
        7 => lines.insert(at, String::new()),
        _ if at > 0 && lines[at - 1].starts_with('}') => {
            lines.insert(
                at,
                format!(
                    "static int added_{}(void) {{ return 1; }}",
                    random.below(1_000)
                ),
            );
        }
        _ => lines.insert(at, "/* A remark. */".to_owned()),
    }
    lines.join("\n") + "\n"
}

/// The lines that stand in the main file.
fn own_lines(lines: &[String], main_file: &str) -> Vec<usize> {
    let mut is_own = false;
    let mut own = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if line.starts_with("# ") {
            is_own = line.contains(&format!("\"{main_file}\""));
        } else if is_own && !line.trim().is_empty() {
            own.push(index);
        }
    }
    own
}

/// The line with the digit of its first number that is one more.
fn next_number(line: &str) -> String {
    match line.find(|character: char| character.is_ascii_digit()) {
        Some(at) => {
            let digit = line.as_bytes()[at] - b'0';
            format!("{}{}{}", &line[..at], (digit + 1) % 10, &line[at + 1..])
        }
        None => line.to_owned(),
    }
}
