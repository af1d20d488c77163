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

/// The version of the format.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// First line of a record: description of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    /// Version of the format.
    pub schema_version: u32,
    /// The id of the run.
    pub id: RunId,
    /// When it began, as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// The version of Windlass.
    pub windlass: String,
    /// The runbook that was run.
    pub runbook: RecordedRunbook,
    /// Given inputs, except those in `withheld`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// Names of inputs whose values contain a secret.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// Step the run started again at, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Requested steps; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Id of the run that this one resumes, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Repository of the run, compared before the record is used.
    pub owner: Owner,
}

/// Runbook of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRunbook {
    /// The id that the runbook gives itself.
    pub id: String,
    /// Its file, as the user knew it, with secret values in the name replaced.
    pub file: String,
    /// Name to run it by; `None` if it is outside of the repository, or its name contains a secret value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Digest of its text.
    pub digest: Digest,
}

impl RecordedRunbook {
    /// `runbook` as a record names it.
    pub(crate) fn of(runbook: &RunbookFile) -> Self {
        let is_harmless = |call: &&String| redact_text(call).1.is_empty();
        Self {
            id: runbook.plan.id().to_string(),
            file: redact_text(&runbook.file).0.as_str().to_owned(),
            call: runbook.call.as_ref().filter(is_harmless).cloned(),
            digest: runbook.digest,
        }
    }

    /// Returns the name to run it by.
    #[must_use]
    pub fn name(&self) -> &str {
        self.call.as_deref().unwrap_or(&self.file)
    }

    /// True if `name` is its run name, its file or its id.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        [self.name(), &self.file, &self.id].contains(&name)
    }
}

/// Last line of a record: outcome of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Outcome of the run, which sets the exit code.
    pub ending: Ending,
    /// Duration since the start, in microseconds.
    pub at_us: u64,
    /// Number of failed steps.
    pub failed: usize,
    /// True if something between the first line and this one could not be written.
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

/// Record of a run, parsed from its file.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// Description of the run.
    pub head: RunHead,
    /// Events, in order.
    pub(crate) entries: Vec<TimedEntry>,
    /// Outcome; `None` if the run is still open, or was interrupted.
    pub end: Option<RunEnd>,
    /// Numbers of unreadable lines.
    pub damaged: Vec<usize>,
    /// True if the run is still open.
    pub is_open: bool,
    /// Pack, if the run produced one.
    pub(crate) pack: Option<StoredResult>,
}

/// Version of a line, regardless of its other fields.
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
    /// Parses the record `name`. Unreadable lines are skipped and counted, except a partial last line of an interrupted
    /// process.
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

    /// Returns the number of failed steps of the outermost runbook; instances are not counted in addition to their
    /// step.
    pub(super) fn failed(&self) -> usize {
        let failed = |entry: &&TimedEntry| {
            matches!(&entry.entry, RunEntry::StepEnded { step, status: Status::Failed, .. }
                if !step.contains(['/', '[']))
        };
        self.entries.iter().filter(failed).count()
    }
}
