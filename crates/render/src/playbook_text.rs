//! Text output for playbooks. Their entries only change through events.

use windlass::Recorded;
use windlass::base::{NextAction, counted};
use windlass::packs::harmless_line;
use windlass::vcontext::{Duplicate, Entry, Metrics, Object, PlaybookStatus};

/// Returns the call that merges concurrent changes of an entry in `file`. There's none if nothing
/// needs merging, or if the document came from standard input and so can't be changed.
#[must_use]
pub fn resolving(entry: &Entry, file: &str) -> Option<NextAction> {
    if entry.heads.is_empty() || file == "-" {
        return None;
    }
    let others = entry.heads.iter().filter(|head| **head != entry.head);
    let others: Vec<String> = others.cloned().collect();
    let call = NextAction::new("doc playbook resolve", "merge concurrent events into one")
        .positional(file)
        .positional(entry.target_id.as_str())
        .option("retain", entry.head.as_str())
        .option("over", others);
    Some(call)
}

/// Formats the current state of an entry. If there are concurrent changes, adds the call that
/// merges them.
#[must_use]
pub fn entry_text(entry: &Entry, file: &str) -> String {
    let mut notes = vec![entry.text("kind").unwrap_or("note").to_owned()];
    if entry.status != PlaybookStatus::Active {
        notes.push(entry.status.as_str().to_owned());
    }
    notes.extend(entry.remarks());
    let title = entry.text("title").unwrap_or_default();
    let target = harmless_line(&entry.target_id);
    let mut text = format!(
        "{target}  {}  ({})\n",
        harmless_line(title),
        notes.join(", ")
    );
    let narrative = entry
        .fields
        .get("narrative")
        .and_then(|narrative| narrative.as_object());
    for (title, own) in narrative.into_iter().flat_map(Object::iter) {
        let own = own.as_str().unwrap_or_default();
        text.push_str(&format!(
            "  {}: {}\n",
            harmless_line(title),
            harmless_line(own)
        ));
    }
    if let Some(call) = resolving(entry, file) {
        let command = harmless_line(&call.command_line());
        text.push_str(&format!("  merge them: {command}\n"));
    }
    text
}

/// Summarizes a playbook on one line: entries, average confidence and last change.
#[must_use]
pub fn playbook_summary(metrics: &Metrics) -> String {
    let mut parts = vec![format!(
        "{} in total",
        counted(metrics.total_entries, "entry")
    )];
    if let Some(average) = metrics.average_confidence {
        parts.push(format!("average confidence {average}"));
    }
    if let Some(last) = &metrics.last_updated {
        parts.push(format!("last changed {last}"));
    }
    parts.join(", ")
}

/// Formats an entry along with the one that it duplicates.
#[must_use]
pub fn duplicate_line(one: &Duplicate) -> String {
    let how = match one.exact {
        true => "exact",
        false => "normalized",
    };
    format!(
        "{}  =  {}  ({how})\n",
        harmless_line(&one.target_id),
        harmless_line(&one.duplicate_of)
    )
}

/// Reports an event that was recorded in the playbook `file`, or would be if this were not a dry
/// run.
#[must_use]
pub fn recorded_line(recorded: &Recorded, file: &str) -> String {
    let text = |name: &str| {
        recorded
            .event
            .get(name)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
    };
    let done = if recorded.dry_run {
        "would be recorded"
    } else {
        "is recorded"
    };
    let after = match text("prevEventId") {
        "" => String::new(),
        prev => format!(", after `{prev}`"),
    };
    format!(
        "the {} of `{}`{after} {done} in `{file}`",
        text("operation"),
        text("targetId")
    )
}
