//! Patterns for paths: `src/**/*.c`, `tests`, `gen_?.c`.

use std::path::Path;

/// A pattern over paths relative to the project's root. `*` and `?` stay within one component, `**`
/// spans any number of them, `[ab]` and `[a-z]` are sets. A pattern that names a directory stands
/// for everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    components: Vec<Vec<char>>,
}

impl Glob {
    pub fn new(pattern: &str) -> Glob {
        let components = pattern
            .split('/')
            .filter(|component| !component.is_empty() && *component != ".")
            .map(|component| component.chars().collect())
            .collect();
        Glob { components }
    }

    /// Whether the pattern covers `path` or a directory above it.
    pub fn covers(&self, path: &Path) -> bool {
        let components: Vec<Vec<char>> = path
            .components()
            .map(|component| component.as_os_str().to_string_lossy().chars().collect())
            .collect();
        covers(&self.components, &components)
    }
}

/// Component by component, as `matches` does it by character: on a mismatch only the last `**` has to span one more. A
/// stranger chooses both the pattern and how deep the folders are, so that trying every way for each `**` could take for ever.
fn covers(pattern: &[Vec<char>], path: &[Vec<char>]) -> bool {
    let (mut at_pattern, mut at_path) = (0, 0);
    let mut last_depth: Option<(usize, usize)> = None;
    loop {
        let Some(wanted) = pattern.get(at_pattern) else {
            return true;
        };
        if is_any_depth(wanted) {
            last_depth = Some((at_pattern, at_path));
            at_pattern += 1;
            continue;
        }
        let Some(component) = path.get(at_path) else {
            return false;
        };
        if matches(wanted, component) {
            at_pattern += 1;
            at_path += 1;
        } else if let Some((depth, spanned)) = last_depth {
            last_depth = Some((depth, spanned + 1));
            at_pattern = depth + 1;
            at_path = spanned + 1;
        } else {
            return false;
        }
    }
}

fn is_any_depth(component: &[char]) -> bool {
    component == ['*', '*']
}

/// Matches within one component: on a mismatch only the last `*` has to be tried longer.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut at_pattern, mut at_text) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    loop {
        if pattern.get(at_pattern) == Some(&'*') {
            last_star = Some((at_pattern, at_text));
            at_pattern += 1;
            continue;
        }
        let Some(&character) = text.get(at_text) else {
            return at_pattern == pattern.len();
        };
        if let Some(width) = match_one(&pattern[at_pattern..], character) {
            at_pattern += width;
            at_text += 1;
        } else if let Some((star, covered)) = last_star {
            last_star = Some((star, covered + 1));
            at_pattern = star + 1;
            at_text = covered + 1;
        } else {
            return false;
        }
    }
}

/// How many pattern characters match `character` at the pattern's start.
fn match_one(pattern: &[char], character: char) -> Option<usize> {
    match pattern.first()? {
        '?' => Some(1),
        '[' => match_set(pattern, character),
        literal => (*literal == character).then_some(1),
    }
}

fn match_set(pattern: &[char], character: char) -> Option<usize> {
    let Some(close) = pattern.iter().skip(2).position(|&c| c == ']') else {
        // An unclosed bracket stands for itself.
        return (character == '[').then_some(1);
    };
    let close = close + 2;
    let negated = pattern[1] == '!' && close > 2;
    let mut members = &pattern[1 + usize::from(negated)..close];
    let mut found = false;
    while let Some((&first, rest)) = members.split_first() {
        if let ['-', last, ..] = rest {
            found |= (first..=*last).contains(&character);
            members = &rest[2..];
        } else {
            found |= first == character;
            members = rest;
        }
    }
    (found != negated).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_what_they_say() {
        for (pattern, path, expected) in [
            ("src", "src/a.c", true),
            ("src/", "src/deep/a.c", true),
            ("src", "source/a.c", false),
            ("src/*.c", "src/a.c", true),
            ("src/*.c", "src/deep/a.c", false),
            ("src/**/*.c", "src/a.c", true),
            ("src/**/*.c", "src/x/y/a.c", true),
            ("**/tests", "a/b/tests/t.c", true),
            ("**", "a.c", true),
            ("gen_?.c", "gen_1.c", true),
            ("gen_?.c", "gen_12.c", false),
            ("[a-c]x.c", "bx.c", true),
            ("[!a-c]x.c", "bx.c", false),
            ("*a*b*.c", "xxaxxbxx.c", true),
            ("*a*b*.c", "xxbxxaxx.c", false),
            ("a[.c", "a[.c", true),
            ("./a.c", "a.c", true),
        ] {
            assert_eq!(
                Glob::new(pattern).covers(Path::new(path)),
                expected,
                "{pattern} {path}"
            );
        }
    }

    /// Tries every way for each `**`.
    fn naive(pattern: &[Vec<char>], path: &[Vec<char>]) -> bool {
        let Some((first, rest)) = pattern.split_first() else {
            return true;
        };
        if is_any_depth(first) {
            return (0..=path.len()).any(|skipped| naive(rest, &path[skipped..]));
        }
        match path.split_first() {
            Some((component, below)) => matches(first, component) && naive(rest, below),
            None => false,
        }
    }

    /// All paths of up to so many of these components.
    fn paths_of(words: &[&str], longest: usize) -> Vec<Vec<Vec<char>>> {
        let mut all = vec![Vec::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            let longer = last.iter().flat_map(|path: &Vec<Vec<char>>| {
                words.iter().map(|word| {
                    let mut path = path.clone();
                    path.push(word.chars().collect());
                    path
                })
            });
            last = longer.collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn the_last_depth_alone_need_be_tried_longer() {
        let paths = paths_of(&["a", "b"], 5);
        for pattern in paths_of(&["a", "b", "*", "**"], 5) {
            for path in &paths {
                assert_eq!(
                    covers(&pattern, path),
                    naive(&pattern, path),
                    "{pattern:?} {path:?}"
                );
            }
        }
    }

    #[test]
    fn many_depths_take_no_longer() {
        let pattern = format!("{}x", "**/*/".repeat(60));
        let path = "a/".repeat(200);
        assert!(!Glob::new(&pattern).covers(Path::new(&path)));
    }
}
