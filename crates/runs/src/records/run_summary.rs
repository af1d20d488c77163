use std::collections::BTreeMap;

use serde::Serialize;
use windlass_engine::StepError;
use windlass_packs::Ending;
use windlass_plan::Status;

use super::record_format::{RecordedRunbook, RunRecord};
use super::run_entry::RunEntry;
use super::run_id::RunId;

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// The run's process is still active.
    Running,
    /// The process ended before the run did.
    Interrupted,
    /// The run ended, with this outcome.
    #[serde(untagged)]
    Ended(Ending),
}

impl RunState {
    /// Returns the state as written in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Ended(ending) => ending.as_str(),
        }
    }
}

/// Summary of a run for lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// The run's id.
    pub id: RunId,
    /// The start as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// The runbook that was run.
    pub runbook: RecordedRunbook,
    /// The run's state: open, interrupted or ended.
    pub state: RunState,
    /// The step the run started from (`run --from`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Ids of the requested steps, or empty if the whole runbook was requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Id of the run resumed by this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Duration in microseconds. For an interrupted run, this is the time until the last recorded
    /// event.
    pub took_us: u64,
    /// The number of failed steps.
    pub failed: usize,
    /// True if parts of the record could not be written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// Summary of a step in a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepSummary {
    /// The step's id. In a nested runbook, it follows the ids of the outer steps.
    pub step: String,
    /// The step's kind, or `None` if the step never started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// The final status, or `None` if the step hasn't ended.
    pub status: Option<Status>,
    /// The number of attempts.
    pub attempts: u32,
    /// The step's start, in microseconds since the start of the run.
    pub began_us: u64,
    /// Total duration in microseconds, or 0 if the step hasn't ended.
    pub took_us: u64,
    /// True if we reused an earlier run's output.
    pub kept: bool,
    /// The last attempt's error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

impl RunRecord {
    /// Returns the run's summary.
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

    /// Returns summaries of the steps, in the order they started.
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
