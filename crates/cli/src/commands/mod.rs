//! One command a file: what was typed becomes a call of the library, and its answer is printed.

mod anchor;
mod check;
mod completions;
mod doctor;
mod init;
mod man;
mod plan;
mod reference;
mod run;
mod runs;
mod schema;
mod trust;

use std::collections::BTreeMap;

use serde::Serialize;
use windlass::Error;
use windlass::base::Limit;
use windlass::pack::redacted_json;
use windlass::plan::Given;

use crate::args::{Args, BudgetArgs, Command};
use crate::exit::Exit;
use crate::report;
use crate::screen::Screen;

/// Runs the command that was typed.
pub(crate) fn run(args: Args, screen: &Screen) -> Exit {
    let root = args.root.as_deref();
    let ended = match args.command {
        Command::Run(given) => run::run(root, given, screen),
        Command::Runs(given) => runs::run(root, given, screen),
        Command::Plan(given) => plan::run(root, &given, screen),
        Command::Check(given) => check::run(root, &given, screen),
        Command::Anchor(given) => anchor::run(root, given, screen),
        Command::Init(given) => init::run(root, &given, screen),
        Command::Doctor(given) => doctor::run(root, &given, screen),
        Command::Trust(given) => trust::run(root, &given, screen),
        Command::Schema(given) => schema::run(&given, screen),
        Command::Completions(given) => completions::run(&given, screen),
        Command::Man(given) => man::run(&given, screen),
        Command::Reference => reference::run(screen),
    };
    ended.unwrap_or_else(|failure| failure.tell(screen))
}

/// Why a command did not do what was asked.
pub(crate) enum Failure {
    /// The library says so.
    Library(Error),
    /// What was typed cannot be meant.
    Usage(String),
}

impl Failure {
    fn tell(self, screen: &Screen) -> Exit {
        match self {
            Self::Library(error) => {
                report::error(screen, &error);
                Exit::from(&error)
            }
            Self::Usage(message) => {
                report::message(screen, &message, Some("`--help` says how it is meant"));
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

/// What was given with `--input`.
fn inputs(given: &[String]) -> Result<BTreeMap<String, Given>, Failure> {
    let mut inputs = BTreeMap::new();
    for pair in given {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Failure::Usage(format!(
                "`--input {pair}` has no `=`: write `--input NAME=VALUE`"
            )));
        };
        if inputs
            .insert(name.to_owned(), Given::Text(value.to_owned()))
            .is_some()
        {
            return Err(Failure::Usage(format!("input `{name}` is given twice")));
        }
    }
    Ok(inputs)
}

/// The budget that was typed.
fn limit(budget: &BudgetArgs) -> Option<Limit> {
    let tokens = budget.max_tokens.map(Limit::Tokens);
    budget.max_chars.map(Limit::Chars).or(tokens)
}

/// Prints `value` as one line of JSON, secret values in it replaced.
fn print_json<T: Serialize>(screen: &Screen, value: &T) -> Result<(), Failure> {
    let text = redacted_json(value).map_err(|error| Error::Internal(error.to_string()))?;
    screen.print_raw(&format!("{text}\n"));
    Ok(())
}
