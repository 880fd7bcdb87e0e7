//! An option for each output of the library, which names the file to write.

use super::exports::Named;
use super::guard::Output;
use super::words::listed;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use planes::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The output that can be printed, and whose file needs no extension.
const PRINTED: &str = "json";

/// The files that were named, in the order in which they are written.
#[derive(Debug)]
pub struct Files(Vec<(Named, PathBuf)>);

impl Args for Files {
    fn augment_args(command: Command) -> Command {
        Named::all().into_iter().fold(command, |command, output| {
            let option = output.about.option;
            let arg = Arg::new(option).long(option).value_name("FILE").help(help(&output));
            let arg = arg.value_parser(value_parser!(PathBuf));
            command.arg(match (output.of_planes, output.of_lines) {
                (_, None) => arg.help_heading("Output of clouds"),
                (None, _) => arg.help_heading("Output of images"),
                _ => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Files::augment_args(command)
    }
}

impl FromArgMatches for Files {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Files, clap::Error> {
        let given = |output: Named| {
            let path = matches.get_one::<PathBuf>(output.about.option)?;
            Some((output, path.clone()))
        };
        Ok(Files(Named::all().into_iter().rev().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Files::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Files {
    /// Refuses names without an extension of their output.
    pub fn check(&self) -> Result<(), Error> {
        for (output, path) in &self.0 {
            let known = listed(&output.extensions(), "or");
            let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
            // As /dev/stderr.
            let needs_none = output.about.name == PRINTED && extension.is_empty();
            // Whoever checks the outputs of all commands refuses it as a folder.
            let is_folder = path.as_os_str() != "-" && path.is_dir();
            if needs_none || is_folder {
                continue;
            }
            if !output.extensions().iter().any(|known| OsStr::new(&known[1..]) == extension) {
                let message = match path.as_os_str() == "-" {
                    true => format!("only --json is printed; give a file, {known}"),
                    false => format!("its name must end in {known}"),
                };
                return Err(wrong(&option(output), path, &message));
            }
        }
        Ok(())
    }

    /// The files that will be written, each with its option.
    pub fn outputs(&self) -> Vec<Output> {
        let files = self.files().map(|(output, path)| Output::named(&option(output), path));
        files.collect()
    }

    /// The path of the output with this name, if it goes to a file.
    pub fn path_of(&self, name: &str) -> Option<&Path> {
        self.files().find(|(output, _)| output.about.name == name).map(|(_, path)| path)
    }

    /// Whether an output contains the plane of each point.
    pub fn need_labels(&self) -> bool {
        self.0.iter().any(|(output, _)| output.about.needs_labels)
    }

    /// The first given option that is only for clouds, or only for images.
    pub fn given_for(&self, images: bool) -> Option<String> {
        let is_alone = |output: &Named| match images {
            true => output.of_planes.is_none(),
            false => output.of_lines.is_none(),
        };
        self.0.iter().find(|(output, _)| is_alone(output)).map(|(output, _)| option(output))
    }

    /// The names of the outputs that are asked for.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(output, _)| output.about.name)
    }

    /// Whether the result is printed as JSON.
    pub fn prints_json(&self) -> bool {
        self.0.iter().any(|(_, path)| path == "-")
    }

    fn files(&self) -> impl Iterator<Item = (&Named, &Path)> {
        let all = self.0.iter().map(|(output, path)| (output, path.as_path()));
        all.filter(|&(_, path)| path != "-")
    }
}

fn help(output: &Named) -> String {
    let prints = "; - prints it, one document per input";
    let note = if output.about.name == PRINTED { prints } else { "" };
    format!("Write {} ({}){note}", output.what(), output.extensions().join(", "))
}

fn option(output: &Named) -> String {
    format!("--{}", output.about.option)
}

/// The refusal of a file that an option names.
pub fn wrong(option: &str, path: &Path, message: &str) -> Error {
    Error::Parameter(format!("{option} {}: {message}", path.display()))
}
