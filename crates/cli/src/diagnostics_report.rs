//! Errors as people read them: what happened, where, what to do next.

use std::collections::BTreeMap;

use windlass::base::{Diagnostic, Diagnostics, counted};
use windlass::packs::harmless_line;
use windlass::{Error, RunError};
use windlass_render::{FindingText, more_findings};

use crate::screen::Screen;

/// Tells the user about an error.
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

/// Tells the user that something went wrong, and what to do.
pub(crate) fn message(screen: &Screen, what: &str, help: Option<&str>) {
    screen.complain(&harmless_line(&format!("error: {what}")));
    if let Some(help) = help {
        screen.complain(&harmless_line(&format!("hint: {help}")));
    }
}

/// Shows findings about a document with the lines they are about.
pub(crate) fn diagnostics(screen: &Screen, found: &Diagnostics) {
    for (rule, others) in first_of_each_rule(screen, found) {
        screen.complain(&more_findings(rule, &others));
    }
}

/// Shows findings about several files: the first of each rule with the lines they are about, all others by their places.
pub(crate) fn diagnostics_of_files(screen: &Screen, found: &Diagnostics) {
    for (rule, others) in first_of_each_rule(screen, found) {
        let count = counted(others.len(), "more finding");
        screen.complain(&format!("{count} of `{rule}`:"));
        for one in others {
            screen.complain(&format!("  {}", harmless_line(&one.to_string())));
        }
    }
}

/// Shows findings with the lines they are about; of many, so many of each rule. What is left, rule by rule.
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

/// Findings as people read them, without colours.
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

/// Up to so many findings are all shown with their lines.
const SHOWN_ALL: usize = 25;
/// Of more, so many of each rule: the others are most often the same mistake again.
const SHOWN_OF_RULE: usize = 5;
