//! Files by URI and by path. Clients escape characters as they like, so that only paths are compared.

use std::path::{Path, PathBuf};
use tower_lsp::ls_types::Uri;

/// Absolute and without `.` and `..`. `None` if the URI names no file.
pub fn to_path(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    let path = uri.to_file_path()?;
    path.is_absolute()
        .then(|| crate::project::normalised(&path))
}

pub fn from_path(path: &Path) -> Option<Uri> {
    Uri::from_file_path(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_file_are_the_same_path() {
        let path = |text: &str| to_path(&text.parse().unwrap());
        let expected = Some(PathBuf::from("/w/c++/a b.c"));
        assert_eq!(path("file:///w/c++/a%20b.c"), expected);
        assert_eq!(path("file:///w/c%2B%2b/./x/../a%20b.c"), expected);
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("git:/w/a.c?ref"), None);
    }

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for path in ["/w/a.c", "/w/ü #?%/a+b.c"] {
            let uri = from_path(Path::new(path)).unwrap();
            assert_eq!(to_path(&uri).as_deref(), Some(Path::new(path)));
        }
    }
}
