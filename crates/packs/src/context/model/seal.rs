use serde_json::{Map, Value};
use windlass_base::Digest;

use crate::context::{ContextPack, PackId, SCHEMA_VERSION};

/// Fields that are not part of the contents of a pack, such as its id, its creation time, and its presentation.
const OUTSIDE: [&str; 5] = ["packId", "createdAt", "budget", "truncation", "nextActions"];

/// Reason why a pack may have been changed or cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// The id of the pack does not match its contents.
    #[error(
        "its `packId` is {id}, but its contents give {contents}: it was changed, or made by another tool"
    )]
    OtherContents {
        /// Id that the pack has.
        id: PackId,
        /// Id that follows from its contents.
        contents: PackId,
    },
    /// The pack is only the part that was shown within a budget.
    #[error("it is only the shown part of pack {id}, cut to a budget")]
    View {
        /// Id of the whole pack.
        id: PackId,
    },
}

/// Removes the names of tests, since they follow from the hashed results files. Removes a single run, since it repeats
/// the delta. A shown pack has neither.
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

/// Returns the digest of the contents of a pack, which is BLAKE3 of their canonical JSON.
#[must_use]
pub(crate) fn content_digest(pack: &ContextPack) -> Digest {
    // A pack has only string keys and no numbers beyond 64 bits, so canonical JSON always exists.
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
    /// Gives the pack the id that is derived from its contents, and removes its presentation.
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
