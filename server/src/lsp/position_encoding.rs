//! The unit in which a client counts characters of a line.

use tower_lsp::ls_types::PositionEncodingKind;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    Utf8,
    /// What the protocol prescribes if nothing is agreed upon.
    #[default]
    Utf16,
    Utf32,
}

impl PositionEncoding {
    /// The first that the client offers and we know, which is every one.
    pub fn negotiated(offered: Option<&[PositionEncodingKind]>) -> PositionEncoding {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(PositionEncoding::Utf8),
            "utf-16" => Some(PositionEncoding::Utf16),
            "utf-32" => Some(PositionEncoding::Utf32),
            _ => None,
        };
        let offered = offered.unwrap_or_default().iter();
        offered.filter_map(known).next().unwrap_or_default()
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
            PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The byte of a line at which a position lies. Behind the end is the end; inside of a character is its beginning.
    pub fn byte(self, line: &str, units: u32) -> usize {
        let mut passed = 0;
        for (byte, character) in line.char_indices() {
            passed += self.length(character);
            if passed > units {
                return byte;
            }
        }
        line.len()
    }

    /// How many units a text has.
    pub fn units(self, text: &str) -> u32 {
        match self {
            PositionEncoding::Utf8 => text.len() as u32,
            _ => text.chars().map(|character| self.length(character)).sum(),
        }
    }

    fn length(self, character: char) -> u32 {
        match self {
            PositionEncoding::Utf8 => character.len_utf8() as u32,
            PositionEncoding::Utf16 => character.len_utf16() as u32,
            PositionEncoding::Utf32 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_encoding_counts_in_its_own_units() {
        let line = "aü€😀b";
        for (encoding, at) in [
            (PositionEncoding::Utf8, [0, 1, 3, 6, 10, 11]),
            (PositionEncoding::Utf16, [0, 1, 2, 3, 5, 6]),
            (PositionEncoding::Utf32, [0, 1, 2, 3, 4, 5]),
        ] {
            for (units, byte) in at.into_iter().zip([0, 1, 3, 6, 10, 11]) {
                assert_eq!(encoding.byte(line, units), byte, "{encoding:?} {units}");
                assert_eq!(encoding.units(&line[..byte]), units, "{encoding:?} {byte}");
            }
            assert_eq!(encoding.byte(line, 99), line.len());
        }
        // The second half of a surrogate pair.
        assert_eq!(PositionEncoding::Utf16.byte(line, 4), 6);
    }

    #[test]
    fn the_first_known_offer_is_taken() {
        let offer = |kinds: &[&'static str]| {
            let kinds: Vec<PositionEncodingKind> = kinds
                .iter()
                .map(|kind| PositionEncodingKind::new(kind))
                .collect();
            PositionEncoding::negotiated(Some(&kinds))
        };
        assert_eq!(
            offer(&["utf-7", "utf-32", "utf-8"]),
            PositionEncoding::Utf32
        );
        assert_eq!(offer(&[]), PositionEncoding::Utf16);
        assert_eq!(PositionEncoding::negotiated(None), PositionEncoding::Utf16);
    }
}
