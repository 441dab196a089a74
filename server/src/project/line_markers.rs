//! The `# 3 "file.h" 1` lines in preprocessed text: reading them, and giving every file its one name.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::foreign;

/// How the names in line markers become paths.
pub struct MarkerNames<'a> {
    /// How the main file calls itself in the marker that was put in front of its text.
    pub main_spelling: &'a str,
    pub main_file: &'a Path,
    /// What other relative names are relative to.
    pub directory: &'a Path,
    /// Where the stubs of missing headers are; their names must not reach anyone.
    pub stubs: Option<&'a Path>,
    /// The project: what lies outside and is no code is not shown.
    pub root: &'a Path,
}

/// Preprocessed text in which every marker names an absolute path, and the headers it names.
pub struct Renamed {
    pub text: String,
    pub headers: BTreeSet<PathBuf>,
    /// Files of which no text came along, because they are no business of the program.
    pub private: BTreeSet<PathBuf>,
}

/// Rewrites the markers of `text`, which came from standard input, so that they are those of the
/// main file at its own path.
pub fn rename(text: &str, names: &MarkerNames<'_>) -> Renamed {
    let mut renamed = Renamed {
        text: String::with_capacity(text.len() + text.len() / 16),
        headers: BTreeSet::new(),
        private: BTreeSet::new(),
    };
    let mut known: HashMap<&str, Name> = HashMap::new();
    // Text between markers is copied in one piece.
    let mut copied = 0;
    // Whether each file that is being read is private. The main file is no member.
    let mut entered: Vec<bool> = Vec::new();
    let mut line_start = 0;
    while line_start < text.len() {
        let line_end = text[line_start..]
            .find('\n')
            .map_or(text.len(), |newline| line_start + newline + 1);
        if let Some(marker) = LineMarker::parse(&text[line_start..line_end]) {
            if entered.last() != Some(&true) {
                renamed.text.push_str(&text[copied..line_start]);
            }
            let name = known
                .entry(marker.raw_name)
                .or_insert_with(|| names.resolve(marker.raw_name));
            name.write(&marker, &mut renamed);
            match marker.flag() {
                Some("1") => entered.push(matches!(name, Name::Private(..))),
                Some("2") => {
                    entered.pop();
                }
                _ => {}
            }
            copied = line_end;
        }
        line_start = line_end;
    }
    if entered.last() != Some(&true) {
        renamed.text.push_str(&text[copied..]);
    }
    renamed
}

impl MarkerNames<'_> {
    /// The path behind a name as it stands in a diagnostic; none for `<command-line>` and the like.
    pub fn path_of(&self, name: &str) -> Option<PathBuf> {
        if name == self.main_spelling || name == STANDARD_INPUT {
            return Some(self.main_file.to_owned());
        }
        if name.is_empty() || (name.starts_with('<') && name.ends_with('>')) {
            return None;
        }
        Some(super::paths::absolute(self.directory, Path::new(name)))
    }

    fn resolve(&self, raw_name: &str) -> Name {
        let name = unescape(raw_name);
        if name == STANDARD_INPUT {
            return Name::StandardInput(escape(&self.main_file.to_string_lossy()));
        }
        match self.path_of(&name) {
            None => Name::Other(raw_name.to_owned()),
            Some(path) if path == self.main_file => Name::Other(escape(&path.to_string_lossy())),
            Some(path) => match self.stubs.and_then(|stubs| path.strip_prefix(stubs).ok()) {
                Some(missing) => {
                    let shown: PathBuf = missing
                        .iter()
                        .skip_while(|part| *part == super::missing_headers::FILLER)
                        .collect();
                    Name::Other(escape(&format!("<missing>/{}", shown.display())))
                }
                None if !foreign::may_be_read(&path, self.root) => {
                    Name::Private(escape(&format!("<private>{}", path.display())), path)
                }
                None => Name::Header(escape(&path.to_string_lossy()), path),
            },
        }
    }
}

const STANDARD_INPUT: &str = "<stdin>";

enum Name {
    /// The start of the text before our own marker takes over.
    StandardInput(String),
    Header(String, PathBuf),
    /// Its text is left out. What `#line` says to come from it gets this name, which no excerpt can read.
    Private(String, PathBuf),
    Other(String),
}

impl Name {
    fn write(&self, marker: &LineMarker<'_>, renamed: &mut Renamed) {
        let escaped = match self {
            // The compiler's own `# 1 "<stdin>"` stands right before the marker of the main file.
            Name::StandardInput(_) if marker.line != "0" => return,
            Name::StandardInput(name) | Name::Other(name) => name,
            Name::Header(name, path) => {
                // `#line` in generated code names files that were not read.
                if marker.enters_file() && !renamed.headers.contains(path) {
                    renamed.headers.insert(path.clone());
                }
                name
            }
            Name::Private(name, path) => {
                renamed.private.insert(path.clone());
                name
            }
        };
        let text = &mut renamed.text;
        text.push_str("# ");
        text.push_str(marker.line);
        text.push_str(" \"");
        text.push_str(escaped);
        text.push('"');
        text.push_str(marker.rest);
    }
}

