//! Options about what is kept on disk for the next start.

use super::terminal::complain;
use crate::store::{Store, StoreOptions};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args, Clone, Debug, Default)]
pub(super) struct CacheOptions {
    /// Keep results for the next start in this directory [default: racelens below $XDG_CACHE_HOME or ~/.cache]
    #[arg(long, value_name = "DIRECTORY")]
    cache_dir: Option<PathBuf>,
    /// Let that directory have at most so many megabytes
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    cache_size: u32,
    /// Neither use nor keep results of earlier runs
    #[arg(long, conflicts_with = "cache_dir")]
    no_cache: bool,
}

impl CacheOptions {
    pub fn store_options(&self) -> StoreOptions {
        StoreOptions {
            is_wanted: !self.no_cache,
            directory: self.cache_dir.clone(),
            limit_bytes: u64::from(self.cache_size) << 20,
        }
    }

    /// The store, if there is to be one and it can be used. What is wrong with it is said.
    pub fn open(&self) -> Option<Arc<Store>> {
        match self.store_options().open() {
            Ok(store) => store.map(Arc::new),
            Err(problem) => {
                complain(&format!("warning: {problem}{HELP}"));
                None
            }
        }
    }
}

/// Says why nothing could be kept, if that was so.
pub(super) fn complain_about(store: &Store) {
    if let Some(problem) = store.problem() {
        complain(&format!(
            "warning: the cache in {} cannot be written, so that less is kept for the next start: {problem}{HELP}",
            store.directory().display()
        ));
    }
}

const HELP: &str = "\n  help: name another directory with --cache-dir, or pass --no-cache";
