mod check;
mod convert;
mod fork;
mod input;
mod item;
mod merge;
mod new;
mod playbook;
mod playbook_sums;
mod show;
mod words_meant;

use std::path::Path;

pub(super) use convert::print_document;

use serde::Serialize;
use windlass::Error;
use windlass::packs::{Measure, redacted_exact, tron};
use windlass::vcontext::{Value, exact};

use super::Failure;
use crate::args::{DocCommand, OutputFormat};
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    actor: Option<&str>,
    args: DocCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    match args {
        DocCommand::Check(args) => check::run(&workspace, &args, screen),
        DocCommand::New(args) => new::run(&workspace, &args, screen),
        DocCommand::Show(args) => show::run(&workspace, &args, screen),
        DocCommand::Convert(args) => convert::convert(&workspace, actor, &args, screen),
        DocCommand::Stats(args) => convert::stats(&workspace, &args, screen),
        DocCommand::Diff(args) => merge::diff(&workspace, &args, screen),
        DocCommand::Migrate(args) => convert::migrate_file(&workspace, actor, &args, screen),
        DocCommand::Merge(args) => merge::run(&workspace, actor, &args, screen),
        DocCommand::Fork(args) => fork::run(&workspace, actor, args, screen),
        DocCommand::Item(args) => item::run(&workspace, actor, args, screen),
        DocCommand::Playbook(args) => playbook::run(&workspace, actor, args, screen),
    }
}

/// Prints what documents say, for programs: every number as it is written.
fn print_data<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    value: &T,
) -> Result<(), Failure> {
    let text = exact_data(format, Measure::Chars, value)?;
    screen.print_raw(&format!("{text}\n"));
    Ok(())
}

/// The same as a text; in TRON by what weighs less.
fn exact_data<T: Serialize>(
    format: OutputFormat,
    measure: Measure,
    value: &T,
) -> Result<String, Error> {
    let text = redacted_exact(value).map_err(Error::internal)?;
    Ok(match format {
        OutputFormat::Tron => tron(&text, measure),
        _ => text,
    })
}

/// A value as it is written, number by number.
fn told_exactly<T: Serialize + ?Sized>(value: &T) -> Result<Value<'static>, Error> {
    exact(value).map_err(Error::internal)
}
