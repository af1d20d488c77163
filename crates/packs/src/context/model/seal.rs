use serde_json::{Map, Value};
use windlass_base::Digest;

use crate::context::{ContextPack, PackId, SCHEMA_VERSION};

/// The fields that are no part of what makes a pack: its name, when it was made, and what is said of how it is shown.
const OUTSIDE: [&str; 5] = ["packId", "createdAt", "budget", "truncation", "nextActions"];

/// Why a pack is not known to be whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotSealed {
    /// Its name does not follow from its contents.
    #[error(
        "its `packId` is {id}, and its contents make {contents}: it was changed, or another tool made it"
    )]
    OtherContents {
        /// The name it has.
        id: PackId,
        /// The name it would have.
        contents: PackId,
    },
    /// It is what was shown of a pack.
    #[error("it is what was shown of pack {id} within a budget, and not all of it")]
    View {
        /// The pack.
        id: PackId,
    },
}

/// Leaves out which tests there were, which follows from the files of results, whose hashes are there; and what is said of one run
/// alone, which stands beside it as well. A view has neither.
fn leave_names_out(delta: &mut Map<String, Value>) {
    match delta.get_mut("runs").and_then(Value::as_array_mut) {
        Some(runs) if runs.len() > 1 => {
            for run in runs.iter_mut().filter_map(Value::as_object_mut) {
                run.remove("names");
            }
        }
        _ => drop(delta.remove("runs")),
    }
}

/// BLAKE3 of the canonical JSON of all that makes a pack.
#[must_use]
pub(crate) fn content_digest(pack: &ContextPack) -> Digest {
    // A pack has no keys that are no texts, and no numbers beyond 64 bits: it always has a canonical form.
    let mut value = serde_json::to_value(pack).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        for field in OUTSIDE {
            fields.remove(field);
        }
        let delta = fields.get_mut("delta").and_then(Value::as_object_mut);
        if let Some(delta) = delta {
            leave_names_out(delta);
        }
    }
    Digest::of_json(&value).unwrap_or_else(|_| Digest::of_bytes(b""))
}

impl ContextPack {
    /// The pack with the name that follows from its contents; nothing in it is about how it is shown.
    #[must_use]
    pub fn seal(mut self) -> Self {
        self.schema_version = Some(SCHEMA_VERSION);
        self.budget = None;
        self.truncation = None;
        self.next_actions.clear();
        self.pack_id = PackId::of_digest(&content_digest(&self));
        self
    }

    /// Whether it is all of the pack that its name stands for.
    ///
    /// # Errors
    /// When it is what was shown of one, or its name does not follow from its contents.
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
