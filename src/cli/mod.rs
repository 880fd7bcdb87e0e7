//! Commands and their options.

mod batch;
mod bench;
mod detect;
mod engine;
mod eval;
mod explain;
mod info;
mod lines;
mod memory;
mod outputs;
mod progress;
mod reading;
mod search;
mod synth;
mod table;
mod values;
mod words;

use clap::{CommandFactory, Parser, Subcommand};
use std::io::{self, Write};
use std::process::ExitCode;

/// Finds planes in point clouds and lines in images by the Hough transform.
#[derive(Debug, Parser)]
#[command(name = "planes", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done; 2 bad usage or bad input, said in one line on stderr;\n\
    1, of batch alone: some files failed, the others are done.\nLog messages: -v, or PLANES_LOG=debug."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Say more on stderr: -v what is done, -vv every detail
    #[arg(short, long, action = clap::ArgAction::Count, global = true, help_heading = "Messages")]
    verbose: u8,
    /// Say nothing on stderr but errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Messages")]
    quiet: bool,
    /// Threads to work with [default: one a core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Detect(Box<detect::Detect>),
    Batch(Box<batch::Batch>),
    Bench(Box<bench::Bench>),
    Info(info::Info),
    Synth(synth::Synth),
    Eval(eval::Eval),
    /// Print the JSON schema of `detect --json`
    Schema {
        /// Of planes or of lines
        #[arg(value_enum, default_value_t = Document::Planes)]
        of: Document,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Document {
    /// The planes of a cloud
    Planes,
    /// The lines of an image
    Lines,
}

/// What ends a command early.
#[derive(Debug)]
enum Failure {
    /// The library says why.
    Library(planes::Error),
    /// Standard output could not be written.
    Output(io::Error),
    /// Some files failed while others were done; each was named already.
    Some,
}

impl From<planes::Error> for Failure {
    fn from(error: planes::Error) -> Failure {
        Failure::Library(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// Exit code for bad usage and bad input; clap's own for bad usage.
const BAD_INPUT: u8 = 2;
/// Exit code when some files of a batch failed and the others are done.
const SOME_FAILED: u8 = 1;

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    start_log(&arguments);
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        if let Err(error) = pool {
            log::warn!("--threads {threads}: {error}");
        }
    }
    let done = match arguments.command {
        Command::Detect(detect) => detect.run(arguments.quiet),
        Command::Batch(batch) => batch.run(arguments.quiet),
        Command::Bench(bench) => bench.run(arguments.quiet),
        Command::Info(info) => info.run(arguments.quiet),
        Command::Synth(synth) => synth.run(arguments.quiet),
        Command::Eval(eval) => eval.run(),
        Command::Schema { of: Document::Planes } => write_stdout(planes::export::json::SCHEMA),
        Command::Schema { of: Document::Lines } => {
            write_stdout(planes::export::lines::json::SCHEMA)
        }
        Command::Completions { shell } => completions(shell),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has had enough of it.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(Failure::Some) => ExitCode::from(SOME_FAILED),
        Err(Failure::Library(error)) => refuse(&error.to_string()),
        Err(Failure::Output(error)) => refuse(&format!("standard output: {error}")),
    }
}

/// Says in one line why nothing was done.
fn refuse(message: &str) -> ExitCode {
    say(message);
    ExitCode::from(BAD_INPUT)
}

/// Writes a line to standard error.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "planes: {message}");
}

/// Prints the help that was asked for, or says in one line what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NoArguments;
    if !error.use_stderr() || error.kind() == NoArguments {
        // A reader who left has seen enough.
        let _ = error.print();
        return if error.use_stderr() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS };
    }
    let text = error.to_string();
    let (message, usage) = text.split_once("\n\nUsage: ").unwrap_or((&text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let parts: Vec<String> = (message.split("\n\n"))
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| !part.is_empty() && !part.starts_with("For more information"))
        .collect();
    let command = usage.split_whitespace().take_while(|word| !word.starts_with(['[', '<', '-']));
    let command = command.collect::<Vec<_>>().join(" ");
    let command = if command.is_empty() { "planes" } else { &command };
    refuse(&format!("{}; see {command} --help", parts.join("; ")))
}

fn start_log(arguments: &Arguments) {
    let level = match (arguments.quiet, arguments.verbose) {
        (true, _) => log::LevelFilter::Error,
        (_, 0) => log::LevelFilter::Warn,
        (_, 1) => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    env_logger::Builder::new()
        .filter_level(level)
        .parse_env("PLANES_LOG")
        .format_timestamp(None)
        .format_target(false)
        .init();
}

/// Writes text to standard output.
fn write_stdout(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "planes", &mut script);
    write_stdout(&String::from_utf8_lossy(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }
}
