//! `racelens cache`: where results are kept for the next start, and how to be rid of them.

use super::cache_options::CacheOptions;
use super::terminal::{complain, print};
use super::{FAILURE, SUCCESS};
use crate::store::Usage;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(super) struct CacheArguments {
    #[command(flatten)]
    cache: CacheOptions,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Clone, Copy, Subcommand)]
enum Action {
    /// Say where the results lie and how much room they take, which is the default
    Show,
    /// Remove all of them
    Clear,
}

pub(super) const EXIT_STATUS: &str = "\
Exit status:
  0  it was done
  2  the directory cannot be used, or the command line is wrong";

pub(super) fn run(arguments: &CacheArguments) -> u8 {
    let options = arguments.cache.store_options();
    let store = match options.open() {
        Ok(Some(store)) => store,
        Ok(None) => {
            print("nothing is kept\n");
            return SUCCESS;
        }
        Err(problem) => {
            complain(&format!("error: {problem}"));
            return FAILURE;
        }
    };
    let place = store.directory().display();
    match arguments.action.unwrap_or(Action::Show) {
        Action::Show => {
            let limit = options.limit_bytes >> 20;
            let usage = in_words(store.usage());
            print(&format!("{place}: {usage}, of at most {limit} MB\n"));
        }
        Action::Clear => match store.clear() {
            Ok(removed) => print(&format!("{place}: {} removed\n", in_words(removed))),
            Err(error) => {
                complain(&format!(
                    "error: the cache in {place} cannot be removed: {error}\n  help: delete the directory by hand"
                ));
                return FAILURE;
            }
        },
    }
    SUCCESS
}

fn in_words(usage: Usage) -> String {
    let count = usage.entries;
    let noun = if count == 1 { "entry" } else { "entries" };
    let megabytes = usage.bytes as f64 / f64::from(1 << 20);
    format!("{count} {noun}, {megabytes:.1} MB")
}
