//! Text of a stranger that a terminal may be shown: what could command it becomes visible instead.

use std::borrow::Cow;

/// Leaves letters, lines and the colours that we write ourselves, and makes everything else visible that a
/// terminal would obey, or that would let text run the other way.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_commanding) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = match colour_length(rest) {
            Some(length) => {
                shown.push_str(&rest[..length]);
                length
            }
            None => {
                shown.push(visible_character(character));
                character.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Cow::Owned(shown)
}

/// The same for what belongs into one line, such as the name of a file.
pub fn visible_in_line(text: &str) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|character| is_commanding(character) || character == '\n' || character == '\t')
    {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|character| match character {
        '\n' => '\u{240a}',
        '\t' => '\u{2409}',
        other => visible_character(other),
    });
    Cow::Owned(shown.collect())
}

fn visible_character(character: char) -> char {
    match character {
        _ if !is_commanding(character) => character,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ => '\u{fffd}',
    }
}

fn is_commanding(character: char) -> bool {
    let turns_direction = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns_direction || (character.is_control() && character != '\n' && character != '\t')
}

/// How long the choice of a colour is that the text begins with: `ESC [ 1 ; 31 m`.
fn colour_length(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\x1b[")?;
    let end = numbers.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    numbers[end..].starts_with('m').then_some(2 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_visible_and_colours_stay() {
        for (given, expected) in [
            ("plain\n\ttext ü", "plain\n\ttext ü"),
            ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"),
            ("\x1b]0;title\x07", "␛]0;title␇"),
            ("\x1b[2Jgone", "␛[2Jgone"),
            ("\x1b[1", "␛[1"),
            ("a\rb\u{8}\u{7f}\u{9b}31m", "a␍b␈␡\u{fffd}31m"),
            ("if (\u{202e}admin\u{2066})", "if (\u{fffd}admin\u{fffd})"),
        ] {
            assert_eq!(visible(given), expected);
        }
        assert_eq!(
            visible_in_line("a\nerror: b\x1b[1m\t.c"),
            "a␊error: b␛[1m␉.c"
        );
        assert_eq!(visible_in_line("a.c"), "a.c");
    }
}
