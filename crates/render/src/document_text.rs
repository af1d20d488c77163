//! Text output for documents, their items and their differences.

use windlass::base::{Diagnostics, NextAction};
use windlass::packs::harmless_line;
use windlass::vcontext::{Difference, MergeConflict, MigrationChange, Object, Value};

/// Formats a page of checked documents, followed by the call for the next page. Only the first page
/// lists valid documents.
#[must_use]
pub fn checked_documents(
    results: &[(String, Diagnostics)],
    is_first: bool,
    more: Option<&NextAction>,
) -> String {
    let valid = results
        .iter()
        .filter(|(_, found)| is_first && !found.has_errors());
    let lines = valid.map(|(name, _)| format!("{}: valid\n", harmless_line(name)));
    let mut text: String = lines.collect();
    if let Some(more) = more {
        let call = harmless_line(&more.command_line());
        text.push_str(&format!("… more  {call}\n"));
    }
    text
}

/// Returns the last line of a truncated list: the number of rows left and the call for them.
#[must_use]
pub fn more_rows(left: usize, more: &NextAction) -> String {
    format!("… {left} more  {}\n", harmless_line(&more.command_line()))
}

/// Maximum length of a value, in characters. The rest is cut off.
const MAX_VALUE: usize = 200;

/// Number of common characters to show before the difference of two values.
const LEAD: usize = 40;

/// Formats an item on one line. Programs get the full item from `doc show`.
#[must_use]
pub fn item_line(row: &Object<'static>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut notes = vec![text("status").to_owned()];
    let list = |name: &str| -> Vec<&str> {
        let list = row.get(name).and_then(Value::as_array);
        let list = list.map_or(&[][..], |list| &list[..]);
        list.iter().filter_map(Value::as_str).collect()
    };
    if !text("priority").is_empty() {
        notes.push(text("priority").to_owned());
    }
    let due = match text("due") {
        "" => text("dueDate"),
        local => local,
    };
    if !due.is_empty() {
        notes.push(format!("due {due}"));
    }
    if !text("partOf").is_empty() {
        notes.push(format!("part of {}", text("partOf")));
    }
    if !list("waitsFor").is_empty() {
        notes.push(format!("waits for {}", list("waitsFor").join(", ")));
    }
    let id = match text("id") {
        "" => String::new(),
        id => format!("{id}  "),
    };
    let tags = match list("tags")[..] {
        [] => String::new(),
        ref tags => format!("  [{}]", tags.join(", ")),
    };
    let line = format!("{id}{}  ({}){tags}", text("title"), notes.join(", "));
    format!("{}\n", harmless_line(&line))
}

/// Formats a difference in the style of a diff: the path, followed by both values.
#[must_use]
pub fn difference_text(one: &Difference) -> String {
    let (first, second) = contrasted(one.first.as_ref(), one.second.as_ref());
    format!(
        "{}\n  - {}\n  + {}\n",
        harmless_line(or_root(&one.at)),
        harmless_line(&first),
        harmless_line(&second)
    )
}

/// Formats a merge conflict on one line: both values, and the applicable rule.
#[must_use]
pub fn conflict_line(conflict: &MergeConflict) -> String {
    let (ours, theirs) = (conflict.ours_value.as_ref(), conflict.theirs_value.as_ref());
    let (ours, theirs) = contrasted(ours, theirs);
    let rule = conflict.rule.map(|rule| format!(" ({rule})"));
    harmless_line(&format!(
        "conflict{} at {}: ours {ours}, theirs {theirs}",
        rule.unwrap_or_default(),
        conflict.path,
    ))
}

/// Reports the change of a migration, or the part left to the user.
#[must_use]
pub fn migration_line(change: &MigrationChange) -> String {
    let at = or_root(&change.at);
    let what = &change.what;
    harmless_line(&match (change.left, change.is_lossy) {
        (true, _) => format!("warning: {at}: {what}; needs a manual edit"),
        (false, true) => format!("warning: {at}: {what}"),
        (false, false) => format!("{at}: {what}"),
    })
}

fn or_root(at: &str) -> &str {
    if at.is_empty() { "/" } else { at }
}

/// Formats two values so that their difference is visible.
///
/// Long values are cut off, so if they have a long beginning in common, we skip most of that.
fn contrasted(first: Option<&Value<'static>>, second: Option<&Value<'static>>) -> (String, String) {
    let text = |value: Option<&Value<'static>>| match value {
        Some(value) => value.to_string(),
        None => "nothing".to_owned(),
    };
    let (first, second) = (text(first), text(second));
    let alike = first.chars().zip(second.chars());
    let alike = alike.take_while(|(one, other)| one == other).count();
    let from = match alike > MAX_VALUE / 2 {
        true => alike - LEAD,
        false => 0,
    };
    (cut(&first, from), cut(&second, from))
}

fn cut(text: &str, from: usize) -> String {
    let shown: String = text.chars().skip(from).take(MAX_VALUE).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = match text.chars().nth(from + MAX_VALUE) {
        Some(_) => "…",
        None => "",
    };
    format!("{before}{shown}{after}")
}
