//! Gives a pack its ID, which is a digest of its contents.
//!
//! With the ID, we can tell if a pack from a file is complete and unchanged.

use serde_json::{Map, Value};
use windlass_base::Digest;

use crate::context::{ContextPack, PackId, SCHEMA_VERSION};

/// Fields that do not belong to the contents: the ID, the creation time, and everything about the
/// way the pack is shown.
const OUTSIDE: [&str; 5] = ["packId", "createdAt", "budget", "truncation", "nextActions"];

/// The reason why a pack may not be complete or unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// The ID does not match the contents.
    #[error(
        "its `packId` is {id}, but its contents give {contents}: it was changed, or made by another tool"
    )]
    OtherContents {
        /// The ID stated by the pack.
        id: PackId,
        /// The ID that matches the contents.
        contents: PackId,
    },
    /// The pack is only the part that fits a budget.
    #[error("it is only the shown part of pack {id}, cut to a budget")]
    View {
        /// The ID of the whole pack.
        id: PackId,
    },
}

/// Removes test names, which we do not hash.
///
/// They can be derived from the results files, whose hashes are included, and a single run just
/// repeats the delta. If a pack has been cut, it has neither, but it must still have the same
/// digest.
fn remove_test_names(delta: &mut Map<String, Value>) {
    match delta.get_mut("runs").and_then(Value::as_array_mut) {
        Some(runs) if runs.len() > 1 => {
            for run in runs.iter_mut().filter_map(Value::as_object_mut) {
                run.remove("names");
            }
        }
        _ => drop(delta.remove("runs")),
    }
}

/// Computes the digest of the contents: BLAKE3 over their canonical JSON.
#[must_use]
pub(crate) fn content_digest(pack: &ContextPack) -> Digest {
    // A canonical form always exists, since a pack only has string keys and no numbers beyond 64
    // bits.
    let mut value = serde_json::to_value(pack).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        for field in OUTSIDE {
            fields.remove(field);
        }
        let delta = fields.get_mut("delta").and_then(Value::as_object_mut);
        if let Some(delta) = delta {
            remove_test_names(delta);
        }
    }
    Digest::of_json(&value).unwrap_or_else(|_| Digest::of_bytes(b""))
}

impl ContextPack {
    /// Sets the ID, and removes everything about the way the pack is shown.
    #[must_use]
    pub fn seal(mut self) -> Self {
        self.schema_version = Some(SCHEMA_VERSION);
        self.budget = None;
        self.truncation = None;
        self.next_actions.clear();
        self.pack_id = PackId::of_digest(&content_digest(&self));
        self
    }

    /// Checks that the pack is complete, and that its ID matches its contents.
    ///
    /// # Errors
    /// Returns an error if the pack was cut to a budget, or if its ID is wrong.
    pub fn check_seal(&self) -> Result<(), NotSealed> {
        let id = self.pack_id;
        let contents = PackId::of_digest(&content_digest(self));
        if contents == id {
            return Ok(());
        }
        match self.truncation {
            Some(_) => Err(NotSealed::View { id }),
            None => Err(NotSealed::OtherContents { id, contents }),
        }
    }
}
