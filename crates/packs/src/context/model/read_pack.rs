//! Parses packs and payloads, which may come from other tools.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::{ContextPack, EdgePayload, SCHEMA_VERSION};

/// The reason why a value isn't a pack or a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPack {
    /// It was written by a newer version of Windlass, so we might drop something when rewriting it.
    #[error(
        "it has `schema_version` {found}, and this windlass knows {SCHEMA_VERSION}: a newer one wrote it, and rewriting it could lose what \
         is new; update windlass"
    )]
    Newer {
        /// The version stated in the value.
        found: u64,
    },
    /// A required field is missing, or has a wrong value.
    #[error("{0}")]
    Shape(String),
}

/// True if a value is probably meant to be a pack. This looks for two typical fields, so that a
/// mistake in one of them still gets a useful error.
#[must_use]
pub fn is_likely_pack(value: &Value) -> bool {
    ["packId", "docRefs", "definitionOfDone"]
        .iter()
        .filter(|field| value.get(field).is_some())
        .count()
        >= 2
}

/// True if a value is probably meant to be a payload.
#[must_use]
pub fn is_likely_payload(value: &Value) -> bool {
    ["payloadId", "fromNodeId", "edgeId"]
        .iter()
        .filter(|field| value.get(field).is_some())
        .count()
        >= 2
}

/// Parses a pack. Unknown fields are kept, as are packs without a version, which come from other
/// tools.
///
/// # Errors
/// Returns an error if a required field is missing, or if the version is newer than ours.
pub fn read_pack(value: Value) -> Result<ContextPack, NotAPack> {
    check_version(&value)?;
    shaped(value)
}

/// Like [`read_pack`], for a payload.
///
/// # Errors
/// Returns an error in the same cases as [`read_pack`].
pub fn read_payload(value: Value) -> Result<EdgePayload, NotAPack> {
    check_version(&value)?;
    shaped(value)
}

fn check_version(value: &Value) -> Result<(), NotAPack> {
    match value.get("schema_version").and_then(Value::as_u64) {
        Some(found) if found > u64::from(SCHEMA_VERSION) => Err(NotAPack::Newer { found }),
        _ => Ok(()),
    }
}

fn shaped<T: DeserializeOwned>(value: Value) -> Result<T, NotAPack> {
    serde_json::from_value(value).map_err(|error| NotAPack::Shape(error.to_string()))
}
