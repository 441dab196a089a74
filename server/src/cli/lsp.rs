//! `racelens lsp`: the language server.

use super::cache_options::CacheOptions;
use super::terminal::complain;
use super::{FAILURE, SUCCESS};
use crate::lsp::{self, Ending, Transport};
use clap::Args;

#[derive(Args)]
pub(super) struct LspArguments {
    /// Listen on this port of this machine instead of using standard input and output; 0 takes a free one
    #[arg(long, value_name = "PORT")]
    tcp: Option<u16>,
    /// Use standard input and output, which is the default; some editors add this
    #[arg(long, conflicts_with = "tcp")]
    stdio: bool,
    #[command(flatten)]
    cache: CacheOptions,
}

pub(super) const EXIT_STATUS: &str = "\
Exit status:
  0  the client asked for the end, as the protocol prescribes
  1  the client went without asking
  2  the connection could not be made, or the command line is wrong";

/// The client went without asking.
const ABRUPT: u8 = 1;

pub(super) fn run(arguments: &LspArguments) -> u8 {
    let transport = match arguments.tcp {
        Some(port) => Transport::Tcp(port),
        None => Transport::StandardStreams,
    };
    match lsp::run(transport, arguments.cache.open()) {
        Ok(Ending::AfterShutdown) => SUCCESS,
        Ok(Ending::Abrupt) => ABRUPT,
        Err(error) => {
            complain(&format!(
                "error: the connection could not be made: {error}\n  help: take another port, or leave --tcp away"
            ));
            FAILURE
        }
    }
}
