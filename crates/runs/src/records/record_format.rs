use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Digest;
use windlass_notebook::RunbookFile;
use windlass_packs::{Ending, StoredResult};
use windlass_plan::Status;
use windlass_redact::redact_text;
use windlass_repo::Owner;
use windlass_site::Error;
use windlass_store::LogText;

use super::run_entry::{RunEntry, TimedEntry};
use super::run_id::RunId;
use crate::run_error::RunError;

/// Current version of the record format.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The first line of a record, which describes the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    /// The format version.
    pub schema_version: u32,
    /// The run's id.
    pub id: RunId,
    /// The start as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// The Windlass version that ran the runbook.
    pub windlass: String,
    /// The runbook that was run.
    pub runbook: RecordedRunbook,
    /// The run's inputs, except those in `withheld`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// Names of inputs that aren't recorded because their values contain secrets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// The step the run started from (`run --from`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Ids of the requested steps, or empty if the whole runbook was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Id of the run resumed by this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Repository and working tree of the run. We only use a record if both match.
    pub owner: Owner,
}

/// Identifies the runbook of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRunbook {
    /// The id written in the runbook.
    pub id: String,
    /// The runbook's file as named by the user, with secret values replaced.
    pub file: String,
    /// A name that runs the runbook again. `None` if the runbook is outside of the repository, or
    /// if the name contains a secret value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Digest of the runbook's text.
    pub digest: Digest,
}

impl RecordedRunbook {
    /// Describes `runbook` for a record.
    pub(crate) fn of(runbook: &RunbookFile) -> Self {
        let is_harmless = |call: &&String| redact_text(call).1.is_empty();
        Self {
            id: runbook.plan.id().to_string(),
            file: redact_text(&runbook.file).0.as_str().to_owned(),
            call: runbook.call.as_ref().filter(is_harmless).cloned(),
            digest: runbook.digest,
        }
    }

    /// Returns the name that runs the runbook again, or else its file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.call.as_deref().unwrap_or(&self.file)
    }

    /// Returns true if `name` is the runbook's name, file or id.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        [self.name(), &self.file, &self.id].contains(&name)
    }
}

/// The last line of a record, which holds the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// The run's outcome, which determines the exit code.
    pub ending: Ending,
    /// Time from start to end, in microseconds.
    pub at_us: u64,
    /// The number of failed steps.
    pub failed: usize,
    /// True if an earlier line could not be written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// A line of a record.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Head { run: Box<RunHead> },
    Pack { pack: Box<StoredResult> },
    End { end: RunEnd },
    Event(TimedEntry),
}

/// The record of a run, as read from its file.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// The run's description.
    pub head: RunHead,
    /// The run's events, in order.
    pub(crate) entries: Vec<TimedEntry>,
    /// The run's outcome, or `None` if the run is still open or was interrupted.
    pub end: Option<RunEnd>,
    /// Line numbers of unreadable lines.
    pub damaged: Vec<usize>,
    /// True if the run is still open.
    pub is_open: bool,
    /// The run's pack, or `None` if there was none or it could not be recorded.
    pub(crate) pack: Option<StoredResult>,
}

/// The version in the first line. We read it separately, because a newer version may have changed
/// the other fields.
#[derive(Deserialize)]
struct Version {
    run: VersionField,
}

#[derive(Deserialize)]
struct VersionField {
    schema_version: u32,
}

impl RunHead {
    /// Reads the first line of the record `name`.
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
        match serde_json::from_slice(line) {
            Ok(Line::Head { run }) if run.id.as_str() == name => Ok(*run),
            _ => Err(unusable().into()),
        }
    }
}

impl RunRecord {
    /// Parses the record `name` and collects the numbers of unreadable lines. We ignore a partial
    /// last line, since that's what an interrupted process leaves behind.
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

    /// Returns the number of failed steps of the outermost runbook. A step with several instances
    /// counts once.
    pub(super) fn failed(&self) -> usize {
        let failed = |entry: &&TimedEntry| {
            matches!(&entry.entry, RunEntry::StepEnded { step, status: Status::Failed, .. }
                if !step.contains(['/', '[']))
        };
        self.entries.iter().filter(failed).count()
    }
}