struct LineMarker<'t> {
    line: &'t str,
    raw_name: &'t str,
    /// The flags and the end of the line.
    rest: &'t str,
}

impl<'t> LineMarker<'t> {
    /// Whether the marker stands at the beginning of an included file.
    fn enters_file(&self) -> bool {
        self.flag() == Some("1")
    }

    /// `1` where a file begins, `2` behind the end of one.
    fn flag(&self) -> Option<&'t str> {
        self.rest.split_ascii_whitespace().next()
    }

    fn parse(line: &'t str) -> Option<LineMarker<'t>> {
        let after_hash = line.strip_prefix("# ")?;
        let (number, after_number) = after_hash.split_once(" \"")?;
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut escaped = false;
        let close = after_number.bytes().position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        })?;
        Some(LineMarker {
            line: number,
            raw_name: &after_number[..close],
            rest: &after_number[close + 1..],
        })
    }
}

/// A name for use between the quotes of a line marker.
pub fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '"' | '\\' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\n' => escaped.push_str("\\012"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// GCC writes every byte that is not printable ASCII as three octal digits.
fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
        } else if let [
            a @ b'0'..=b'3',
            b @ b'0'..=b'7',
            c @ b'0'..=b'7',
            after @ ..,
        ] = rest
        {
            bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
            rest = after;
        } else if let Some((&literal, after)) = rest.split_first() {
            bytes.push(literal);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<'a>() -> MarkerNames<'a> {
        MarkerNames {
            main_spelling: "src/a.c",
            main_file: Path::new("/w/src/a.c"),
            directory: Path::new("/w"),
            stubs: Some(Path::new("/tmp/stubs")),
            root: Path::new("/w"),
        }
    }

    #[test]
    fn markers_name_absolute_files_and_the_rest_stays() {
        let text = "# 0 \"<stdin>\"\n# 0 \"<built-in>\"\n# 1 \"<stdin>\"\n# 1 \"src/a.c\"\n\
                    # 1 \"src/../n.h\" 1\nint n;\n# 2 \"src/a.c\" 2\n# 1 \"/tmp/stubs/-/-/gone.h\" 1\n\
                    # 3 \"src/a.c\" 2\n# 7 \"gram.y\"\nchar *s = \"# 1 \\\"x\\\"\";\n# pragma once";
        let renamed = rename(text, &names());
        assert_eq!(
            renamed.text,
            "# 0 \"/w/src/a.c\"\n# 0 \"<built-in>\"\n# 1 \"/w/src/a.c\"\n\
             # 1 \"/w/n.h\" 1\nint n;\n# 2 \"/w/src/a.c\" 2\n# 1 \"<missing>/gone.h\" 1\n\
             # 3 \"/w/src/a.c\" 2\n# 7 \"/w/gram.y\"\nchar *s = \"# 1 \\\"x\\\"\";\n# pragma once"
        );
        assert_eq!(
            renamed.headers.into_iter().collect::<Vec<_>>(),
            [Path::new("/w/n.h")]
        );
    }

    #[test]
    fn nothing_comes_along_from_a_file_that_is_no_code() {
        let text = "# 1 \"src/a.c\"\nint a;\n# 1 \"/etc/passwd\" 1\nKEY\n# 1 \"src/n.h\" 1\nint n;\n\
                    # 2 \"/etc/passwd\" 2\nKEY\n# 3 \"src/a.c\" 2\nint b;\n# 9 \"/etc/group\"\nint c;";
        let renamed = rename(text, &names());
        assert_eq!(
            renamed.text,
            "# 1 \"/w/src/a.c\"\nint a;\n# 1 \"<private>/etc/passwd\" 1\n# 1 \"/w/src/n.h\" 1\nint n;\n\
             # 2 \"<private>/etc/passwd\" 2\n# 3 \"/w/src/a.c\" 2\nint b;\n# 9 \"<private>/etc/group\"\nint c;"
        );
        assert_eq!(renamed.private.len(), 2);
        assert_eq!(renamed.headers.len(), 1);
    }

    #[test]
    fn escaped_names_are_read_and_written() {
        assert_eq!(unescape(r#"a\303\251\"b\\c"#), "aé\"b\\c");
        assert_eq!(escape("a\"b\\c\nd"), r#"a\"b\\c\012d"#);
        assert_eq!(unescape(&escape("a\"b\\c\nd")), "a\"b\\c\nd");
    }
}
