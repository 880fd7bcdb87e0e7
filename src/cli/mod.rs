//! Commands and their options.

mod batch;
mod bench;
mod console;
mod detect;
mod engine;
mod eval;
mod explain;
mod exports;
mod failure;
mod files;
mod folders;
mod guard;
mod info;
mod line;
mod lines;
mod memory;
mod outputs;
mod progress;
mod reading;
mod results;
mod search;
mod signals;
mod stem;
mod styling;
mod synth;
mod table;
mod threads;
mod values;
mod warnings;
mod words;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use console::{say, write_stdout};
use exports::outputs_of;
use failure::{BAD_INPUT, DONE, Failure, SOME_FAILED, message};
use planes::cloud::Format;
use planes::error::in_words;
use planes::input::Kind;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use words::listed;

/// Finds planes in point clouds and lines in images by the Hough transform.
#[derive(Debug, Parser)]
#[command(name = "planes", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done; 2 bad usage or bad input, reported in one line on stderr;\n\
    1 some of several files failed, the others are done.\nLog messages: -v, or PLANES_LOG=debug."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// More messages on stderr: -v what is done, -vv every detail
    #[arg(short, long, action = clap::ArgAction::Count, global = true, help_heading = "Messages")]
    verbose: u8,
    /// No messages on stderr except errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Messages")]
    quiet: bool,
    /// Number of threads; no more than 16 are started, or 4 per core if that is more [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = values::positive)]
    threads: Option<u64>,
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
        /// For planes or for lines
        #[arg(value_enum, value_name = "DOCUMENT", default_value_t = Document::Planes)]
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

/// Runs a command line, the name of the program first.
///
/// Returns the exit code of the process, of which it is meant to be the end.
pub fn run(line: impl IntoIterator<Item = OsString>) -> u8 {
    let line = line::keep(line);
    if let Some(name) = with_one_dash(line) {
        let (given, commands) = (named_command(line.iter().cloned()), commands_with(name));
        // Those of `planes` itself are options of all commands.
        let is_known = commands.iter().any(|command| *command == given || command == "planes");
        let of = if is_known { String::new() } else { format!(" of {}", listed(&commands, "and")) };
        return refuse(&format!("unexpected argument '-{name}'; did you mean --{name}{of}?"));
    }
    let arguments = match Arguments::try_parse_from(line) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error, line),
    };
    start_log(&arguments);
    signals::listen();
    let joins = matches!(arguments.command, Command::Detect(_));
    if let Err(error) = threads::start(arguments.threads, joins) {
        return refuse(&message(&error));
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
        Ok(()) => DONE,
        // The program that reads our output has closed it, as `head` does.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
        Err(Failure::Some) => SOME_FAILED,
        Err(Failure::All) => BAD_INPUT,
        Err(Failure::Library(error)) => refuse(&message(&error)),
        Err(Failure::Output(error)) => refuse(&format!("standard output: {}", in_words(&error))),
    }
}

/// Reports in one line why nothing was done.
fn refuse(message: &str) -> u8 {
    say(message);
    BAD_INPUT
}

/// Prints the requested help, or reports in one line what is wrong with the arguments.
fn usage(error: &clap::Error, line: &[OsString]) -> u8 {
    let no_arguments = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == no_arguments {
        // A reader that has closed the pipe has seen enough.
        let _ = error.print();
        return if error.use_stderr() { BAD_INPUT } else { DONE };
    }
    if let Some(message) = only_in_detect(error, line) {
        return refuse(&message);
    }
    let text = error.to_string();
    let (message, usage) = text.split_once("\n\nUsage: ").unwrap_or((&text, ""));
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let elsewhere = elsewhere(error);
    // An unknown option is not meant as the name of a file, and a similar one is no help if another command has this very option.
    let tip = if elsewhere.is_some() { "tip: " } else { "tip: to pass '--" };
    let says_nothing = ["For more information", tip];
    let parts: Vec<String> = (message.split("\n\n"))
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| !part.is_empty() && !says_nothing.iter().any(|text| part.starts_with(text)))
        .chain(elsewhere)
        .collect();
    let meant = meant(error).map(|file| {
        let quote = if file.contains(char::is_whitespace) { "'" } else { "" };
        format!(" (did you mean: planes detect {quote}{file}{quote}?)")
    });
    let meant = meant.or_else(|| taken(error, line));
    let command = usage.split_whitespace().take_while(|word| !word.starts_with(['[', '<', '-']));
    let mut command = command.collect::<Vec<_>>().join(" ");
    if command.is_empty() {
        // A wrong value comes without the usage.
        command = named_command(line.iter().cloned());
    }
    refuse(&format!("{}{}; see {command} --help", parts.join("; "), meant.unwrap_or_default()))
}

/// What to do instead of giving `planes batch` an option that names one file of `planes detect`.
fn only_in_detect(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let name = unknown_option(error)?;
    let kinds = [Kind::Cloud(Format::LAS), Kind::Image];
    let is_output = kinds.into_iter().flat_map(outputs_of).any(|about| about.name == name);
    (is_output && named_command(line.iter().cloned()) == "planes batch").then(|| {
        format!(
            "--{name}: one file has no room for the results of a batch; give --out DIR --only {name}"
        )
    })
}

