//! Checks the log for damage, and the files derived from it for differences.
//!
//! Only damage is a problem. Other findings are notes: for example, two clones may have claimed the
//! same bead, and a file may be a little out of date until the next sync.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::event::{Oddity, Payload};
use crate::{Journal, LedgerError, fold, output_store, side_files};

/// Result of a consistency check.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Check {
    /// Number of events in the log.
    pub events: u64,
    /// Problems and notes, in the order they were found.
    pub findings: Vec<Finding>,
}

/// A problem or note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// True for a problem, false for a note.
    pub is_wrong: bool,
    /// Line number in the log, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Description of the finding.
    pub message: String,
}

impl Check {
    /// True if there are no problems. Notes don't count.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.findings.iter().any(|finding| finding.is_wrong)
    }

    fn wrong(&mut self, line: Option<usize>, message: String) {
        self.add(true, line, message);
    }

    fn note(&mut self, line: Option<usize>, message: String) {
        self.add(false, line, message);
    }

    fn add(&mut self, is_wrong: bool, line: Option<usize>, message: String) {
        self.findings.push(Finding {
            is_wrong,
            line,
            message,
        });
    }

    /// Reads and folds the whole log, then compares the checkpoint and all derived files with the
    /// result. Commands normally don't do this, since it takes long for a large log.
    ///
    /// # Errors
    /// Returns an error if a file can't be read.
    pub(crate) fn of(journal: &Journal) -> Result<Self, LedgerError> {
        let bytes = journal.log_bytes()?;
        let mut check = Self::default();
        check_lines(&bytes, &mut check);
        let state = fold::fold(&bytes, None);
        check.events = state.events();
        for rejected in state.rejected() {
            let won = rejected
                .won
                .as_ref()
                .map(|won| format!("; {won} takes precedence"))
                .unwrap_or_default();
            check.note(
                None,
                format!(
                    "{} {} was rejected: {}{won}",
                    rejected.event_type, rejected.event_id, rejected.reason
                ),
            );
        }
        if !side_files::are_alike(&state, journal.state()) {
            let message = "the checkpoint does not match the log; run `windlass events rebuild`";
            check.wrong(None, message.to_owned());
        }
        if let Some(path) = journal.applied().blocked_folder() {
            let path = path.display();
            let message =
                format!("`{path}` is not a folder, so no checkpoint can be saved; remove it");
            check.wrong(None, message);
        }
        let mut missing = 0;
        for stored in output_store::references(&bytes) {
            missing += usize::from(output_store::local(journal.places(), &stored)?.is_none());
        }
        if missing > 0 {
            let outputs = windlass_base::counted(missing, "large output");
            check.note(None, format!("{outputs} of steps are not on this machine"));
        }
        for name in side_files::stale_files(journal.places(), journal.state())? {
            check.note(
                None,
                format!("`.beads/{name}` does not match the log; run `windlass events sync`"),
            );
        }
        for mirror in journal.copies().iter() {
            let compared = mirror.compare(journal.log(), journal.state())?;
            for warning in mirror.warnings(compared.as_ref(), journal.log())? {
                check.wrong(None, warning);
            }
        }
        if let Some(mirror) = journal.copies().here() {
            let lacks = fold::lines(&mirror.lacks(&bytes)?, 0).count();
            if lacks > 0 {
                let events = windlass_base::counted(lacks, "event");
                check.note(
                    None,
                    format!("`.beads/events.jsonl` lacks {events}; run `windlass events sync`"),
                );
            }
        }
        Ok(check)
    }
}

fn no_event(line: &[u8]) -> String {
    match crate::event::EventLine::parse(line) {
        Err(why) => format!("not an event, kept and skipped: {why}"),
        Ok(_) => "not an event, kept and skipped: it has no id or no type".to_owned(),
    }
}

/// Reports lines without an event, ids that have several different contents, and unknown event
/// types.
fn check_lines(bytes: &[u8], check: &mut Check) {
    let mut known: BTreeMap<String, (usize, &[u8])> = BTreeMap::new();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (_, line)) in (1..).zip(fold::lines(bytes, 0)) {
        let Some(event) = fold::event_of(line) else {
            match crate::event::oddity(line) {
                Some(Oddity::ConflictMarker) => {
                    check.wrong(Some(number), "a git conflict marker".to_owned());
                }
                Some(Oddity::NoEvent) => check.wrong(Some(number), no_event(line)),
                Some(Oddity::Torn) => {
                    let message =
                        "incomplete line left by a crash or a full disk; it was never acknowledged";
                    check.note(Some(number), message.to_owned());
                }
                None => {}
            }
            continue;
        };
        // A newer version, or another program, may have added this type.
        if matches!(
            Payload::parse(&event.event_type, event.data.get()),
            Ok(Payload::Unknown)
        ) {
            *unknown
                .entry(event.event_type.clone().into_owned())
                .or_default() += 1;
        }
        let id = event.event_id.into_owned();
        match known.get(&id) {
            // If two events have the same id, only one of them counts. Which one doesn't depend on
            // the order of lines, but somebody's event is lost.
            Some((first, same)) if same.trim_ascii() != line.trim_ascii() => {
                check.wrong(
                    Some(number),
                    format!("event id `{id}` already belongs to a different event on line {first}"),
                );
            }
            Some((first, _)) => {
                check.note(Some(number), format!("repeats the event of line {first}"));
            }
            None => {
                known.insert(id, (number, line));
            }
        }
    }
    for (event_type, count) in unknown {
        let times = windlass_base::counted(count, "event");
        check.note(
            None,
            format!("{times} of type `{event_type}`, unknown to this version; kept"),
        );
    }
}
