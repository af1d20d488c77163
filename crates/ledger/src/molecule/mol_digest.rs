//! What a digest holds of a molecule that was squashed, where its formula says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_plan::Status;

use super::{Molecule, PutAway};

/// What a formula wants a digest to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolDigest {
    /// What sort of digest it is, as the formula calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_type: Option<String>,
    /// Numbers, where it asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MolMetrics>,
}

/// What it took to work through a molecule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MolMetrics {
    /// From when it was poured until it ended, in milliseconds.
    pub took_ms: u64,
    /// How long its completed steps took, one by one, all together, in milliseconds.
    pub worked_ms: u64,
    /// How many steps were completed.
    pub completed: u32,
    /// How many steps were skipped.
    pub skipped: u32,
    /// How many steps failed.
    pub failed: u32,
    /// How many attempts were made.
    pub attempts: u32,
    /// How many claims were not heard of in time.
    pub expired: u32,
    /// How many steps were begun anew, since the work was sent back.
    pub done_anew: u32,
}

impl MolDigest {
    /// What the digest of a molecule holds; nothing unless it was squashed and its formula asks for something.
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
