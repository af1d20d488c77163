//! The `windlass` command: arguments in; text, tables, progress and JSON out.
//!
//! This crate must never decide anything about a repository, a plan or a pack: it asks the library and
//! prints. It alone uses the terminal, reads the environment and ends the process.
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
mod exit;
mod interrupt;
mod manual;
mod outside;
mod progress_bar;
mod screen;
mod shell_answers;
mod trace;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    if let Some(exit) = shell_answers::answer() {
        return exit;
    }
    outside::survive_file_limits();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return screen::usage(&error),
    };
    let screen = screen::Screen::new(args.color, args.quiet, args.root.as_deref());
    if let Err(error) = outside::start_logging(args.verbose) {
        screen.complain(&format!("warning: cannot start the log: {error}"));
    }
    let mut exit = commands::run(args, &screen);
    if let Some(error) = screen.failure() {
        screen.complain(&format!("error: cannot print the result: {error}"));
        exit = exit::Exit::Failed;
    }
    ExitCode::from(exit.code())
}
