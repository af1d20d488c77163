//! The status screen.

use std::fmt::Write as _;

use windlass::base::{counted, first_names};
use windlass::ledger::SharedContact;
use windlass::packs::harmless_line;
use windlass::{RepositoryStatus, RunbookEntry};

use crate::next_line;

/// Maximum number of runbooks to name. To keep the row short, the others are only counted.
const MAX_RUNBOOKS: usize = 8;

/// Formats the status screen: one row per subject, followed by the next action.
#[must_use]
pub fn status_text(status: &RepositoryStatus) -> String {
    let mut text = String::new();
    let mut row = |title: &str, value: String| {
        let _ = writeln!(text, "{title:<9} {}", harmless_line(&value));
    };
    row("runbooks", runbooks(&status.runbooks));
    row("anchors", anchors(status));
    row("work", work(status));
    if let Some(contact) = &status.shared {
        row("shared", shared_text(contact));
    }
    if let Some(records) = status.memory {
        row("memory", counted(records, "record"));
    }
    if let Some(run) = &status.last_run {
        let (name, state) = (run.runbook.name(), run.state.as_str());
        row("last run", format!("{name}: {state}"));
    }
    if let Some(actor) = &status.actor {
        row("actor", actor.clone());
    }
    text.push('\n');
    text.push_str(&next_line(&status.next));
    text
}

/// Describes the last contact with the shared ledger, or the reason for its absence.
#[must_use]
pub fn shared_text(contact: &SharedContact) -> String {
    let pulled = match contact.pulled_at {
        Some(at) => format!("last received {at}"),
        None => "nothing received yet".to_owned(),
    };
    let location = &contact.location;
    match (&contact.problem, contact.offline_since) {
        (Some(problem), _) => format!("cannot reach `{location}`: {problem}; {pulled}"),
        (None, Some(since)) => format!("`{location}`, offline since {since}; {pulled}"),
        (None, None) => format!("`{location}`; {pulled}"),
    }
}

fn runbooks(all: &[RunbookEntry]) -> String {
    let mut names: Vec<&str> = all.iter().map(|entry| entry.name.as_str()).collect();
    names.dedup();
    match names.is_empty() {
        true => "none".to_owned(),
        false => first_names(&names, MAX_RUNBOOKS, " and "),
    }
}

fn anchors(status: &RepositoryStatus) -> String {
    let counts = status.anchors.iter();
    let counts: Vec<String> = counts.map(|(word, n)| format!("{n} {word}")).collect();
    match counts.is_empty() {
        true => "none".to_owned(),
        false => counts.join(", "),
    }
}

fn work(status: &RepositoryStatus) -> String {
    let work = &status.work;
    let mut parts: Vec<String> = work
        .claimed_steps
        .iter()
        .map(|step| format!("you hold {step}"))
        .collect();
    if work.failed_steps > 0 {
        parts.push(counted(work.failed_steps, "failed step"));
    }
    if work.steps_of_others > 0 {
        let steps = counted(work.steps_of_others, "step");
        parts.push(format!("{steps} in progress"));
    }
    for (count, noun) in [
        (work.ready_steps, "ready step"),
        (work.ready_beads, "ready bead"),
        (work.blocked_beads, "blocked bead"),
    ] {
        if count > 0 {
            parts.push(counted(count, noun));
        }
    }
    match parts.is_empty() {
        true => "none".to_owned(),
        false => parts.join(", "),
    }
}
