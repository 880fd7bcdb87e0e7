//! The command line of `planes`: it parses, calls the library and prints.
#![cfg_attr(not(test), deny(clippy::panic, clippy::print_stdout, clippy::unwrap_used))]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os()))
}
