//! The commands, one per file.
//!
//! Each of them turns its arguments into a call of the library and prints the result. If that
//! fails, it returns a `Failure`, which is reported here in one place.

mod check;
mod command_context;
mod completions;
mod doc;
mod doctor;
mod find;
mod fleet;
mod formula;
mod given_file;
mod given_paths;
mod impact;
mod init;
mod ledger;
mod man;
mod mcp;
mod memory;
mod mol;
mod notebook;
mod pack;
mod plan;
mod plugin;
mod redact;
mod reference;
mod run;
mod runs;
mod schema;
mod status;
mod trust;
#[cfg(feature = "web")]
mod web;
mod zoo;
mod zoo_fleet;

use std::collections::BTreeMap;

use serde::Serialize;
use windlass::base::{Limit, NextAction};
use windlass::packs::{Format, Measure, harmless, harmless_line, redacted_json, tron};
use windlass::plan::Given;
use windlass::{Error, ListPage, MissingFeature, Site, Workspace};

use self::command_context::CommandContext;
use crate::args::{
    Args, BudgetArgs, Command, DocPageArgs, FormatArgs, Lazy, OutputFormat, PackFormat,
    ReportFormat,
};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::screen::Screen;

/// Default for the longest lease of a worker, in milliseconds. If a machine is lost, this is how
/// long it takes until another one can claim its step.
const WORKER_LEASE: u64 = 120_000;

pub(crate) fn run(args: Args, screen: &Screen) -> Exit {
    let (root, actor) = (args.root.as_deref(), args.actor.as_deref());
    let context = CommandContext {
        root,
        actor,
        screen,
    };
    // Without a command, show the status.
    let command = args.command.unwrap_or(Command::Status(Lazy(FormatArgs {
        format: OutputFormat::Text,
    })));
    let ended = match command {
        Command::Status(Lazy(given)) => status::run(&context, given.format),
        Command::Suggest(Lazy(given)) => notebook::suggest_or_apply(root, given, screen),
        Command::Run(Lazy(given)) => run::run(root, given, screen),
        Command::Runs(Lazy(given)) => runs::run(root, given, screen),
        Command::Plan(Lazy(given)) => plan::run(root, &given, screen),
        Command::Check(Lazy(given)) => check::run(root, &given, screen),
        Command::Find(Lazy(given)) => find::run(root, &given, screen),
        Command::Anchor(Lazy(given)) => notebook::anchor::run(root, given, screen),
        Command::Impact(Lazy(given)) => impact::run(root, given, screen),
        Command::Notebook(Lazy(given)) => notebook::run(root, given, screen),
        Command::Bead(Lazy(given)) => ledger::bead::run(&context, given),
        Command::Hook(Lazy(given)) => ledger::hook::run(&context, given),
        Command::Mail(Lazy(given)) => ledger::mail::run(&context, given),
        Command::Route(Lazy(given)) => ledger::route::run(root, given, screen),
        Command::Agent(Lazy(given)) => ledger::agent::run(&context, given),
        Command::Events(Lazy(given)) => ledger::events::run(&context, given),
        Command::Ledger(Lazy(given)) => ledger::sharing::run(&context, given),
        Command::Formula(Lazy(given)) => formula::run(root, given, screen),
        Command::Mol(Lazy(given)) => mol::run(&context, given),
        Command::Fleet(Lazy(given)) => fleet::run(&context, given),
        Command::Pack(Lazy(given)) => pack::run(root, given, screen),
        Command::Doc(Lazy(given)) => doc::run(root, actor, given, screen),
        Command::Memory(Lazy(given)) => memory::run(root, given, screen),
        Command::Zoo(Lazy(given)) => zoo::run(&context, given),
        Command::Init(Lazy(given)) => init::run(root, &given, screen),
        Command::Mcp(Lazy(given)) => mcp::run(root, actor, &given, screen),
        #[cfg(feature = "web")]
        Command::Web(Lazy(given)) => web::run(root, actor, &given, screen),
        #[cfg(not(feature = "web"))]
        Command::Web(_) => Err(MissingFeature("web").into()),
        Command::Redact(Lazy(given)) => redact::run(root, &given, screen),
        Command::Doctor(Lazy(given)) => doctor::run(root, &given, screen),
        Command::Plugin(_) if !cfg!(feature = "plugins") => Err(MissingFeature("plugins").into()),
        Command::Plugin(Lazy(given)) => plugin::run(root, &given, screen),
        Command::Trust(Lazy(given)) => trust::run(root, &given, screen),
        Command::Schema(Lazy(given)) => schema::run(&given, screen),
        Command::Completions(Lazy(given)) => completions::run(&given, screen),
        Command::Man(Lazy(given)) => man::run(&given, screen),
        Command::Verify(Lazy(given)) => ledger::verify::run(&context, &given),
        Command::Reference(Lazy(given)) => reference::run(&given, screen),
    };
    ended.unwrap_or_else(|failure| failure.report(screen))
}

type Ended = Result<Exit, Failure>;

pub(crate) enum Failure {
    Library(Error),
    /// Wrong usage. We refer to the help of the command, which explains it.
    Usage(String),
    /// Correct usage, but with data that does not allow it. The command's help would not explain
    /// this.
    Data(String),
}

