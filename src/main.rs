//! The command line of `planes`: it parses, calls the library and prints.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
