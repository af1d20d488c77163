//! Commands on TodoLists, Plans and Playbooks (`windlass doc`).
//!
//! Numbers in a document may have more digits than a float can hold. We print them exactly as
//! they're written, which is why this module has its own version of `print_data`.

mod check;
mod convert;
mod fork;
mod input;
mod item;
mod large_file;
mod merge;
mod new;
mod playbook;
mod playbook_sums;
mod show;
mod value_mapping;

use std::path::Path;

pub(super) use convert::print_document;

use serde::Serialize;
use windlass::packs::{Measure, redacted_exact, tron};
use windlass::vcontext::{Value, exact};
use windlass::{Error, Workspace};

use super::{Ended, Failure};
use crate::args::{DocCommand, OutputFormat};
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    actor: Option<&str>,
    args: DocCommand,
    screen: &Screen,
) -> Ended {
    let at = &DocContext {
        workspace: &workspace(root)?,
        actor,
        screen,
    };
    match args {
        DocCommand::Check(args) => check::run(at, &args),
        DocCommand::New(args) => new::run(at, &args),
        DocCommand::Show(args) => show::run(at, &args),
        DocCommand::Convert(args) => convert::convert(at, &args),
        DocCommand::Stats(args) => convert::stats(at, &args),
        DocCommand::Diff(args) => merge::diff(at, &args),
        DocCommand::Migrate(args) => convert::migrate_file(at, &args),
        DocCommand::Merge(args) => merge::run(at, &args),
        DocCommand::Fork(args) => fork::run(at, args),
        DocCommand::Item(args) => item::run(at, args),
        DocCommand::Playbook(args) => playbook::run(at, args),
    }
}

struct DocContext<'a> {
    workspace: &'a Workspace,
    actor: Option<&'a str>,
    screen: &'a Screen,
}

/// Prints content of documents for programs. Numbers stay exactly as they're written.
fn print_data<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    value: &T,
) -> Result<(), Failure> {
    let text = exact_data(format, Measure::Chars, value)?;
    screen.print_raw(&format!("{text}\n"));
    Ok(())
}

fn print_either<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    value: &T,
    tell: impl FnOnce(),
) -> Ended {
    match format {
        OutputFormat::Text => tell(),
        format => print_data(screen, format, value)?,
    }
    Ok(Exit::Done)
}

/// Formats content for programs. TRON is made as small as possible in terms of `measure`.
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

fn exact_value<T: Serialize + ?Sized>(value: &T) -> Result<Value<'static>, Error> {
    exact(value).map_err(Error::internal)
}
