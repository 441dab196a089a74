//! Writes a file as a whole or not at all: whoever reads it finds the old content or the new, never a part.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Replaces the content of `path`. If anything goes wrong, the file is as it was.
///
/// Something that is no regular file (`/dev/stdout`, a pipe) has no content that could be lost, and is written to
/// directly. A link stays a link.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = target.metadata().ok();
    if old.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return std::fs::write(&target, content);
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut new = tempfile::Builder::new()
        .prefix(".racelens-")
        .tempfile_in(folder)?;
    new.write_all(content)?;
    match old {
        Some(metadata) => new.as_file().set_permissions(metadata.permissions())?,
        None => set_usual_permissions(new.as_file(), folder)?,
    }
    // The name must not lead to the new file before its content is there, also after a loss of power.
    new.as_file().sync_all()?;
    new.persist(&target).map_err(|error| error.error)?;
    // The name itself. A file system that cannot do this has other ways.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Temporary files are private, results are not: they get what a new file gets.
#[cfg(unix)]
fn set_usual_permissions(file: &File, folder: &Path) -> io::Result<()> {
    // The only portable way to ask for the mask that does not set it.
    let probe = tempfile::Builder::new()
        .prefix(".racelens-")
        .make_in(folder, |path| File::create_new(path))?;
    file.set_permissions(probe.as_file().metadata()?.permissions())
}

#[cfg(not(unix))]
fn set_usual_permissions(_file: &File, _folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("result");
        for content in ["first, and long", "second"] {
            write(&file, content.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("gone/result"), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_and_the_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(mode(&file), 0o640);
        let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
        write(&ours, b"x").unwrap();
        std::fs::write(&usual, b"x").unwrap();
        assert_eq!(mode(&ours), mode(&usual));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_written_to() {
        write(Path::new("/dev/null"), b"x").unwrap();
        let error = write(Path::new("/dev/full"), b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
