//! Nothing in the repository names a folder of the machine on which it was written.

use super::Violation;

/// Written in two parts, so that this file does not report itself.
const FOLDERS: &[&str] = &[
    concat!("/", "work/"),
    concat!("/", "root/"),
    concat!("/", "home/"),
];

pub fn machine_paths(text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in FOLDERS {
            let absolute = |(at, _): (usize, &str)| begins_a_path(&line[..at]);
            if line.match_indices(folder).any(absolute) {
                let message = format!("`{folder}…` is a path of one machine");
                violations.push(Violation::new(index as u32 + 1, message));
            }
        }
    }
    violations
}

/// A folder of that name inside of another path (`src/…`, `./…`, `{x}/…`) is no machine's, but the
/// argument of an option (`-I/…`) is.
fn begins_a_path(before: &str) -> bool {
    let is_part = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '~' | '}' | ')' | '*')
    };
    let outer = &before[before.trim_end_matches(is_part).len()..];
    outer.is_empty() || outer.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<u32> {
        machine_paths(text)
            .iter()
            .map(|violation| violation.line)
            .collect()
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        for folder in FOLDERS {
            assert_eq!(lines(&format!("{folder}project")), [1]);
            assert_eq!(lines(&format!("a\nsee `{folder}project`")), [2]);
            assert_eq!(lines(&format!("\"file://{folder}a.c\"")), [1]);
            assert_eq!(lines(&format!("gcc -I{folder}include")), [1]);
            assert_eq!(lines(&format!("--root={folder}x")), [1]);
        }
    }

    #[test]
    fn a_folder_inside_of_another_path_is_not() {
        for folder in FOLDERS {
            assert!(lines(&format!("src{folder}a.rs")).is_empty());
            assert!(lines(&format!("${{target}}{folder}a.rs")).is_empty());
        }
        assert!(lines("homework/ and /working/").is_empty());
    }
}
