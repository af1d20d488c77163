//! The gates and the baseline that come with Windlass.

use super::Gates;
use crate::results::Baseline;

/// The gates of the samples: the file that they are in, and what it says.
pub const GATES: (&str, &str) = (
    "eval-zoo/gates.toml",
    include_str!("../../../../eval-zoo/gates.toml"),
);
/// Those for repositories of users.
pub const OWN_GATES: (&str, &str) = (
    "eval-zoo/own-gates.toml",
    include_str!("../../../../eval-zoo/own-gates.toml"),
);
const BASELINE: &str = include_str!("../../../../eval-zoo/baseline.json");

impl Baseline {
    /// The one of the samples that comes with Windlass.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn shipped() -> Result<Self, serde_json::Error> {
        serde_json::from_str(BASELINE)
    }
}

impl Gates {
    /// Those about one of `archetypes`, or about all: what was not asked for is not held against anything.
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
