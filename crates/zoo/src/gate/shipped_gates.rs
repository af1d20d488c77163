//! The gates and the baseline that come with Windlass.

use super::Gates;
use crate::results::Baseline;

/// The gates for the samples, as the name of the file and its text.
pub const GATES: (&str, &str) = (
    "eval-zoo/gates.toml",
    include_str!("../../../../eval-zoo/gates.toml"),
);
const BASELINE: &str = include_str!("../../../../eval-zoo/baseline.json");

impl Baseline {
    /// Returns the baseline for the samples.
    ///
    /// # Errors
    ///
    /// Returns an error if the baseline is damaged.
    pub fn shipped() -> Result<Self, serde_json::Error> {
        serde_json::from_str(BASELINE)
    }
}

impl Gates {
    /// Drops the gates for other archetypes, which were not measured. If the list is empty, all
    /// archetypes were.
    #[must_use]
    pub fn of_archetypes(mut self, archetypes: &[String]) -> Self {
        if !archetypes.is_empty() {
            self.gates.retain_mut(|gate| {
                let is_of_all = gate.archetypes.is_empty();
                gate.archetypes.retain(|one| archetypes.contains(one));
                let is_left = |one: &String| !gate.except.contains(one);
                !gate.archetypes.is_empty() || is_of_all && archetypes.iter().any(is_left)
            });
        }
        self
    }
}
