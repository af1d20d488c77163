//! Summaries of recorded runs and their steps.
//!
//! A record may end anywhere if the process was killed, so these describe a run as far as its
//! record goes.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_engine::{RunEvent, StepError};
use windlass_packs::Ending;
use windlass_plan::Status;

use super::record_format::{RecordedRunbook, RunRecord};
use super::run_id::RunId;

/// State of a run, as far as its record shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// The process of the run is still working on it.
    Running,
    /// The process ended before the run did, e.g. because it was killed.
    Interrupted,
    /// The run ended with this outcome.
    #[serde(untagged)]
    Ended(Ending),
}

impl RunState {
    /// Returns the state in the same form as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Ended(ending) => ending.as_str(),
        }
    }
}

/// A run in a list of runs. See [`RunHead`](crate::RunHead) for the shared fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// ID of the run, and name of the record's file.
    pub id: RunId,
    /// When the run started, as RFC 3339 in UTC, to the microsecond.
    pub started_at: String,
    /// The runbook in the version of the run.
    pub runbook: RecordedRunbook,
    /// The outcome, unless the run has not ended.
    pub state: RunState,
    /// The step at which the run started again (`run --from`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// IDs of the requested steps, or empty for the whole runbook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The earlier run that this one resumes, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumes: Option<RunId>,
    /// Duration in microseconds. If the run was interrupted, we only know the time of the last
    /// recorded event.
    pub took_us: u64,
    /// Number of failed steps. A step with several instances counts as one.
    pub failed: usize,
    /// True if some of the record could not be written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

/// State of a step, as far as the run's record shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepSummary {
    /// ID of the step, preceded by the IDs of the outer steps in a nested runbook.
    pub step: String,
    /// Kind of the step, or `None` if it never started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<String>,
    /// Final status, or `None` for an unfinished step.
    pub status: Option<Status>,
    /// Number of attempts, or 0 if the step never started.
    pub attempts: u32,
    /// Start of the step, in microseconds since the start of the run.
    pub began_us: u64,
    /// Duration of all attempts in microseconds, or 0 for an unfinished step.
    pub took_us: u64,
    /// True if the step reused an earlier output instead of running.
    pub kept: bool,
    /// Error of the last attempt, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

impl RunRecord {
    /// Summarizes the record of the run as a whole.
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

    /// Summarizes the steps, in order of their start.
    #[must_use]
    pub fn steps(&self) -> Vec<StepSummary> {
        let mut steps: Vec<StepSummary> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for timed in &self.entries {
            let (RunEvent::StepStarted { step, .. }
            | RunEvent::StepFannedOut { step, .. }
            | RunEvent::StepEnded { step, .. }) = &timed.entry
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
                // There's an event for each attempt, and the last one counts.
                RunEvent::StepStarted { uses, attempt, .. } => {
                    summary.uses = Some(uses.clone());
                    summary.attempts = *attempt;
                }
                RunEvent::StepEnded {
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
