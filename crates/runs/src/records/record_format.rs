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

/// Version of the record format.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// First line of a record, which describes the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    /// Version of the format.
    pub schema_version: u32,
    /// Id of the run.
    pub id: RunId,
    /// Start of the run as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// Version of Windlass that ran the runbook.
    pub windlass: String,
    /// The runbook that was run.
    pub runbook: RecordedRunbook,
    /// Inputs of the run, except those in `withheld`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// Names of the inputs whose values contain secrets and are not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// Step at which the run started again (`run --from`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Ids of the requested steps. Empty if all steps were requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Id of the run that this one resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Repository and working tree of the run. A record is used only if they match.
    pub owner: Owner,
}

/// Identification of the runbook that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRunbook {
    /// Id that is written in the runbook.
    pub id: String,
    /// File of the runbook as the user named it. Secret values in the name are replaced.
    pub file: String,
    /// Name by which the runbook can be run again. `None` if it is outside of the repository, or if its name contains
    /// a secret value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Digest of the runbook's text.
    pub digest: Digest,
}

impl RecordedRunbook {
    /// Creates the identification of `runbook` for a record.
    pub(crate) fn of(runbook: &RunbookFile) -> Self {
        let is_harmless = |call: &&String| redact_text(call).1.is_empty();
        Self {
            id: runbook.plan.id().to_string(),
            file: redact_text(&runbook.file).0.as_str().to_owned(),
            call: runbook.call.as_ref().filter(is_harmless).cloned(),
            digest: runbook.digest,
        }
    }

    /// Returns the name by which the runbook can be run, or its file if it has no such name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.call.as_deref().unwrap_or(&self.file)
    }

    /// Returns true if `name` is the name, the file or the id of the runbook.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        [self.name(), &self.file, &self.id].contains(&name)
    }
}

/// Last line of a record, which contains the outcome of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Outcome of the run, which determines the exit code.
    pub ending: Ending,
    /// Time from the start to the end of the run, in microseconds.
    pub at_us: u64,
    /// Number of failed steps.
    pub failed: usize,
    /// True if a line before this one could not be written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// Line of a record.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Head { run: Box<RunHead> },
    Pack { pack: Box<StoredResult> },
    End { end: RunEnd },
    Event(TimedEntry),
}

/// Record of a run, as read from its file.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// Description of the run.
    pub head: RunHead,
    /// Events of the run, in order.
    pub(crate) entries: Vec<TimedEntry>,
    /// Outcome of the run. `None` if the run is still open or was interrupted.
    pub end: Option<RunEnd>,
    /// Line numbers of unreadable lines.
    pub damaged: Vec<usize>,
    /// True if the run is still open.
    pub is_open: bool,
    /// Pack of the run. `None` if the run did not produce one or it could not be recorded.
    pub(crate) pack: Option<StoredResult>,
}

/// Version in the first line. It is read separately, because other fields may have changed in a newer version.
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
    /// Parses the record `name`. The numbers of unreadable lines are collected. A partial last line is ignored,
    /// because an interrupted process leaves one.
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

    /// Returns the number of failed steps of the outermost runbook. A step with several instances counts once.
    pub(super) fn failed(&self) -> usize {
        let failed = |entry: &&TimedEntry| {
            matches!(&entry.entry, RunEntry::StepEnded { step, status: Status::Failed, .. }
                if !step.contains(['/', '[']))
        };
        self.entries.iter().filter(failed).count()
    }
}
