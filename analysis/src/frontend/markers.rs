//! Line markers of preprocessed text, and the pieces of text between them.

use memchr::memmem;
use ustr::Ustr;

/// A run of lines that come from consecutive lines of one file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Byte range in the preprocessed text, without the marker in front.
    pub start: usize,
    pub end: usize,
    pub origin: LineOrigin,
}

/// Where a line of preprocessed text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineOrigin {
    pub file: Ustr,
    /// Counted from 1.
    pub line: u32,
    /// The compiler marks what it found in its own directories.
    pub system: bool,
}

/// Cuts the text at its line markers, and again behind some of the lines that begin with `}`: a
/// file without includes would otherwise be one piece. Which of those lines is decided by the
/// bytes around it alone, so that an edit moves no cut but its own.
pub fn pieces(text: &str, main_file: Ustr) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut origin = LineOrigin {
        file: main_file,
        line: 1,
        system: false,
    };
    let mut start = 0;
    if let Some((marker, end)) = marker_at(text, 0) {
        origin = marker;
        start = end;
    }
    for newline in memmem::find_iter(bytes, b"\n#") {
        if newline + 1 < start {
            continue;
        }
        let Some((marker, end)) = marker_at(text, newline + 1) else {
            continue;
        };
        cut(text, start, newline + 1, origin, &mut pieces);
        origin = marker;
        start = end;
    }
    cut(text, start, text.len(), origin, &mut pieces);
    pieces
}

fn cut(text: &str, mut start: usize, end: usize, mut origin: LineOrigin, pieces: &mut Vec<Piece>) {
    let bytes = text.as_bytes();
    let mut push = |start: usize, end: usize, origin: LineOrigin| {
        if bytes[start..end]
            .iter()
            .any(|byte| !byte.is_ascii_whitespace())
        {
            pieces.push(Piece { start, end, origin });
        }
    };
    let mut from = start;
    while let Some(found) = memmem::find(&bytes[from..end], b"\n}\n") {
        let behind = from + found + 3;
        from = behind - 1;
        if is_cut(&bytes[behind.saturating_sub(CUT_WINDOW).max(start)..behind]) && behind < end {
            push(start, behind, origin);
            origin.line += memchr::memchr_iter(b'\n', &bytes[start..behind]).count() as u32;
            start = behind;
        }
    }
    push(start, end, origin);
}

/// How many bytes in front of a cut decide on it.
const CUT_WINDOW: usize = 48;

/// One candidate in four is taken.
fn is_cut(window: &[u8]) -> bool {
    rapidhash::v3::rapidhash_v3(window) & 3 == 0
}

/// Reads `# 12 "file.c" 1 3` at `at`; returns what it says and where the next line starts.
pub fn marker_at(text: &str, at: usize) -> Option<(LineOrigin, usize)> {
    let rest = text[at..]
        .strip_prefix("# ")
        .or_else(|| text[at..].strip_prefix("#line "))?;
    let line_end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
    let marker = &rest[..line_end];
    let next = text.len() - rest.len() + (line_end + 1).min(rest.len());
    let (number, name) = marker.split_once(' ')?;
    let line = number.parse().ok()?;
    let name = name.strip_prefix('"')?;
    let close = name.rfind('"')?;
    let system = name[close + 1..].split(' ').any(|flag| flag.trim() == "3");
    Some((
        LineOrigin {
            file: file_name(&name[..close]),
            line,
            system,
        },
        next,
    ))
}

/// Whether a marker's line says that a file begins there or is gone back to, and not just a line.
pub fn is_change_of_file(marker: &str) -> bool {
    marker.rsplit_once('"').is_some_and(|(_, flags)| {
        flags
            .split_ascii_whitespace()
            .any(|flag| matches!(flag, "1" | "2"))
    })
}

fn file_name(quoted: &str) -> Ustr {
    if quoted.contains('\\') {
        Ustr::from(&quoted.replace("\\\\", "\\").replace("\\\"", "\""))
    } else {
        Ustr::from(quoted)
    }
}

/// Where the byte at `offset` of `text` comes from, if the text starts at `origin`. Markers inside
/// the text are followed.
pub fn origin_of(text: &str, mut origin: LineOrigin, offset: usize) -> LineOrigin {
    let mut at = 0;
    while at <= offset {
        if let Some((marker, next)) = marker_at(text, at) {
            origin = marker;
            at = next;
            if next >= text.len() {
                break;
            }
            continue;
        }
        match memchr::memchr(b'\n', &text.as_bytes()[at..]) {
            Some(found) if at + found < offset => {
                at += found + 1;
                origin.line += 1;
            }
            _ => break,
        }
    }
    origin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_give_file_line_and_system_flag() {
        let text = "# 1 \"a.c\"\n# 1 \"<built-in>\" 1\n# 1 \"/usr/include/x.h\" 1 3 4\nint x;\n# 2 \"a.c\" 2\n\nint y;\n";
        let pieces = pieces(text, Ustr::from("main.c"));
        let shown: Vec<_> = pieces
            .iter()
            .map(|piece| {
                (
                    &text[piece.start..piece.end],
                    piece.origin.file.as_str(),
                    piece.origin.line,
                    piece.origin.system,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("int x;\n", "/usr/include/x.h", 1, true),
                ("\nint y;\n", "a.c", 2, false)
            ]
        );
        assert_eq!(
            origin_of(&text[pieces[1].start..], pieces[1].origin, 1).line,
            3
        );
    }

    #[test]
    fn an_edit_moves_no_other_cut() {
        let functions: Vec<String> = (0..200)
            .map(|i| format!("int f{i}(void)\n{{\n  return {i};\n}}\n"))
            .collect();
        let before = functions.concat();
        let mut edited = functions.clone();
        edited[100] = "int f100(void)\n{\n  int longer = 100;\n  return longer;\n}\n".into();
        let after = edited.concat();
        let texts = |text: &str| -> Vec<String> {
            pieces(text, Ustr::from("a.c"))
                .iter()
                .map(|piece| text[piece.start..piece.end].to_owned())
                .collect()
        };
        let (before, after) = (texts(&before), texts(&after));
        let changed = after.iter().filter(|piece| !before.contains(piece)).count();
        assert!(
            before.len() > 20 && changed <= 2,
            "{} pieces, {changed} changed",
            before.len()
        );
    }
}
