//! Programs in temporary folders.

use crate::temporary_folder::TemporaryFolder;
use serde_json::json;

/// A counter that two threads change: one with its lock and one without.
pub const RACY: &str = "\
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    counter++;
    pthread_join(thread, 0);
    return counter;
}
";

/// The same, with the lock in both threads.
pub fn fixed() -> String {
    RACY.replace(
        "    counter++;\n    pthread_join",
        "    pthread_mutex_lock(&lock);\n    counter++;\n    pthread_mutex_unlock(&lock);\n    pthread_join",
    )
}

/// With a database that compiles each C file.
pub fn project(files: &[(&str, &str)]) -> TemporaryFolder {
    let folder = TemporaryFolder::new(files);
    let sources = files.iter().filter(|(path, _)| path.ends_with(".c"));
    let commands: Vec<serde_json::Value> = sources
        .map(|(path, _)| {
            json!({ "directory": folder.root(), "file": path, "command": format!("cc -c {path}") })
        })
        .collect();
    let database = serde_json::to_vec(&commands).unwrap();
    folder.write("compile_commands.json", &database);
    folder
}

pub fn demo() -> TemporaryFolder {
    project(&[
        ("cache.c", include_str!("../../../tests/demo/cache.c")),
        ("cache.h", include_str!("../../../tests/demo/cache.h")),
        ("main.c", include_str!("../../../tests/demo/main.c")),
    ])
}
