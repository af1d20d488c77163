//! Remembers the suggestions that the user doesn't want.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Maximum number of stored names. We don't record any more after that, so suggestions declined
/// later will come back.
const MAX: usize = 1_000;

/// Names of suggestions that the user saved and then deleted. Without this list, `suggest --apply`
/// would bring them back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Declined(BTreeSet<String>);

impl Declined {
    /// True if the user has not declined any suggestion.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the user has declined the suggestion `id`.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    pub(crate) fn note(&mut self, id: &str) {
        if self.0.len() < MAX {
            self.0.insert(id.to_owned());
        }
    }

    pub(crate) fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }
}
