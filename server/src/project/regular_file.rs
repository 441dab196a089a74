//! Reads files that a workspace names: never a pipe or a device, which may have no end, and never too much.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// A compilation database of a large program has hundreds of megabytes.
pub const MOST_OF_A_DATABASE: u64 = 1 << 30;
/// What people write by hand, or what was written about their findings.
pub const MOST_OF_A_SETTING: u64 = 64 << 20;

/// The whole content, if the file is a regular one and has at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Even opening a device can do something.
    refuse_others(&std::fs::metadata(path)?)?;
    let file = open(path)?;
    // By now another file may have the name.
    let metadata = file.metadata()?;
    refuse_others(&metadata)?;
    refuse_more(metadata.len(), most)?;
    // One more, so that the end is seen without growing.
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    // It may have become longer since.
    file.take(most + 1).read_to_end(&mut bytes)?;
    refuse_more(bytes.len() as u64, most)?;
    Ok(bytes)
}

fn refuse_more(length: u64, most: u64) -> io::Result<()> {
    if length <= most {
        return Ok(());
    }
    let problem = format!("it is larger than {} MiB", most >> 20);
    Err(io::Error::new(ErrorKind::FileTooLarge, problem))
}

/// As `read`, for text that has to be UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not valid UTF-8"))
}

fn refuse_others(metadata: &std::fs::Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::InvalidInput,
        "it is not a regular file",
    ))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe would block until somebody writes to it.
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    OpenOptions::new()
        .read(true)
        .custom_flags(flags as i32)
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_bearable_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read_text(&file, 5).unwrap(), "12345");
        let error = read(&file, 4).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert!(read(folder.path(), 100).is_err());
        std::fs::write(&file, b"\xff").unwrap();
        assert_eq!(
            read_text(&file, 5).unwrap_err().kind(),
            ErrorKind::InvalidData
        );
        #[cfg(unix)]
        for device in ["/dev/zero", "/dev/null"] {
            let error = read(Path::new(device), 100).unwrap_err();
            assert_eq!(error.to_string(), "it is not a regular file");
        }
    }
}