/// The commands that have an option which the given one has not.
fn elsewhere(error: &clap::Error) -> Option<String> {
    let names = commands_with(unknown_option(error)?);
    (!names.is_empty()).then(|| format!("it is an option of {}", listed(&names, "and")))
}

/// The names of all commands that have an option of their own with this name.
fn commands_with(option: &str) -> Vec<String> {
    fn look(command: &clap::Command, name: &str, option: &str, found: &mut Vec<String>) {
        if command.get_arguments().any(|arg| arg.get_long() == Some(option)) {
            found.push(name.to_owned());
        }
        for inner in command.get_subcommands() {
            look(inner, &format!("{name} {}", inner.get_name()), option, found);
        }
    }
    let mut found = Vec::new();
    look(&Arguments::command(), "planes", option, &mut found);
    found
}

/// The name of an option that is given and not known.
fn unknown_option(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = given.strip_prefix("--").filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    name.split('=').next()
}

/// The name of an option of any command that is given with one dash: `-top`, which would be read as `-t`, or `-out`,
/// which would be read as `-o` and a folder called "ut".
fn with_one_dash(line: &[OsString]) -> Option<&str> {
    let words = line.iter().skip(1).take_while(|word| *word != "--");
    let mut names = words.filter_map(|word| word.to_str()?.strip_prefix('-')?.split('=').next());
    // One letter is an option of its own.
    names.find(|name| name.len() > 1 && !name.starts_with('-') && !commands_with(name).is_empty())
}

/// The file that was given where a command was expected, if it is one or is called as a cloud.
fn meant(error: &clap::Error) -> Option<&str> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let path = Path::new(given);
    (path.is_file() || batch::is_called_as_inputs(path)).then_some(given)
}

/// Where the inputs are missing: the option that took what looks like one as its value.
fn taken(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    // Options that are missing begin with a dash.
    if error.kind() != ErrorKind::MissingRequiredArgument
        || !missing.iter().any(|argument| argument.starts_with('<'))
    {
        return None;
    }
    let top = Arguments::command();
    let command = line.iter().skip(1).find_map(|word| top.find_subcommand(word))?;
    let takes_value = |word: &OsString| {
        let of = |arg: &clap::Arg| {
            let long = arg.get_long().map(|name| format!("--{name}"));
            let short = arg.get_short().map(|name| format!("-{name}"));
            arg.get_action().takes_values()
                && [long, short].iter().flatten().any(|name| *word == **name)
        };
        command.get_arguments().any(of)
    };
    let is_input = |word: &OsString| {
        let path = Path::new(word);
        path.is_file() && batch::is_called_as_inputs(path)
    };
    let pair = line.windows(2).find(|pair| takes_value(&pair[0]) && is_input(&pair[1]))?;
    let [option, file] = [0, 1].map(|i| pair[i].to_string_lossy());
    Some(format!(" ({file} was taken as the value of {option})"))
}

/// The program and those of its commands that these arguments begin with.
fn named_command(arguments: impl Iterator<Item = OsString>) -> String {
    let top = Arguments::command();
    let (mut command, mut name) = (&top, "planes".to_owned());
    for argument in arguments.skip(1) {
        if let Some(inner) = command.find_subcommand(&argument) {
            command = inner;
            name = format!("{name} {}", inner.get_name());
        }
    }
    name
}

/// The variable that says which messages are shown.
const LOG: &str = "PLANES_LOG";

fn start_log(arguments: &Arguments) {
    let level = match (arguments.quiet, arguments.verbose) {
        (true, _) => log::LevelFilter::Error,
        (_, 0) => log::LevelFilter::Warn,
        (_, 1) => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    let mut builder = env_logger::Builder::new();
    builder.filter_level(level).parse_env(LOG);
    warnings::install(builder.format_timestamp(None).format_target(false).build());
    if let Ok(given) = std::env::var(LOG)
        && !is_log_filter(&given)
    {
        log::warn!("{LOG}={given}: no level; use error, warn, info, debug or trace");
    }
}

/// Whether a text is a level of messages, or levels of modules, such as `planes=debug,las=warn`.
fn is_log_filter(text: &str) -> bool {
    // A pattern for the messages may follow.
    let levels = text.split('/').next().unwrap_or_default();
    let is_level = |text: &str| text.trim().parse::<log::LevelFilter>().is_ok();
    levels.trim().is_empty()
        || levels.split(',').all(|part| match part.split_once('=') {
            Some((_, level)) => is_level(level),
            None => is_level(part) || part.starts_with("planes"),
        })
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
    fn filters_of_messages_name_levels() {
        for filter in ["debug", "WARN", "planes=debug,las=off", "planes", "info/read", ""] {
            assert!(is_log_filter(filter), "{filter}");
        }
        for filter in ["foo", "planes=foo", "debug,foo", "1"] {
            assert!(!is_log_filter(filter), "{filter}");
        }
    }

    #[test]
    fn a_hint_names_the_command_that_was_given() {
        for (line, command) in [
            ("planes", "planes"),
            ("planes batch in --jobs x", "planes batch"),
            ("planes --threads x detect a.las", "planes detect"),
            ("planes bench lms --hold x", "planes bench lms"),
        ] {
            assert_eq!(named_command(line.split(' ').map(OsString::from)), command);
        }
    }

    #[test]
    fn the_options_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }
}
