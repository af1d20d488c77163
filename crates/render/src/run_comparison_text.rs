//! Differences between two runs as text for people.

use windlass::base::counted;
use windlass::packs::{ChangeKind, harmless};
use windlass::{RunChange, RunComparison, RunSectionDiff};

/// Lists the differences, one per line. The last line is the summary.
#[must_use]
pub fn comparison_lines(comparison: &RunComparison) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} to {}",
        comparison.runbook, comparison.before, comparison.after
    )];
    lines.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    for section in &comparison.sections {
        if section.changes.is_empty() && section.notes.is_empty() && section.before == section.after
        {
            continue;
        }
        lines.push(heading(section));
        lines.extend(section.notes.iter().map(|note| format!("  ? {note}")));
        lines.extend(section.changes.iter().map(change_line));
    }
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
    let value = change.value.as_ref().map(ToString::to_string);
    let words = [at, change.label.clone(), value.unwrap_or_default(), status];
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    format!("  {sign} {}", words.join("  "))
}

/// Returns as many of the `lines` as fit into `max` characters. We reserve room for the first and
/// the last line before all others.
///
/// # Errors
/// Returns the minimum number of characters if it exceeds `max`.
pub fn lines_within(lines: &[String], max: usize) -> Result<String, usize> {
    let lines: Vec<String> = lines.iter().map(|line| one_line(line)).collect();
    let size = |line: &String| line.chars().count() + 1;
    let total: usize = lines.iter().map(size).sum();
    let ([first, middle @ .., last], true) = (&lines[..], total > max) else {
        return Ok(lines.iter().map(|line| format!("{line}\n")).collect());
    };
    let said = |left_out: usize| {
        let left_out = counted(left_out, "more line");
        format!("  … {left_out}; raise `--max-chars`")
    };
    let least = size(last) + size(first) + size(&said(middle.len()));
    let mut room = max.checked_sub(least).ok_or(least)?;
    let fits = |line: &&String| {
        let fits = size(line) <= room;
        room = room.saturating_sub(size(line));
        fits
    };
    let kept: Vec<&String> = middle.iter().take_while(fits).collect();
    let mut text = format!("{first}\n");
    for line in &kept {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(&format!("{}\n{last}\n", said(middle.len() - kept.len())));
    Ok(text)
}

/// Formats `text` on one line, without secret values and terminal controls.
fn one_line(text: &str) -> String {
    harmless(text).replace(['\n', '\r'], " ")
}
