//! The `windlass` command: arguments in; text, tables, progress and JSON out.
//!
//! This crate must never decide anything about a repository, a plan or a pack. It asks the library
//! and prints the answer. In turn, only this crate uses the terminal, reads the environment and
//! ends the process.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is where the program meets the world"
)]

mod args;
mod commands;
mod completion;
mod diagnostics_report;
mod examples;
mod exit;
mod help_page;
mod interrupt;
mod manual;
mod outside;
mod phrases;
mod progress_bar;
mod screen;
mod shell_answers;
mod similar_commands;
mod trace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches as _};

use crate::phrases::Phrase;

fn main() -> ExitCode {
    // Shells call us for completions, and expect nothing but these. So do this before anything that
    // could print.
    if let Some(exit) = shell_answers::answer() {
        return exit;
    }
    outside::survive_file_limits();
    let mut typed: Vec<OsString> = std::env::args_os().collect();
    let phrase = phrases::look_up(typed.get(1..).unwrap_or_default());
    let mut note = None;
    match phrase {
        Some(Phrase::Candidates(commands)) => {
            return screen::unknown_command(&typed[1..], &commands);
        }
        Some(Phrase::Command(command, arguments)) => {
            note = Some(format!("note: this runs `windlass {command}`"));
            typed.truncate(1);
            typed.extend(arguments);
        }
        None => {}
    }
    let (args, command) = match parse(&typed) {
        Ok(parsed) => parsed,
        Err(error) => return screen::usage(&error),
    };
    let screen = screen::Screen::new(&args, command);
    outside::apply(outside::Settings {
        actor: args.actor.clone(),
        is_offline: args.offline,
        is_quiet: screen.is_quiet(),
    });
    if let Err(error) = outside::start_logging(args.verbose) {
        screen.complain(&format!("warning: cannot start the log: {error}"));
    }
    if let Some(note) = note {
        screen.say(&note);
    }
    let mut exit = commands::run(args, &screen);
    // Most commands don't check whether they could print their result, so we do that here.
    if let Some(error) = screen.failure() {
        screen.complain(&format!("error: cannot print the result: {error}"));
        exit = exit::Exit::Failed;
    }
    ExitCode::from(exit.code())
}

/// Parses the command line. Besides the arguments, this returns the names of the command and its
/// subcommands, e.g. `mol claim`.
fn parse(typed: &[OsString]) -> Result<(args::Args, String), clap::Error> {
    // The parser doesn't know `help --all`, so ask for `--help` of the whole program. For clap
    // that's an error, and the help is its message.
    if typed.len() == 3 && typed[1] == "help" && typed[2] == "--all" {
        let whole = [typed[0].clone(), "--help".into()];
        help_page::whole().try_get_matches_from(whole)?;
    }
    let mut matches = help_page::parser()
        .try_get_matches_from(typed)
        .map_err(|mut error| {
            similar_commands::suggest_nearest(&mut error, typed, &help_page::parser());
            error
        })?;
    let command = command_of(&matches).join(" ");
    let args = args::Args::from_arg_matches_mut(&mut matches)
        .map_err(|error| error.format(&mut help_page::parser()))?;
    Ok((args, command))
}

fn command_of(matches: &ArgMatches) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = matches;
    while let Some((name, below)) = at.subcommand() {
        names.push(name);
        at = below;
    }
    names
}

#[cfg(test)]
mod tests;
