//! Builds the arguments of just the command that was typed.
//!
//! There are hundreds of arguments in all. Building all of them would slow down every call, however
//! short.

use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use crate::examples::with_examples;

/// Verbs of subcommands, with the words that mean the same in every group.
const VERBS: [(&str, &[&str]); 4] = [
    ("list", &["ls"]),
    ("show", &["view"]),
    ("add", &["new", "create"]),
    ("remove", &["rm", "delete"]),
];

/// Arguments or subcommands `T` of a top-level command, which we build late. Also adds the examples
/// of its help.
#[derive(Debug)]
pub(crate) struct Lazy<T>(pub(crate) T);

impl<T: FromArgMatches> FromArgMatches for Lazy<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Lazy<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

impl<T: Subcommand> Subcommand for Lazy<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_subcommands_for_update))
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// Adds arguments and examples to a command, but keeps its description, since the doc comment of
/// the argument type is for readers of the code.
fn described(command: Command, add: fn(Command) -> Command) -> Command {
    let short = command.get_about().cloned();
    let long = command.get_long_about().cloned();
    let name = command.get_name().to_owned();
    let command = with_verbs(with_examples(add(command), &name));
    let command = match short {
        Some(short) => command.about(short),
        None => command,
    };
    match long {
        Some(long) => command.long_about(long),
        None => command.long_about(Resettable::Reset),
    }
}

/// Lets each subcommand answer to the words that mean the same as its verb.
fn with_verbs(command: Command) -> Command {
    command.mut_subcommands(|child| {
        let named = |verb: &str| child.get_name_and_visible_aliases().contains(&verb);
        let words = VERBS.iter().filter(|(verb, _)| named(verb));
        let words = words.flat_map(|(_, words)| *words);
        let words: Vec<&str> = words.copied().filter(|word| !named(word)).collect();
        with_verbs(child.aliases(words))
    })
}
