use std::collections::BTreeMap;

use serde::Serialize;
use windlass_engine::StepError;
use windlass_packs::Ending;
use windlass_plan::Status;

use super::record_format::{RecordedRunbook, RunRecord};
use super::run_entry::RunEntry;
use super::run_id::RunId;

/// State of a run: open, interrupted or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Its process is still running.
    Running,
    /// Its process ended before it did.
    Interrupted,
    /// It ended, with this outcome.
    #[serde(untagged)]
    Ended(Ending),
}

impl RunState {
    /// Returns the word used in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Ended(ending) => ending.as_str(),
        }
    }
}

/// A run in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// The id of the run.
    pub id: RunId,
    /// When it began, as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// The runbook that was run.
    pub runbook: RecordedRunbook,
    /// State of the run: open, interrupted or ended.
    pub state: RunState,
    /// Step the run started again at, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Requested steps; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Id of the run that this one resumes, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Duration in microseconds; as far as known for an interrupted run.
    pub took_us: u64,
    /// Number of failed steps.
    pub failed: usize,
    /// True if parts of its record could not be written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// A step of a run in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepSummary {
    /// Id of the step; for a step of a nested runbook, the path to it.
    pub step: String,
    /// Step kind; `None` if the step never started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// Last status; `None` if the step has none.
    pub status: Option<Status>,
    /// Number of attempts.
    pub attempts: u32,
    /// Start, in microseconds since the run began.
    pub began_us: u64,
    /// Total duration in microseconds; 0 until it ends.
    pub took_us: u64,
    /// True if its output was reused from an earlier run.
    pub kept: bool,
    /// Error of the last attempt, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

impl RunRecord {
    /// The run in short.
    #[must_use]
    pub fn summary(&self) -> RunSummary {
        let last = self.entries.last().map_or(0, |entry| entry.at_us);
        RunSummary {
            id: self.head.id.clone(),
            started_at: self.head.started_at.clone(),
            runbook: self.head.runbook.clone(),
            state: match self.end {
                Some(end) => RunState::Ended(end.ending),
                None if self.is_open => RunState::Running,
                None => RunState::Interrupted,
            },
            from: self.head.from.clone(),
            only: self.head.only.clone(),
            resumes: self.head.resumes.clone(),
            took_us: self.end.map_or(last, |end| end.at_us),
            failed: self.end.map_or_else(|| self.failed(), |end| end.failed),
            incomplete: self.end.is_some_and(|end| end.incomplete),
        }
    }

    /// Its steps, in the order in which they began.
    #[must_use]
    pub fn steps(&self) -> Vec<StepSummary> {
        let mut steps: Vec<StepSummary> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for timed in &self.entries {
            let (RunEntry::StepStarted { step, .. }
            | RunEntry::StepFannedOut { step, .. }
            | RunEntry::StepEnded { step, .. }) = &timed.entry
            else {
                continue;
            };
            let at = *places.entry(step).or_insert_with(|| {
                let summary = StepSummary {
                    step: step.clone(),
                    uses: None,
                    status: None,
                    attempts: 0,
                    began_us: timed.at_us,
                    took_us: 0,
                    kept: false,
                    error: None,
                };
                steps.push(summary);
                steps.len() - 1
            });
            let summary = &mut steps[at];
            match &timed.entry {
                RunEntry::StepStarted { uses, attempt, .. } => {
                    summary.uses = Some(uses.clone());
                    summary.attempts = *attempt;
                }
                RunEntry::StepEnded {
                    status,
                    error,
                    produced,
                    ..
                } => {
                    summary.status = Some(*status);
                    summary.error.clone_from(error);
                    summary.kept = produced.as_ref().is_some_and(|produced| produced.kept);
                    summary.took_us = timed.at_us.saturating_sub(summary.began_us);
                }
                _ => {}
            }
        }
        steps
    }
}
