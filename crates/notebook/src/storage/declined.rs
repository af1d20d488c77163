use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Maximum number of names stored.
const MAX: usize = 1_000;

/// Names of suggestions that the user saved and then deleted. We don't suggest them again, because
/// `suggest --apply` would bring back what the user deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Declined(BTreeSet<String>);

impl Declined {
    /// Returns true if no names are stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the user declined the suggestion `id`.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    pub(crate) fn note(&mut self, id: &str) {
        if self.0.len() < MAX {
            self.0.insert(id.to_owned());
        }
    }

    /// Removes `id`, because the user saved it again.
    pub(crate) fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }
}