impl Failure {
    fn report(self, screen: &Screen) -> Exit {
        match self {
            Self::Library(error) => {
                diagnostics_report::error(screen, &error);
                Exit::from(&error)
            }
            Self::Usage(message) => {
                diagnostics_report::message(
                    screen,
                    &message,
                    Some(&format!("run `{}` to see the usage", screen.usage_call())),
                );
                Exit::Invalid
            }
            Self::Data(message) => {
                diagnostics_report::message(screen, &message, None);
                Exit::Invalid
            }
        }
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Library(error.into())
    }
}

/// Splits a value of `--OPTION`. `form` describes it, as in `NAME=VALUE`.
fn pair<'a>(option: &str, form: &str, given: &'a str) -> Result<(&'a str, &'a str), Failure> {
    given.split_once('=').ok_or_else(|| {
        Failure::Usage(format!(
            "`--{option} {given}` has no `=`: write `--{option} {form}`"
        ))
    })
}

fn inputs(given: &[String]) -> Result<BTreeMap<String, Given>, Failure> {
    let mut inputs = BTreeMap::new();
    for pair in given {
        let (name, value) = self::pair("input", "NAME=VALUE", pair)?;
        let value = Given::Text(value.to_owned());
        if inputs.insert(name.to_owned(), value).is_some() {
            return Err(Failure::Usage(format!(
                "input `{name}` is given twice: a list is one value, its items separated by commas"
            )));
        }
    }
    Ok(inputs)
}

fn limit(budget: &BudgetArgs) -> Option<Limit> {
    let tokens = budget.max_tokens.map(Limit::Tokens);
    budget.max_chars.map(Limit::Chars).or(tokens)
}

fn pack_format(format: PackFormat, screen: &Screen) -> Format {
    match format {
        PackFormat::Text => Format::Text {
            width: screen.width(),
        },
        PackFormat::Json => Format::Json,
        PackFormat::Tron => Format::Tron,
        PackFormat::Markdown => Format::Markdown,
        PackFormat::Html => Format::Html,
    }
}

/// Reports problems that did not prevent a result.
fn tell_troubles(workspace: &Workspace, screen: &Screen) {
    for trouble in workspace.site().take_troubles() {
        screen.complain(&format!("warning: {}", harmless(&trouble)));
    }
}

/// Maximum number of lines for a list of changes. If there are more, the last line refers the user
/// to `--format json`.
const MAX_CHANGES: usize = 50;

fn print_changes(screen: &Screen, lines: impl ExactSizeIterator<Item = String>) {
    let total = lines.len();
    // If there are too many, the last line is for the number of omitted changes.
    let shown = if total > MAX_CHANGES {
        MAX_CHANGES - 1
    } else {
        total
    };
    for line in lines.take(shown) {
        screen.print(&format!("{}\n", harmless_line(&line)));
    }
    if shown < total {
        screen.print(&format!(
            "… {} more; `--format json` lists all\n",
            total - shown
        ));
    }
}

/// Adapts the commands that a report suggests to its readers.
///
/// A Markdown report usually becomes a comment on a change. Its readers run commands at the
/// repository's root, no matter where we were called.
fn at_root_for_comment(workspace: Workspace, format: ReportFormat) -> Workspace {
    match format {
        ReportFormat::Markdown => workspace.with(Site::called_at_the_root),
        _ => workspace,
    }
}

/// Prints `value` for programs, as one line of JSON or as TRON. Secret values are replaced.
fn print_data<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    value: &T,
) -> Result<(), Failure> {
    let text = data_text(format, Measure::Chars, value)?;
    screen.print_raw(&format!("{text}\n"));
    Ok(())
}

/// Formats `value` for programs. If that is TRON, we choose the notation that is shortest by
/// `measure`.
fn data_text<T: Serialize>(
    format: OutputFormat,
    measure: Measure,
    value: &T,
) -> Result<String, Error> {
    let text = redacted_json(value).map_err(Error::internal)?;
    Ok(match format {
        OutputFormat::Tron => tron(&text, measure),
        _ => text,
    })
}

/// Prints a result: `text` for people, `data` for programs.
fn print_result<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    data: &T,
    text: impl FnOnce() -> String,
) -> Ended {
    print_either(screen, format, data, || screen.print(&text()))
}

fn print_either<T: Serialize>(
    screen: &Screen,
    format: OutputFormat,
    data: &T,
    report: impl FnOnce(),
) -> Ended {
    match format {
        OutputFormat::Text => report(),
        format => print_data(screen, format, data)?,
    }
    Ok(Exit::Done)
}

/// Returns the page of a list continued by `call`, and the measure of its budget.
fn list_page(args: &DocPageArgs, call: NextAction) -> (ListPage, Measure) {
    let limit = limit(&args.budget);
    let page = ListPage {
        call: in_format(call, args.format),
        limit,
        cursor: args.cursor.clone(),
    };
    (page, limit.map_or(Measure::Chars, Measure::of))
}

fn in_format(call: NextAction, format: OutputFormat) -> NextAction {
    match format {
        OutputFormat::Text => call,
        OutputFormat::Json => call.option("format", "json"),
        OutputFormat::Tron => call.option("format", "tron"),
    }
}
