//! The digest that remains of a squashed molecule, if its formula asks for one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_plan::Status;

use super::{Molecule, PutAway};

/// A squashed molecule's digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolDigest {
    /// Kind of digest, as named in the formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_type: Option<String>,
    /// Metrics, if requested by the formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MolMetrics>,
}

/// A molecule's metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolMetrics {
    /// Milliseconds from pouring to the end.
    pub took_ms: u64,
    /// Total duration of the completed steps, in milliseconds.
    pub worked_ms: u64,
    /// Number of completed steps.
    pub completed: u32,
    /// Number of skipped steps.
    pub skipped: u32,
    /// Number of failed steps.
    pub failed: u32,
    /// Number of attempts.
    pub attempts: u32,
    /// Number of expired claims.
    pub expired: u32,
    /// Number of steps repeated after a push-back.
    pub done_anew: u32,
}

impl MolDigest {
    /// Builds a molecule's digest. Returns `None` unless the molecule was squashed and its formula
    /// asks for a digest.
    pub(super) fn of(molecule: &Molecule) -> Option<Self> {
        let squash = molecule.squash.as_ref()?;
        let closing = molecule.closing.as_ref()?;
        (closing.how == PutAway::Squashed).then(|| Self {
            template_type: squash.template_type.clone(),
            metrics: squash.include_metrics.then(|| MolMetrics::of(molecule)),
        })
    }
}

impl MolMetrics {
    fn of(molecule: &Molecule) -> Self {
        let closed = molecule.closing.as_ref().map(|closing| closing.at);
        // A molecule may be squashed before all steps have ended, so it may have no end of its own.
        let end = molecule.ended_at.or(closed).unwrap_or(molecule.touched_at);
        let millis = |micros: i64| u64::try_from(micros / 1000).unwrap_or(0);
        let count = |status: Status| {
            let steps = molecule.steps.iter();
            let count = steps.filter(|step| step.status == status).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let done = molecule.steps.iter();
        let done = done.filter(|step| step.status == Status::Completed);
        let worked = done.filter_map(|step| Some(step.ended_at?.since(step.started_at?)));
        let steps = molecule.steps.iter();
        Self {
            took_ms: millis(end.since(molecule.created_at)),
            worked_ms: worked.map(millis).sum(),
            completed: count(Status::Completed),
            skipped: count(Status::Skipped),
            failed: count(Status::Failed),
            attempts: steps.clone().map(|step| step.attempt).sum(),
            expired: steps.clone().map(|step| step.expired).sum(),
            done_anew: steps.map(|step| step.generation).sum(),
        }
    }
}
