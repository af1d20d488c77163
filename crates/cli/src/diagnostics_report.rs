//! Reports errors to people: the error, its location, and the next command.

use std::collections::BTreeMap;

use windlass::base::{Diagnostic, Diagnostics, counted};
use windlass::packs::harmless_line;
use windlass::{Error, RunError};
use windlass_render::{FindingText, more_findings};

use crate::screen::Screen;

/// Prints an error with its help, or just its findings if it is about a document.
pub(crate) fn error(screen: &Screen, error: &Error) {
    if let Some(found) = error.found() {
        return diagnostics(screen, found);
    }
    if let Some(RunError::Inputs(found)) = error.get() {
        let found: Vec<String> = found
            .iter()
            .map(|one| harmless_line(&one.to_string()))
            .collect();
        return screen.complain(&format!("error: {}", found.join("\n")));
    }
    message(screen, &error.to_string(), error.help().as_deref());
}

pub(crate) fn message(screen: &Screen, what: &str, help: Option<&str>) {
    screen.complain(&harmless_line(&format!("error: {what}")));
    if let Some(help) = help {
        screen.complain(&harmless_line(&format!("help: {help}")));
    }
}

pub(crate) fn diagnostics(screen: &Screen, found: &Diagnostics) {
    for (rule, others) in first_of_each_rule(screen, found) {
        screen.complain(&more_findings(rule, &others));
    }
}

/// Prints the findings about several files. Past the first few of a rule, we omit the excerpts and
/// only list the locations.
pub(crate) fn diagnostics_of_files(screen: &Screen, found: &Diagnostics) {
    for (rule, others) in first_of_each_rule(screen, found) {
        let count = counted(others.len(), "more finding");
        screen.complain(&format!("{count} of `{rule}`:"));
        for one in others {
            screen.complain(&format!("  {}", harmless_line(&one.to_string())));
        }
    }
}

/// Prints findings with their lines. If there are many, this prints up to [`SHOWN_OF_RULE`] of each
/// rule and returns the others.
fn first_of_each_rule<'a>(
    screen: &Screen,
    found: &'a Diagnostics,
) -> BTreeMap<&'a str, Vec<&'a Diagnostic>> {
    let mut texts = FindingText::new(screen.colors_errors());
    let shows_all = found.iter().len() <= SHOWN_ALL;
    let mut of_rule: BTreeMap<&str, usize> = BTreeMap::new();
    let mut others: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for diagnostic in found.iter() {
        let shown = of_rule.entry(diagnostic.rule).or_default();
        if shows_all || *shown < SHOWN_OF_RULE {
            *shown += 1;
            let name = |text: &str| screen.with_root(text).into_owned();
            screen.complain_styled(&texts.write(diagnostic, name));
        } else {
            others.entry(diagnostic.rule).or_default().push(diagnostic);
        }
    }
    others
}

/// Renders findings without color, each on its own, so that the caller can divide them into pages.
pub(crate) fn rendered<'a>(
    screen: &Screen,
    found: impl Iterator<Item = &'a Diagnostic>,
) -> Vec<String> {
    let name = |text: &str| screen.with_root(text).into_owned();
    let mut texts = FindingText::new(false);
    found
        .map(|one| format!("{}\n", texts.write(one, name)))
        .collect()
}

/// Up to this number, we show all findings in full.
const SHOWN_ALL: usize = 25;
/// Number of findings per rule to show in full if there are more than [`SHOWN_ALL`]. The rest are
/// usually the same mistake again.
const SHOWN_OF_RULE: usize = 5;
