//! One entry as it lies on disk. Whatever was not written by this very build, as a whole, for this key, is none.

use super::content_hash::ContentHash;

/// ```text
///  8 bytes  magic
///  4        version of this format
/// 16        the build that wrote it
/// 32        the key
///  8        length of what follows the header
/// 32        hash of the fields above and of what follows
///           the content, compressed
/// ```
const MAGIC: &[u8; 8] = b"racelens";
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 100;
/// What the hash is about stands before it.
const HASHED_BYTES: usize = 68;

/// What this program is built from.
pub const BUILD: &str = env!("RACELENS_BUILD");

/// The bytes of the file.
pub fn written(key: &ContentHash, content: &[u8]) -> Vec<u8> {
    let compressed = lz4_flex::compress_prepend_size(content);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + compressed.len());
    bytes.extend(head(key, compressed.len() as u64));
    let hash = checksum(&bytes, &compressed);
    bytes.extend(hash.bytes());
    bytes.extend(compressed);
    bytes
}

/// The content, if these are the bytes of a whole entry for this key.
pub fn read(key: &ContentHash, bytes: &[u8]) -> Option<Vec<u8>> {
    let (header, compressed) = bytes.split_at_checked(HEADER_BYTES)?;
    let (head_read, hash) = header.split_at(HASHED_BYTES);
    let is_whole = head_read == head(key, compressed.len() as u64)
        && hash == checksum(head_read, compressed).bytes();
    // The length in front of the compressed content can be believed now.
    is_whole.then(|| lz4_flex::decompress_size_prepended(compressed).ok())?
}

fn head(key: &ContentHash, length: u64) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEADER_BYTES);
    head.extend(MAGIC);
    head.extend(FORMAT.to_le_bytes());
    head.extend(&ContentHash::of(BUILD.as_bytes()).bytes()[..16]);
    head.extend(key.bytes());
    head.extend(length.to_le_bytes());
    head
}

fn checksum(head: &[u8], compressed: &[u8]) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(head);
    hasher.update(compressed);
    ContentHash::from(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_a_missing_byte_and_another_key_are_noticed() {
        let key = ContentHash::of(b"key");
        let content = b"some content, some content, some content";
        let bytes = written(&key, content);
        assert_eq!(read(&key, &bytes).as_deref(), Some(&content[..]));
        for index in 0..bytes.len() {
            for bit in 0..8 {
                let mut wrong = bytes.clone();
                wrong[index] ^= 1 << bit;
                assert_eq!(read(&key, &wrong), None, "bit {bit} of byte {index}");
            }
            assert_eq!(read(&key, &bytes[..index]), None, "{index} bytes");
        }
        assert_eq!(read(&ContentHash::of(b"other"), &bytes), None);
        assert_eq!(read(&key, &[&bytes[..], b"x"].concat()), None);
    }

    #[test]
    fn another_format_is_no_entry_even_if_it_is_whole() {
        let key = ContentHash::of(b"key");
        let mut bytes = written(&key, b"content");
        bytes[8] += 1;
        let hash = checksum(&bytes[..HASHED_BYTES], &bytes[HEADER_BYTES..]);
        bytes[HASHED_BYTES..HEADER_BYTES].copy_from_slice(hash.bytes());
        assert_eq!(read(&key, &bytes), None);
    }
}
