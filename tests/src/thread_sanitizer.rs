//! Reads the racing pairs out of ThreadSanitizer's report.

use std::collections::BTreeSet;
use std::path::Path;

use crate::fixture::{LinePair, Place};

/// Two accesses that one execution left unordered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RacingPair {
    pub first: Access,
    pub second: Access,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    pub place: Place,
    pub kind: AccessKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl RacingPair {
    pub fn lines(&self) -> LinePair {
        LinePair::new(self.first.place.clone(), self.second.place.clone())
    }
}

/// Every pair in `report` with both ends in files below `folder`; an end is the innermost frame there.
///
/// A race with an end outside the folder, or without a stack, cannot be named by line and is an error.
pub fn racing_pairs(report: &str, folder: &Path) -> Result<BTreeSet<RacingPair>, String> {
    let mut pairs = BTreeSet::new();
    for block in report.split("==================\n") {
        if !block.contains("WARNING: ThreadSanitizer: data race") {
            continue;
        }
        let mut accesses = accesses(block, folder);
        accesses.sort();
        let [first, second] = <[Access; 2]>::try_from(accesses)
            .map_err(|_| format!("a race whose two lines cannot be read:\n{block}"))?;
        pairs.insert(RacingPair { first, second });
    }
    Ok(pairs)
}

/// A block has one header and one stack per access; then follow the place in memory and the threads.
fn accesses(block: &str, folder: &Path) -> Vec<Access> {
    let mut accesses = Vec::new();
    let mut pending: Option<AccessKind> = None;
    for line in block.lines() {
        if let Some(kind) = access_header(line) {
            pending = Some(kind);
        } else if line.trim().is_empty() {
            pending = None;
        } else if let Some(kind) = pending
            && let Some(place) = frame_place(line, folder)
        {
            accesses.push(Access { place, kind });
            pending = None;
        }
    }
    accesses
}

/// `  Previous atomic write of size 4 at 0x… by thread T1:`
fn access_header(line: &str) -> Option<AccessKind> {
    let header = line.strip_prefix("  ")?.to_lowercase();
    let header = header.strip_prefix("previous ").unwrap_or(&header);
    let (access, _) = header.split_once(" of size ")?;
    match access {
        "read" => Some(AccessKind::Read),
        "write" => Some(AccessKind::Write),
        "atomic read" => Some(AccessKind::AtomicRead),
        "atomic write" => Some(AccessKind::AtomicWrite),
        _ => None,
    }
}

/// `    #0 worker /folder/a.c:12 (a.out+0x11c7)`, if the frame lies in the program.
fn frame_place(line: &str, folder: &Path) -> Option<Place> {
    let frame = line.trim_start().strip_prefix('#')?;
    let after_function = frame.split_once(' ')?.1.split_once(' ')?.1;
    let location = match after_function.rsplit_once(" (") {
        Some((location, _)) => location,
        None => after_function,
    };
    let mut parts = location.split(':');
    let path = Path::new(parts.next()?);
    let line = parts.next()?.parse().ok()?;
    let file = path.strip_prefix(folder).ok()?.to_str()?.to_owned();
    Some(Place { file, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
==================
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 4 at 0x5500 by thread T2 (mutexes: write M0):
    #0 add /corpus/family/a.c:12 (a+0x11c7)
    #1 worker /corpus/family/a.c:30 (a+0x12c7)

  Previous atomic read of size 4 at 0x5500 by main thread:
    #0 memcpy ../../libsanitizer/memcpy.inc:827 (libtsan.so.2+0x6)
    #1 main /corpus/family/a.c:44:7 (a+0x13c7)

  Location is global 'x' of size 4 at 0x5500 (a+0x4054)

  Thread T2 (tid=9, running) created by main thread at:
    #0 pthread_create ../../libsanitizer/tsan.cpp:1001 (libtsan.so.2+0x5)
    #1 main /corpus/family/a.c:40 (a+0x124b)

SUMMARY: ThreadSanitizer: data race /corpus/family/a.c:12 in add
==================
ThreadSanitizer: reported 1 warnings
";

    fn access(line: u32, kind: AccessKind) -> Access {
        let file = "a.c".to_owned();
        Access {
            place: Place { file, line },
            kind,
        }
    }

    #[test]
    fn both_ends_are_the_innermost_lines_of_the_program() {
        let pairs = racing_pairs(REPORT, Path::new("/corpus/family")).unwrap();
        let expected = RacingPair {
            first: access(12, AccessKind::Write),
            second: access(44, AccessKind::AtomicRead),
        };
        assert_eq!(pairs, BTreeSet::from([expected]));
    }

    #[test]
    fn a_quiet_run_has_no_pairs() {
        let pairs = racing_pairs("hello\n", Path::new("/corpus/family")).unwrap();
        assert!(pairs.is_empty());
    }

    #[test]
    fn a_race_that_cannot_be_placed_is_an_error_and_not_silence() {
        let error = racing_pairs(REPORT, Path::new("/elsewhere")).unwrap_err();
        assert!(error.contains("cannot be read"), "{error}");
        let torn = REPORT.replace(
            "#1 main /corpus/family/a.c:44:7",
            "[failed to restore the stack]",
        );
        assert!(racing_pairs(&torn, Path::new("/corpus/family")).is_err());
    }

    #[test]
    fn other_findings_are_not_races() {
        let report = REPORT.replace("data race (", "thread leak (");
        assert!(
            racing_pairs(&report, Path::new("/corpus/family"))
                .unwrap()
                .is_empty()
        );
    }
}
