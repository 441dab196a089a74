//! Strings, characters and numbers in the spellings that lang-c accepts.

use super::Normaliser;

impl Normaliser<'_> {
    /// Rewrites escapes that lang-c does not know (`\e`, `\u…`) and non-ASCII bytes in octal.
    pub(super) fn literal(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        let text = token.text(self.source);
        let body = text.strip_prefix("u8'").map(|_| &text[2..]).unwrap_or(text);
        let quote = if body.contains('"') && !body.starts_with('\'') {
            '"'
        } else {
            '\''
        };
        let unterminated = body.len() < 2 || !body.ends_with(quote);
        if body.bytes().all(|byte| byte < 0x80) && !has_odd_escape(body) && !unterminated {
            self.emit_token(at, body);
        } else {
            let rewritten = rewrite(body, quote, unterminated);
            self.emit_token(at, &rewritten);
        }
        self.previous = Some(token);
        at + 1
    }

    pub(super) fn number(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        let text = token.text(self.source);
        let plain: String;
        let text = if text.contains('\'') {
            plain = text.replace('\'', "");
            &plain
        } else {
            text
        };
        self.emit_token(at, known_suffix(text));
        self.previous = Some(token);
        at + 1
    }
}

/// Cuts suffixes that lang-c does not know: `1wb`, `1.0q`, `1.0bf16`.
fn known_suffix(text: &str) -> &str {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let lower = text.to_ascii_lowercase();
    for suffix in ["uwb", "wbu", "wb"] {
        if lower.ends_with(suffix) {
            return &text[..text.len() - suffix.len()];
        }
    }
    let is_float = text.contains('.')
        || (!hexadecimal && lower.contains('e'))
        || (hexadecimal && lower.contains('p'));
    if is_float {
        for suffix in ["bf16", "q", "w", "df", "dd", "dl"] {
            if !hexadecimal && lower.ends_with(suffix) {
                return &text[..text.len() - suffix.len()];
            }
        }
    }
    text
}

fn has_odd_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] == b'\\' {
            if !matches!(
                bytes[at + 1],
                b'\'' | b'"' | b'?' | b'\\' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'0'
                    ..=b'7' | b'x'
            ) {
                return true;
            }
            at += 2;
        } else {
            at += 1;
        }
    }
    false
}

fn rewrite(text: &str, quote: char, unterminated: bool) -> String {
    let mut output = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\' {
            match characters.next() {
                Some('e' | 'E') => output.push_str("\\033"),
                Some(marker @ ('u' | 'U')) => {
                    let digits = if marker == 'u' { 4 } else { 8 };
                    let mut value = 0u32;
                    for _ in 0..digits {
                        let Some(digit) = characters.peek().and_then(|next| next.to_digit(16))
                        else {
                            break;
                        };
                        value = (value << 4) | digit;
                        characters.next();
                    }
                    push_octal(
                        &mut output,
                        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
                    );
                }
                Some(
                    known @ ('\''
                    | '"'
                    | '?'
                    | '\\'
                    | 'a'
                    | 'b'
                    | 'f'
                    | 'n'
                    | 'r'
                    | 't'
                    | 'v'
                    | '0'..='7'
                    | 'x'),
                ) => {
                    output.push('\\');
                    output.push(known);
                }
                // gcc warns and takes the character itself; a line continuation is nothing.
                Some('\n') | None => {}
                Some(other) => push_octal(&mut output, other),
            }
        } else if character.is_ascii() {
            output.push(character);
        } else {
            push_octal(&mut output, character);
        }
    }
    if unterminated {
        output.push(quote);
    }
    output
}

fn push_octal(output: &mut String, character: char) {
    let mut buffer = [0; 4];
    for byte in character.encode_utf8(&mut buffer).bytes() {
        output.push_str(&format!("\\{byte:03o}"));
    }
}
