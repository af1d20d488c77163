//! The gates and the baseline shipped with Windlass.

use super::Gates;
use crate::results::Baseline;

/// Gates for the samples: file name and text.
pub const GATES: (&str, &str) = (
    "eval-zoo/gates.toml",
    include_str!("../../../../eval-zoo/gates.toml"),
);
/// Gates for user repositories: file name and text.
pub const OWN_GATES: (&str, &str) = (
    "eval-zoo/own-gates.toml",
    include_str!("../../../../eval-zoo/own-gates.toml"),
);
const BASELINE: &str = include_str!("../../../../eval-zoo/baseline.json");

impl Baseline {
    /// Returns the shipped baseline for the samples.
    ///
    /// # Errors
    ///
    /// Returns an error if the baseline is damaged.
    pub fn shipped() -> Result<Self, serde_json::Error> {
        serde_json::from_str(BASELINE)
    }
}

impl Gates {
    /// Keeps only the gates for `archetypes`, since we haven't measured any others. Keeps all gates
    /// if `archetypes` is empty.
    #[must_use]
    pub fn of_archetypes(mut self, archetypes: &[String]) -> Self {
        if !archetypes.is_empty() {
            self.gates.retain_mut(|gate| {
                let is_of_all = gate.archetypes.is_empty();
                gate.archetypes.retain(|one| archetypes.contains(one));
                is_of_all || !gate.archetypes.is_empty()
            });
        }
        self
    }
}
