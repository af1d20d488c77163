//! Reports older forms of documents, and drops the findings that only result from them.

use windlass_base::{Diagnostic, Place, Severity};

use super::findings::{Findings, MAX_FINDINGS};
use crate::Document;
use crate::migrate::MigrationChange;

const HELP: &str = "run `windlass doc migrate` to convert the document to version 0.4";

/// Reports older forms.
///
/// Findings that only result from an older form would confuse the author, so we drop them.
pub(super) fn report_older(document: &Document, changes: &[MigrationChange], found: &mut Findings) {
    let count = changes.len();
    let mut changes: Vec<&MigrationChange> = changes.iter().collect();
    if count >= MAX_FINDINGS {
        // There are too many to report, so we prefer those that break the document. If there are
        // any, we drop all other findings instead of comparing each one with them.
        changes.sort_by_key(|change| !change.breaks);
        changes.truncate(MAX_FINDINGS - 1);
        if changes.first().is_some_and(|change| change.breaks) {
            found.found.clear();
        }
    }
    let place = |change: &MigrationChange| {
        let node = document.at(&change.at);
        node.unwrap_or_else(|| document.root()).place()
    };
    let places: Vec<(Place, &MigrationChange)> =
        changes.iter().map(|one| (place(one), *one)).collect();
    if places.is_empty() {
        return;
    }
    found.found.retain(|finding| {
        let comes_of_it = || places.iter().any(|older| is_because(finding, older));
        let can_be = finding.severity == Severity::Error || finding.rule == "misspelt-field";
        !(can_be && comes_of_it())
    });
    found.extend(changes.iter().map(|change| finding_for(document, change)));
    if count > changes.len() {
        let last = places.iter().map(|(place, _)| place);
        let message = format!("and {} more have an older form", count - changes.len());
        let finding = Diagnostic::warning("older-shape", message).help(HELP);
        found.at(last.max_by_key(|place| place.range.start).cloned(), finding);
    }
}

fn is_because(finding: &Diagnostic, (older, change): &(Place, &MigrationChange)) -> bool {
    let Some(place) = &finding.place else {
        return false;
    };
    let is_in = |one: &Place, other: &Place| {
        other.range.start <= one.range.start && one.range.end <= other.range.end
    };
    let (is_inside, is_around) = (is_in(place, older), is_in(older, place));
    let is_whole = change.at.is_empty();
    let by_rule = match finding.rule {
        "missing-field" => is_around || is_whole,
        "missing-info" => change.breaks,
        "misspelt-field" => is_inside || is_around,
        _ => false,
    };
    by_rule || is_inside && !is_whole && change.breaks
}

fn finding_for(document: &Document, change: &MigrationChange) -> Diagnostic {
    let node = document.at(&change.at);
    let place = node.map_or_else(|| document.root().place(), |node| node.key_place());
    if change.left {
        let finding = Diagnostic::warning("two-names", change.what.clone()).at(place);
        return finding.help("only the newer one is read: merge them, and remove the older one");
    }
    let message = format!("older form: {}", change.what);
    let finding = match change.breaks {
        true => Diagnostic::error("older-shape", message),
        false => Diagnostic::warning("older-shape", message),
    };
    finding.at(place).help(HELP)
}
