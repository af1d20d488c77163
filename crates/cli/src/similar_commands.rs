//! Suggests commands in place of an unknown one.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use windlass::base::did_you_mean;

/// Puts the command that's nearest to the unknown one first among the suggestions of `error`.
///
/// The parser's own order doesn't consider swapped letters, as in `rnu`. `parser` must be the one
/// that read `typed`.
pub(crate) fn suggest_nearest(error: &mut Error, typed: &[OsString], parser: &Command) {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let names = names_there(typed, parser);
    let Some(nearest) = did_you_mean(unknown, names.iter().map(String::as_str)) else {
        return;
    };
    let mut suggested = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(others)) => others.clone(),
        Some(ContextValue::String(other)) => vec![other.clone()],
        _ => Vec::new(),
    };
    suggested.retain(|other| other != nearest);
    suggested.insert(0, nearest.to_owned());
    error.insert(
        ContextKind::SuggestedSubcommand,
        ContextValue::Strings(suggested),
    );
}

fn names_there(typed: &[OsString], parser: &Command) -> Vec<String> {
    // Parse again without stopping at the error, to find the group with the unknown command.
    let matches = parser
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(typed);
    let (mut command, mut matches) = (parser, matches.as_ref().ok());
    while let Some((name, inner)) = matches.and_then(clap::ArgMatches::subcommand) {
        let Some(child) = command.find_subcommand(name) else {
            break;
        };
        (command, matches) = (child, Some(inner));
    }
    let shown = command
        .get_subcommands()
        .filter(|child| !child.is_hide_set());
    shown.map(|child| child.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help_page::parser;

    fn said(line: &str) -> String {
        let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut error = parser().try_get_matches_from(&typed).unwrap_err();
        suggest_nearest(&mut error, &typed, &parser());
        error.render().to_string()
    }

    #[test]
    fn nearest_command_is_suggested_first() {
        for (line, named) in [
            ("windlass rnu", "'run', 'runs'"),
            ("windlass --root mol rnu", "'run', 'runs'"),
            ("windlass runs lsit", "'list'"),
            ("windlass nothing-like-it", "unrecognized subcommand"),
        ] {
            let said = said(line);
            assert!(said.contains(named), "{line}: {said}");
        }
        assert!(!said("windlass nothing-like-it").contains("similar"));
    }
}
