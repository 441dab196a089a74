//! What a comment says to Racelens.

use super::KEYWORD;

/// A comment that is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// Of the code that it was written for, in lower case.
    pub fingerprint: Option<String>,
    pub reason: String,
}

/// Why a comment is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Another word than `benign`.
    Word(String),
    /// Something between the brackets that is no fingerprint.
    Fingerprint(String),
    /// Nothing behind `--`, or no `--`.
    NoReason { fingerprint: Option<String> },
}

impl Directive {
    /// Reads a comment with its delimiters. `None` if it is not meant for Racelens.
    pub fn read(comment: &str) -> Option<Result<Directive, Mistake>> {
        let text = content(comment);
        let rest = text.strip_prefix(KEYWORD)?.trim_start();
        let length = rest.find(|character: char| !character.is_alphanumeric() && character != '_');
        let (word, rest) = rest.split_at(length.unwrap_or(rest.len()));
        if word != "benign" {
            let word = rest.split_whitespace().next().filter(|_| word.is_empty());
            let word = word.unwrap_or(&text[KEYWORD.len()..]);
            let word = word.split_whitespace().next().unwrap_or_default();
            return Some(Err(Mistake::Word(word.to_owned())));
        }
        Some(read_benign(rest))
    }

    /// The comment in the style of another one.
    pub fn written_as(&self, comment: &str) -> String {
        let fingerprint = self.fingerprint.as_deref();
        written(fingerprint, &self.reason, comment.starts_with("/*"))
    }
}

/// The text of a comment.
pub(super) fn written(fingerprint: Option<&str>, reason: &str, is_block: bool) -> String {
    let brackets = fingerprint.map_or_else(String::new, |digits| format!("({digits})"));
    let text = format!("{KEYWORD} benign{brackets} -- {reason}");
    if is_block {
        format!("/* {text} */")
    } else {
        format!("// {text}")
    }
}

/// What stands behind `benign`.
fn read_benign(rest: &str) -> Result<Directive, Mistake> {
    let mut fingerprint = None;
    let mut rest = rest.trim_start();
    if let Some(inside) = rest.strip_prefix('(') {
        let (digits, behind) = inside.split_once(')').unwrap_or((inside, ""));
        let digits = digits.trim().to_ascii_lowercase();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Mistake::Fingerprint(digits));
        }
        fingerprint = Some(digits);
        rest = behind.trim_start();
    }
    match rest.strip_prefix("--").map(str::trim) {
        Some(reason) if !reason.is_empty() => Ok(Directive {
            fingerprint,
            reason: reason.to_owned(),
        }),
        _ => Err(Mistake::NoReason { fingerprint }),
    }
}

/// The words of a comment in one line, without what decorates it.
fn content(comment: &str) -> String {
    let inside = comment.strip_prefix("//").unwrap_or_else(|| {
        let inside = comment.strip_prefix("/*").unwrap_or(comment);
        inside.strip_suffix("*/").unwrap_or(inside)
    });
    let lines = inside.lines().map(|line| {
        let line = line.trim().trim_end_matches('\\').trim_end();
        line.trim_start_matches(['*', '/', '!', '<']).trim()
    });
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn benign(fingerprint: Option<&str>, reason: &str) -> Option<Result<Directive, Mistake>> {
        Some(Ok(Directive {
            fingerprint: fingerprint.map(str::to_owned),
            reason: reason.to_owned(),
        }))
    }

    #[test]
    fn a_reason_and_perhaps_a_fingerprint_are_read() {
        for (comment, fingerprint, reason) in [
            (
                "// racelens: benign -- statistics only",
                None,
                "statistics only",
            ),
            ("//racelens:benign--x", None, "x"),
            (
                "/* racelens: benign(3F9c) -- a -- b */",
                Some("3f9c"),
                "a -- b",
            ),
            ("///< racelens: benign ( 3f9c ) -- x", Some("3f9c"), "x"),
            ("/* racelens: benign -- two\n * lines */", None, "two lines"),
            (
                "// racelens: benign -- two \\\r\n   lines",
                None,
                "two lines",
            ),
        ] {
            assert_eq!(
                Directive::read(comment),
                benign(fingerprint, reason),
                "{comment}"
            );
        }
    }

    #[test]
    fn mistakes_are_named() {
        let word = |word: &str| Mistake::Word(word.to_owned());
        let no_reason = |digits: Option<&str>| Mistake::NoReason {
            fingerprint: digits.map(str::to_owned),
        };
        for (comment, mistake) in [
            ("// racelens: bening -- x", word("bening")),
            ("// racelens: -- x", word("--")),
            ("// racelens:", word("")),
            ("// racelens: benign", no_reason(None)),
            ("// racelens: benign --", no_reason(None)),
            (
                "// racelens: benign(3f9c) statistics",
                no_reason(Some("3f9c")),
            ),
            (
                "// racelens: benign(xyz) -- x",
                Mistake::Fingerprint("xyz".to_owned()),
            ),
            (
                "// racelens: benign() -- x",
                Mistake::Fingerprint(String::new()),
            ),
        ] {
            assert_eq!(Directive::read(comment), Some(Err(mistake)), "{comment}");
        }
    }

    #[test]
    fn other_comments_are_left_alone() {
        for comment in ["// see racelens: benign -- x", "/* plain */", "//", "/**/"] {
            assert_eq!(Directive::read(comment), None, "{comment}");
        }
    }

    #[test]
    fn a_comment_is_written_in_the_style_that_it_had() {
        let directive = Directive {
            fingerprint: Some("3f9c".to_owned()),
            reason: "x".to_owned(),
        };
        for comment in [
            "// racelens: benign(3f9c) -- x",
            "/* racelens: benign(3f9c) -- x */",
        ] {
            assert_eq!(directive.written_as(comment), comment);
        }
    }
}
