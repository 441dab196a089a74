//! Writes identifiers as the user did: GCC's preprocessor turns `größe` into `gr\U000000f6\U000000dfe`.

/// `text` with universal character names outside of literals replaced by the characters they name.
pub fn spelled_out(text: String) -> String {
    if !text.contains("\\U") && !text.contains("\\u") {
        return text;
    }
    let bytes = text.as_bytes();
    let mut output = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            // A line marker has quotes around its file, an apostrophe in a `#pragma` none behind it.
            b'#' if at == 0 || bytes[at - 1] == b'\n' => at = line_end(bytes, at),
            quote @ (b'"' | b'\'') => at = literal_end(bytes, at, quote),
            b'\\' => match universal_name(&text[at..]) {
                Some((character, length)) => {
                    output.push_str(&text[copied..at]);
                    output.push(character);
                    at += length;
                    copied = at;
                }
                None => at += 1,
            },
            _ => at += 1,
        }
    }
    output.push_str(&text[copied..]);
    output
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |newline| at + newline)
}

/// The end of a literal; one that is not closed ends with its line.
fn literal_end(bytes: &[u8], open: usize, quote: u8) -> usize {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The character that `\u1234` or `\U00012345` at the beginning names, and the name's length.
fn universal_name(text: &str) -> Option<(char, usize)> {
    let length = match text.as_bytes().get(1)? {
        b'u' => 6,
        b'U' => 10,
        _ => return None,
    };
    let character = char::from_u32(u32::from_str_radix(text.get(2..length)?, 16).ok()?)?;
    // Below that range there is no letter that C lets one write so.
    (character as u32 >= 0x80).then_some((character, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_get_their_letters_back_and_literals_stay() {
        let text = "# 1 \"a\\U000000f6.c\"\nint gr\\U000000f6\\u00dfe = '\\'' + \"\\u00df\"[0]; \\U0000 \\x\n\"open \\U000000f6\nint \\U00008272;";
        assert_eq!(
            spelled_out(text.to_owned()),
            "# 1 \"a\\U000000f6.c\"\nint größe = '\\'' + \"\\u00df\"[0]; \\U0000 \\x\n\"open \\U000000f6\nint 色;"
        );
        assert_eq!(spelled_out("int a;".to_owned()), "int a;");
    }
}
