use serde_json::{Map, Value};
use windlass_base::Digest;

use crate::context::{ContextPack, PackId, SCHEMA_VERSION};

/// Fields that are not part of the contents of a pack: its id, its creation time, and its presentation.
const OUTSIDE: [&str; 5] = ["packId", "createdAt", "budget", "truncation", "nextActions"];

/// Reason why a pack is not known to be whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// Its name does not follow from its contents.
    #[error(
        "its `packId` is {id}, but its contents give {contents}: it was changed, or made by another tool"
    )]
    OtherContents {
        /// The name it has.
        id: PackId,
        /// The name it would have.
        contents: PackId,
    },
    /// It is the shown part of a pack.
    #[error("it is only the shown part of pack {id}, cut to a budget")]
    View {
        /// Id of the pack.
        id: PackId,
    },
}

/// Removes the names of tests, which follow from the hashed results files; and a single run, which repeats the delta. A
/// view has neither.
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

/// Returns BLAKE3 of the canonical JSON of the contents of a pack.
#[must_use]
pub(crate) fn content_digest(pack: &ContextPack) -> Digest {
    // A pack has only string keys, and no numbers beyond 64 bits: it always has a canonical form.
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
    /// Returns the pack with the id derived from its contents, and without its presentation.
    #[must_use]
    pub fn seal(mut self) -> Self {
        self.schema_version = Some(SCHEMA_VERSION);
        self.budget = None;
        self.truncation = None;
        self.next_actions.clear();
        self.pack_id = PackId::of_digest(&content_digest(&self));
        self
    }

    /// Checks that this is the complete pack and that its id matches its contents.
    ///
    /// # Errors
    ///
    /// If it is a shown part of a pack, or its id does not match.
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
