use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Maximum number of names retained.
const MAX: usize = 1_000;

/// Names of suggestions that were saved and then deleted, so that they are not suggested again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Declined(BTreeSet<String>);

impl Declined {
    /// True if no name is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if `id` was declined.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    pub(crate) fn note(&mut self, id: &str) {
        if self.0.len() < MAX {
            self.0.insert(id.to_owned());
        }
    }

    /// Removes `id`, which the user saved again.
    pub(crate) fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }
}
