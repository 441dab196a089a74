//! Programs in temporary folders, and runs of the real `racelens` on them.

use crate::temporary_folder::TemporaryFolder;
use std::process::Command;

/// A counter that two threads change without a lock.
pub const RACY: &str = "\
#include <pthread.h>
static int counter;
static void *worker(void *unused)
{
    counter++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    counter++;
    return pthread_join(thread, 0);
}
";

/// What a run gave.
pub struct Run {
    pub status: i32,
    pub output: String,
    pub errors: String,
}

/// The program itself, in this folder.
pub fn racelens(folder: &TemporaryFolder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racelens"));
    command.current_dir(folder.root());
    // What the user keeps is none of a test's business.
    command.env("RACELENS_CACHE_DIR", "");
    command
}

pub fn check(folder: &TemporaryFolder, arguments: &[&str]) -> Run {
    let mut command = racelens(folder);
    command.arg("check").args(arguments);
    finish(command)
}

pub fn finish(mut command: Command) -> Run {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Run {
        // A signal is a crash.
        status: output
            .status
            .code()
            .unwrap_or_else(|| panic!("{}: {errors}", output.status)),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
        errors,
    }
}
