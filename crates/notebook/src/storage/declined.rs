use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The most names that are kept.
const MAX: usize = 1_000;

/// Names of what was suggested, saved, and taken out again: what somebody decided against is not brought back unasked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Declined(BTreeSet<String>);

impl Declined {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `id` is among them.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    pub(crate) fn note(&mut self, id: &str) {
        if self.0.len() < MAX {
            self.0.insert(id.to_owned());
        }
    }

    /// Somebody wants it after all.
    pub(crate) fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }
}
