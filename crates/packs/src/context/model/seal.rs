use serde_json::{Map, Value};
use windlass_base::Digest;

use crate::context::{ContextPack, PackId, SCHEMA_VERSION};

/// Fields that don't belong to a pack's contents, such as its id, its creation time and its
/// presentation.
const OUTSIDE: [&str; 5] = ["packId", "createdAt", "budget", "truncation", "nextActions"];

/// Reason why a pack may have been changed or cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// The pack's id doesn't match its contents.
    #[error(
        "its `packId` is {id}, but its contents give {contents}: it was changed, or made by another tool"
    )]
    OtherContents {
        /// The id stated by the pack.
        id: PackId,
        /// The id computed from the contents.
        contents: PackId,
    },
    /// The pack is only the part that was shown within a budget.
    #[error("it is only the shown part of pack {id}, cut to a budget")]
    View {
        /// The whole pack's id.
        id: PackId,
    },
}

/// Removes the fields of a delta that don't count as contents. Test names follow from the hashed
/// results files, and a single run only repeats the delta. A shown pack has neither, so they must
/// not affect the digest.
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

/// Returns the digest of a pack's contents: BLAKE3 over their canonical JSON.
#[must_use]
pub(crate) fn content_digest(pack: &ContextPack) -> Digest {
    // Canonical JSON always exists here: a pack has only string keys and no numbers beyond 64 bits.
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
    /// Gives the pack the id derived from its contents and removes its presentation.
    #[must_use]
    pub fn seal(mut self) -> Self {
        self.schema_version = Some(SCHEMA_VERSION);
        self.budget = None;
        self.truncation = None;
        self.next_actions.clear();
        self.pack_id = PackId::of_digest(&content_digest(&self));
        self
    }

    /// Checks that the pack is complete and that its id matches its contents.
    ///
    /// # Errors
    ///
    /// Returns an error if the pack is only a shown part, or if its id does not match.
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
