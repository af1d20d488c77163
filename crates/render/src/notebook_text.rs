//! Text output for the notebook's revisions, exports and imports.

use windlass::base::counted;
use windlass::notebook::{ChangeKind, Revision};
use windlass::packs::harmless_line;
use windlass::{Became, HandedEntry, HandedOver, NotebookChange};

/// Lists changes to the notebook in the style of a diff. Runbooks come first.
#[must_use]
pub fn notebook_change_lines(change: &NotebookChange) -> Vec<String> {
    let anchors = change
        .changes
        .anchors
        .iter()
        .map(|change| ("anchor", change));
    let runbooks = change
        .changes
        .runbooks
        .iter()
        .map(|change| ("runbook", change));
    let changes = runbooks.chain(anchors);
    let line = changes.map(|(what, (id, kind))| {
        let sign = match kind {
            ChangeKind::Added => '+',
            ChangeKind::Replaced => '~',
            ChangeKind::Removed => '-',
        };
        format!("{sign} {what} {id}")
    });
    line.collect()
}

/// Names the notebook's revision after a change or a dry run.
#[must_use]
pub fn notebook_change_summary(change: &NotebookChange) -> String {
    let NotebookChange {
        before, revision, ..
    } = change;
    match change.changes.is_empty() {
        true => format!("nothing changes; the notebook stays at revision {before}"),
        false if change.dry_run => {
            format!("nothing changed; the notebook is at revision {before}")
        }
        false => format!("the notebook is now at revision {revision}"),
    }
}

/// Reports a suggestion that was dropped because there is already an entry with its ID.
#[must_use]
pub fn kept_line(id: &str) -> String {
    format!("= {id} already exists and is kept")
}

/// Formats a revision on one line: number, time, author and changes. A `*` marks the current one.
#[must_use]
pub fn revision_line(revision: &Revision) -> String {
    let current = if revision.current { '*' } else { ' ' };
    let number = revision.revision;
    let Some(written) = &revision.written else {
        return format!("{number:>6}{current}  no record of its changes");
    };
    let at = written.at.as_deref().unwrap_or("?");
    let by = written.by.as_deref().map(|by| format!("  {by}"));
    format!(
        "{number:>6}{current}  {at}{}  {written}",
        by.unwrap_or_default()
    )
}

/// Formats the outcome for a shared anchor or runbook, in the style of a diff.
#[must_use]
pub fn handed_line(entry: &HandedEntry) -> String {
    let sign = match entry.became {
        Became::Added => '+',
        Became::Updated => '~',
        Became::Removed => '-',
        Became::Kept => '=',
        Became::Conflict => '!',
        Became::LeftOut => 'x',
    };
    let what = entry.sort.as_str();
    let reason = entry.reason.as_ref();
    let reason = reason
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    format!("{sign} {what} {}{reason}", entry.id)
}

/// Summarizes an export, and names the files written (or to be written, for a dry run).
#[must_use]
pub fn exported_summary(done: &HandedOver) -> String {
    let files: Vec<String> = done.files.iter().map(|file| format!("`{file}`")).collect();
    let files = harmless_line(&files.join(", "));
    let same = unchanged(done);
    match (done.files.is_empty(), done.dry_run) {
        (true, _) => format!("nothing to write{same}"),
        (false, true) => format!("nothing written; would write {files}{same}"),
        (false, false) => {
            format!("wrote {files}{same}; commit it for others to `windlass notebook import`")
        }
    }
}

/// Counts the shared anchors by their state in this working tree. Returns `None` without shared
/// anchors.
#[must_use]
pub fn handed_states(done: &HandedOver) -> Option<String> {
    let total: usize = done.states.values().sum();
    let states = done.states.iter();
    let states: Vec<String> = states
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    (total > 0).then(|| {
        format!(
            "{} shared with others: {}\n",
            counted(total, "anchor"),
            states.join(", ")
        )
    })
}

/// Summarizes an import, including the command to revert it.
#[must_use]
pub fn imported_summary(done: &HandedOver) -> String {
    let (before, revision) = (done.before, done.revision);
    let changes = [Became::Added, Became::Updated, Became::Removed];
    let is_changed = changes.into_iter().any(|became| done.count(became) > 0);
    let same = unchanged(done);
    match (is_changed, done.dry_run) {
        (false, _) => format!("nothing changes{same}"),
        (true, true) => format!("nothing changed; the notebook is at revision {before}{same}"),
        (true, false) => format!(
            "the notebook is now at revision {revision}{same}; `windlass notebook rollback {before}` reverts this"
        ),
    }
}

fn unchanged(done: &HandedOver) -> String {
    match done.same {
        0 => String::new(),
        same => format!("; {same} unchanged"),
    }
}
