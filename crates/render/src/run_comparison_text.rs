//! Text output for the differences between two runs of a runbook.

use windlass::base::cut_after;
use windlass::packs::{ChangeKind, harmless_line};
use windlass::{RunChange, RunComparison, RunSectionDiff};

use crate::capped_rows::{MAX_SHOWN, rest};

/// Maximum length of a value, in characters. The rest is cut off.
const MAX_VALUE: usize = 200;

/// Formats the differences by section, in the style of a diff, without unchanged sections. Between
/// the first line and the final summary, there are at most 100 lines.
#[must_use]
pub fn comparison_lines(comparison: &RunComparison) -> Vec<String> {
    let notes = comparison.notes.iter();
    let mut lines: Vec<String> = notes.map(|note| format!("note: {note}")).collect();
    for section in &comparison.sections {
        if section.changes.is_empty() && section.before == section.after {
            continue;
        }
        lines.push(heading(section));
        lines.extend(section.changes.iter().map(change_line));
    }
    let rest = rest(lines.len());
    lines.truncate(MAX_SHOWN);
    lines.extend(rest);
    let (before, after) = (&comparison.before, &comparison.after);
    lines.insert(0, format!("{}: {before} to {after}", comparison.runbook));
    let count = |kind| comparison.changes.get(&kind).copied().unwrap_or_default();
    lines.push(format!(
        "{} added, {} changed, {} moved, {} with only a new status, {} removed, {} unchanged",
        count(ChangeKind::Added),
        count(ChangeKind::Changed),
        count(ChangeKind::Moved),
        count(ChangeKind::Status),
        count(ChangeKind::Removed),
        comparison.unchanged,
    ));
    lines
}

fn heading(section: &RunSectionDiff) -> String {
    let title = if section.title.is_empty() {
        &section.id
    } else {
        &section.title
    };
    let status = match (section.before, section.after) {
        (Some(before), Some(after)) if before == after => after.as_str().to_owned(),
        (Some(before), Some(after)) => format!("{} -> {}", before.as_str(), after.as_str()),
        (None, Some(after)) => format!("new, {}", after.as_str()),
        (Some(_), None) => "removed".to_owned(),
        (None, None) => String::new(),
    };
    format!("{title}  {status}")
}

fn change_line(change: &RunChange) -> String {
    let sign = match change.kind {
        ChangeKind::Added => '+',
        ChangeKind::Changed => '~',
        ChangeKind::Moved => '>',
        ChangeKind::Status => '!',
        ChangeKind::Removed => '-',
    };
    let at = match (&change.was_at, &change.is_at) {
        (Some(was), Some(is)) if was != is => format!("{is} (was {was})"),
        (was, is) => is.as_ref().or(was.as_ref()).cloned().unwrap_or_default(),
    };
    let status = match (change.was, change.is) {
        (Some(was), Some(is)) if was != is => format!("{was} -> {is}"),
        _ => String::new(),
    };
    let value = change.value.as_ref();
    // Replace secrets before cutting, because half a secret isn't recognizable.
    let value = value.map(|value| cut_after(&harmless_line(&value.to_string()), MAX_VALUE));
    let words = [at, change.label.clone(), value.unwrap_or_default(), status];
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    format!("  {sign} {}", words.join("  "))
}
