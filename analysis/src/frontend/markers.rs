//! Line markers of preprocessed text, and the pieces of text between them.

use memchr::memmem;
use std::sync::LazyLock;
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
    /// The preprocessor went into a file or came back from one just before.
    pub enters: bool,
}

/// Cuts the text at its line markers, and again behind some of the lines that begin with `}`: a
/// file without includes would otherwise be one piece. Which of those lines is decided by the
/// bytes around it alone, so that an edit moves no cut but its own.
pub fn pieces(text: &str, main_file: Ustr) -> Vec<Piece> {
    let origin = LineOrigin {
        file: main_file,
        line: 1,
        system: false,
        enters: false,
    };
    pieces_between(text, 0, text.len(), origin).0
}

/// The same for a range that starts at the start of a line, and where the line behind it comes from.
pub fn pieces_between(
    text: &str,
    from: usize,
    to: usize,
    mut origin: LineOrigin,
) -> (Vec<Piece>, LineOrigin) {
    let text = &text[..to];
    let mut pieces = Vec::new();
    let mut start = from;
    if let Some((marker, end)) = marker_at(text, start, origin.file) {
        origin = marker;
        start = end;
    }
    let searched = start.saturating_sub(1).max(from);
    for newline in memmem::find_iter(&text.as_bytes()[searched..], b"\n#") {
        let newline = searched + newline;
        if newline + 1 < start {
            continue;
        }
        let Some((marker, end)) = marker_at(text, newline + 1, origin.file) else {
            continue;
        };
        cut(text, start, newline + 1, origin, &mut pieces);
        origin = marker;
        start = end;
    }
    let origin = cut(text, start, to, origin, &mut pieces);
    (pieces, origin)
}

/// Cuts a run of lines without markers; returns where the line behind it comes from.
fn cut(
    text: &str,
    mut start: usize,
    end: usize,
    mut origin: LineOrigin,
    pieces: &mut Vec<Piece>,
) -> LineOrigin {
    let bytes = text.as_bytes();
    let mut push = |start: usize, end: usize, origin: LineOrigin| {
        if bytes[start..end]
            .iter()
            .any(|byte| !byte.is_ascii_whitespace())
        {
            pieces.push(Piece { start, end, origin });
        }
    };
    let lines =
        |start: usize, end: usize| memchr::memchr_iter(b'\n', &bytes[start..end]).count() as u32;
    let mut from = if end - start < SHORTEST_CUT {
        end
    } else {
        start
    };
    while let Some(found) = CLOSING_LINE.find(&bytes[from..end]) {
        let behind = from + found + 3;
        from = behind - 1;
        if is_cut(&bytes[behind.saturating_sub(CUT_WINDOW).max(start)..behind]) && behind < end {
            push(start, behind, origin);
            origin.enters = false;
            origin.line += lines(start, behind);
            start = behind;
        }
    }
    push(start, end, origin);
    if start < end {
        origin.enters = false;
    }
    origin.line += lines(start, end);
    origin
}

static CLOSING_LINE: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(b"\n}\n"));

/// Shorter runs of lines are not cut.
const SHORTEST_CUT: usize = 2048;

/// How many bytes in front of a cut decide on it.
const CUT_WINDOW: usize = 48;

/// One candidate in four is taken.
fn is_cut(window: &[u8]) -> bool {
    rapidhash::v3::rapidhash_v3(window) & 3 == 0
}

/// Reads `# 12 "file.c" 1 3` at `at`; returns what it says and where the next line starts. Most
/// markers name the file of the one before, `last`.
fn marker_at(text: &str, at: usize, last: Ustr) -> Option<(LineOrigin, usize)> {
    let bytes = text.as_bytes();
    let rest = &bytes[at..];
    let number_at = if rest.starts_with(b"# ") {
        at + 2
    } else if rest.starts_with(b"#line ") {
        at + 6
    } else {
        return None;
    };
    let mut end = number_at;
    let mut line = 0u32;
    while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
        line = line.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        end += 1;
    }
    if end == number_at || !bytes[end..].starts_with(b" \"") {
        return None;
    }
    let name_at = end + 2;
    let same_file = bytes[name_at..].starts_with(last.as_bytes())
        && bytes.get(name_at + last.len()) == Some(&b'"');
    let (file, behind_name) = if same_file {
        (last, name_at + last.len() + 1)
    } else {
        let line_end =
            memchr::memchr(b'\n', &bytes[name_at..]).map_or(bytes.len(), |found| name_at + found);
        let close = name_at + memchr::memrchr(b'"', &bytes[name_at..line_end])?;
        (file_name(&text[name_at..close]), close + 1)
    };
    let line_end = memchr::memchr(b'\n', &bytes[behind_name..])
        .map_or(bytes.len(), |found| behind_name + found);
    let flags = &bytes[behind_name..line_end];
    let system = flags.contains(&b'3');
    let enters = flags.contains(&b'1') || flags.contains(&b'2');
    Some((
        LineOrigin {
            file,
            line,
            system,
            enters,
        },
        (line_end + 1).min(bytes.len()),
    ))
}

fn file_name(quoted: &str) -> Ustr {
    if quoted.contains('\\') {
        Ustr::from(&quoted.replace("\\\\", "\\").replace("\\\"", "\""))
    } else {
        Ustr::from(quoted)
    }
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
