//! The format of a run's record, a file with one JSON object per line.
//!
//! The first line describes the run. Its events and its pack follow, and a last line once the run
//! has ended. If that is missing, the run is still open or was interrupted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Digest;
use windlass_engine::RunEvent;
use windlass_notebook::RunbookFile;
use windlass_packs::{Ending, StoredResult};
use windlass_plan::Status;
use windlass_redact::redact_text;
use windlass_repo::Owner;
use windlass_site::Error;
use windlass_store::LogText;

use super::run_entry::TimedEntry;
use super::run_id::RunId;
use crate::run_error::RunError;

/// The version of new records. Records with a higher one are refused.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// First line of a record: the description of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    /// Version of the record format, see `SCHEMA_VERSION`.
    pub schema_version: u32,
    /// ID of the run, and name of the record's file.
    pub id: RunId,
    /// When the run started, as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// Version of Windlass behind the run.
    pub windlass: String,
    /// The runbook in the version of the run.
    pub runbook: RecordedRunbook,
    /// Inputs of the run, except for those in `withheld`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// Names of unrecorded inputs, i.e. those whose values contain secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// The first step to run again (`run --from`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// IDs of the requested steps, or empty for the whole runbook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// ID of the resumed run, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Repository and working tree of the run. The record is only used if both match.
    pub owner: Owner,
}

/// The runbook of a run, and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRunbook {
    /// The ID in the text of the runbook.
    pub id: String,
    /// The file as named by the user, with secrets replaced.
    pub file: String,
    /// A name for running the runbook again. `None` if the runbook is outside of the repository, or
    /// if the name contains a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Digest of the runbook's text at the time of the run.
    pub digest: Digest,
}

impl RecordedRunbook {
    pub(crate) fn of(runbook: &RunbookFile) -> Self {
        let is_harmless = |call: &&String| redact_text(call).1.is_empty();
        Self {
            id: runbook.plan.id().to_string(),
            file: redact_text(&runbook.file).0.as_str().to_owned(),
            call: runbook.call.as_ref().filter(is_harmless).cloned(),
            digest: runbook.digest,
        }
    }

    /// Returns `call` if known, and otherwise the file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.call.as_deref().unwrap_or(&self.file)
    }

    /// Returns true if `name` is the runbook's name, file or ID.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        [self.name(), &self.file, &self.id].contains(&name)
    }
}

/// Last line of a record, written when the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Outcome of the run, which determines the exit code.
    pub ending: Ending,
    /// Time since the start of the run, in microseconds.
    pub at_us: u64,
    /// Number of failed steps.
    pub failed: usize,
    /// True if some of the lines before this one could not be written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Head { run: Box<RunHead> },
    Pack { pack: Box<StoredResult> },
    End { end: RunEnd },
    Event(TimedEntry),
}

/// The record of a run, as far as it was readable.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// The first line.
    pub head: RunHead,
    /// Events in chronological order.
    pub(crate) entries: Vec<TimedEntry>,
    /// `None` for an open or interrupted run.
    pub end: Option<RunEnd>,
    /// Numbers of the unreadable lines.
    pub damaged: Vec<usize>,
    /// True if the process of the run still holds the lock.
    pub is_open: bool,
    /// `None` for a run without a pack, or if the pack could not be recorded.
    pub(crate) pack: Option<StoredResult>,
}

/// Reads just the version in the first line, since a newer one may define other fields.
#[derive(Deserialize)]
struct Version {
    run: VersionField,
}

#[derive(Deserialize)]
struct VersionField {
    schema_version: u32,
}

impl RunHead {
    pub(super) fn read(name: &str, line: &[u8]) -> Result<Self, Error> {
        let unusable = || RunError::DamagedRecord(name.to_owned());
        let version: Version = serde_json::from_slice(line).map_err(|_| unusable())?;
        let found = version.run.schema_version;
        if found > SCHEMA_VERSION {
            return Err(RunError::NewerRecord {
                id: name.to_owned(),
                found,
                supported: SCHEMA_VERSION,
            }
            .into());
        }
        // If a record was copied to another name, we treat it as damaged.
        match serde_json::from_slice(line) {
            Ok(Line::Head { run }) if run.id.as_str() == name => Ok(*run),
            _ => Err(unusable().into()),
        }
    }
}

impl RunRecord {
    /// Parses the record `name`. Unreadable lines are skipped, but their numbers are collected.
    pub(super) fn read(name: &str, text: &LogText) -> Result<Self, Error> {
        let mut lines = text.lines();
        let first = lines.next().filter(|line| line.is_whole);
        let first = first.ok_or_else(|| RunError::DamagedRecord(name.to_owned()))?;
        let mut record = Self {
            head: RunHead::read(name, first.text)?,
            entries: Vec::new(),
            end: None,
            damaged: Vec::new(),
            is_open: text.is_open,
            pack: None,
        };
        // If the last line is incomplete, the process was interrupted while writing it. That's no
        // damage.
        for line in lines.filter(|line| line.is_whole) {
            match serde_json::from_slice(line.text) {
                Ok(Line::Event(entry)) => record.entries.push(entry),
                Ok(Line::Pack { pack }) => record.pack = Some(*pack),
                Ok(Line::End { end }) => record.end = Some(end),
                Ok(Line::Head { .. }) | Err(_) => record.damaged.push(line.number),
            }
        }
        Ok(record)
    }

    /// Counts the failed steps of the outermost runbook. A step with several instances counts as
    /// one.
    pub(super) fn failed(&self) -> usize {
        let failed = |entry: &&TimedEntry| {
            // Steps of nested runbooks have names like `a/b`, and instances of a step like `a[0]`.
            matches!(&entry.entry, RunEvent::StepEnded { step, status: Status::Failed, .. }
                if !step.contains(['/', '[']))
        };
        self.entries.iter().filter(failed).count()
    }
}
