use serde::{Deserialize, Serialize};
use windlass_plan::StepIndex;

use super::Molecule;
use crate::event::{MolStepCompleted, MolStepFailed, Payload};

/// Gate kind that keeps a scope from ending before its members have. It isn't in the formula, so no
/// actor can open it.
pub(super) const SCOPE: &str = "scope";

/// A step's role in a scope. Other steps are given by their index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum MolScope {
    /// The scope itself.
    Body {
        /// The steps that do the scope's work. Clean-up steps don't count.
        members: Vec<StepIndex>,
    },
    /// A step of the scope's work.
    Member {
        /// The scope's index.
        of: StepIndex,
        /// True if a failure of this step aborts the scope.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        aborts: bool,
    },
    /// A clean-up step that runs after the scope.
    Cleanup {
        /// The scope's index.
        of: StepIndex,
    },
}

/// The event that ends a step whose outcome depends on other steps alone. With a reason for a
/// failure, it fails for good.
pub(super) fn ended_by_others(
    molecule: &Molecule,
    step_id: &str,
    failure: Option<String>,
) -> Payload {
    let (mol_id, step_id) = (molecule.id.clone(), step_id.to_owned());
    match failure {
        Some(reason) => MolStepFailed {
            mol_id,
            step_id,
            reason,
            for_good: true,
            ..MolStepFailed::default()
        }
        .into(),
        None => MolStepCompleted {
            mol_id,
            step_id,
            status: "completed".to_owned(),
            ..MolStepCompleted::default()
        }
        .into(),
    }
}
