//! What a compiler says on its standard error, as far as we act on it.

/// One line of the form `file:line:column: error: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerMessage<'t> {
    /// The name as the compiler spells it, with line and column where it gave them.
    pub place: Option<(&'t str, u32, u32)>,
    pub is_fatal: bool,
    pub text: &'t str,
}

/// The errors in `output`, in order. Warnings are not asked for, and context lines are skipped.
pub fn errors(output: &str) -> impl Iterator<Item = CompilerMessage<'_>> {
    output.lines().filter_map(|line| {
        let (before, is_fatal, text) = match line.split_once(": fatal error: ") {
            Some((before, text)) => (before, true, text),
            None => {
                let (before, text) = line.split_once(": error: ")?;
                (before, false, text)
            }
        };
        Some(CompilerMessage {
            place: place(before),
            is_fatal,
            text: text.trim(),
        })
    })
}

/// The header that a fatal error says does not exist, in GCC's and in Clang's words.
pub fn missing_header(text: &str) -> Option<&str> {
    text.strip_suffix(": No such file or directory")
        .or_else(|| text.strip_suffix("' file not found")?.strip_prefix('\''))
        .filter(|name| !name.is_empty())
}

/// The flag (or the beginning of it) that this compiler does not know.
pub fn unknown_flag(text: &str) -> Option<&str> {
    for beginning in [
        "unrecognized command-line option ",
        "unrecognized command line option ",
        "unknown argument: ",
        "unknown argument ",
        "unsupported option ",
    ] {
        if let Some(rest) = text.strip_prefix(beginning) {
            return quoted(rest);
        }
    }
    // `bad value 'armv7' for '-march=' switch`, `unrecognized argument to '-fsanitize=' option: 'x'`,
    // `invalid value 'c77' in '-std=c77'`.
    let is_about_a_value = text.starts_with("bad value ")
        || text.starts_with("unrecognized argument ")
        || text.starts_with("invalid value ")
        || text.starts_with("unknown target ");
    if !is_about_a_value {
        return None;
    }
    text.split('\'').find(|word| word.starts_with('-'))
}

fn quoted(text: &str) -> Option<&str> {
    text.split('\'').nth(1).filter(|flag| flag.starts_with('-'))
}

fn place(before: &str) -> Option<(&str, u32, u32)> {
    let (front, last) = before.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match front.rsplit_once(':') {
        Some((name, line)) if line.parse::<u32>().is_ok() => {
            Some((name, line.parse().unwrap_or(1), last))
        }
        _ => Some((front, last, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_with_their_places() {
        let output = "In file included from a.c:1:\n\
                      a.h:3:10: fatal error: x/y.h: No such file or directory\n    3 | #include <x/y.h>\n\
                      a.c:4: error: unterminated #ifdef\n\
                      <command-line>: fatal error: gone.h: No such file or directory\n\
                      compilation terminated.\n";
        let messages: Vec<_> = errors(output).collect();
        assert_eq!(messages.len(), 3);
        assert_eq!(messages[0].place, Some(("a.h", 3, 10)));
        assert_eq!(missing_header(messages[0].text), Some("x/y.h"));
        assert_eq!(messages[1].place, Some(("a.c", 4, 1)));
        assert!(!messages[1].is_fatal);
        assert_eq!(messages[2].place, None);
        assert_eq!(missing_header(messages[2].text), Some("gone.h"));
        assert_eq!(missing_header("'z.h' file not found"), Some("z.h"));
    }

    #[test]
    fn unknown_flags_are_recognised() {
        for (text, expected) in [
            (
                "unrecognized command-line option '--target=x'; did you mean '--target-ar='?",
                Some("--target=x"),
            ),
            ("unknown argument: '-mfoo'", Some("-mfoo")),
            (
                "unsupported option '-mthumb' for target 'x86_64'",
                Some("-mthumb"),
            ),
            ("bad value 'armv7' for '-march=' switch", Some("-march=")),
            (
                "unrecognized argument to '-fsanitize=' option: 'foo'",
                Some("-fsanitize="),
            ),
            ("invalid value 'c77' in '-std=c77'", Some("-std=c77")),
            ("expected identifier", None),
        ] {
            assert_eq!(unknown_flag(text), expected, "{text}");
        }
    }
}
