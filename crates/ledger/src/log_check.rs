//! Whether the log and all that follows from it are in order.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::event::{Oddity, Payload};
use crate::{Journal, LedgerError, fold, side_files};

/// What was found.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Check {
    /// How many events there are.
    pub events: u64,
    /// What is amiss, or worth knowing.
    pub findings: Vec<Finding>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// Whether it is amiss; otherwise it is only worth knowing.
    pub is_wrong: bool,
    /// The line of the log, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What it is.
    pub message: String,
}

impl Check {
    /// Whether nothing is amiss.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        !self.findings.iter().any(|finding| finding.is_wrong)
    }

    fn wrong(&mut self, line: Option<usize>, message: String) {
        self.say(true, line, message);
    }

    fn note(&mut self, line: Option<usize>, message: String) {
        self.say(false, line, message);
    }

    fn say(&mut self, is_wrong: bool, line: Option<usize>, message: String) {
        self.findings.push(Finding {
            is_wrong,
            line,
            message,
        });
    }

    /// Reads the whole log, applies all of it anew, and compares everything that follows from it.
    ///
    /// # Errors
    /// When something cannot be read.
    pub(crate) fn of(journal: &Journal) -> Result<Self, LedgerError> {
        let bytes = journal.log_bytes()?;
        let mut check = Self::default();
        look_at_lines(&bytes, &mut check);
        let state = fold::fold(&bytes, None);
        check.events = state.events();
        for rejected in state.rejected() {
            let won = rejected
                .won
                .as_ref()
                .map(|won| format!(" ({won} counts)"))
                .unwrap_or_default();
            check.note(
                None,
                format!(
                    "{} {} does not count: {}{won}",
                    rejected.event_type, rejected.event_id, rejected.reason
                ),
            );
        }
        if !side_files::are_alike(&state, journal.state()) {
            let message = "the checkpoint is not what follows from the log; `windlass events rebuild` makes it anew";
            check.wrong(None, message.to_owned());
        }
        for name in side_files::stale_files(journal.places(), journal.state())? {
            check.note(
                None,
                format!("`.beads/{name}` is not what follows from the log; `windlass events sync` writes it"),
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
                    format!(
                        "`.beads/events.jsonl` lacks {events}; `windlass events sync` writes them"
                    ),
                );
            }
        }
        Ok(check)
    }
}

/// Why a line is no event.
fn no_event(line: &[u8]) -> String {
    match crate::event::EventLine::parse(line) {
        Err(why) => format!("no event, kept and passed over: {why}"),
        Ok(_) => "no event, kept and passed over: it has no id or no type".to_owned(),
    }
}

/// Lines that are no events, ids that mean two things, and types nobody knows.
fn look_at_lines(bytes: &[u8], check: &mut Check) {
    let mut known: BTreeMap<String, (usize, &[u8])> = BTreeMap::new();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for (number, (_, line)) in (1..).zip(fold::lines(bytes, 0)) {
        let Some(event) = fold::event_of(line) else {
            match crate::event::oddity(line) {
                Some(Oddity::ConflictMarker) => {
                    check.wrong(Some(number), "a conflict marker of git".to_owned());
                }
                Some(Oddity::NoEvent) => check.wrong(Some(number), no_event(line)),
                Some(Oddity::Torn) => {
                    let message = "was not written to its end, by a crash or a full disk: it was never said to be done";
                    check.note(Some(number), message.to_owned());
                }
                None => {}
            }
            continue;
        };
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
            Some((first, same)) if same.trim_ascii() != line.trim_ascii() => {
                check.wrong(
                    Some(number),
                    format!("another event than the one of line {first} has its id, `{id}`"),
                );
            }
            Some((first, _)) => {
                check.note(Some(number), format!("the event of line {first} once more"));
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
            format!("{times} of type `{event_type}`, which this version keeps and does not know"),
        );
    }
}
