//! Parses packs and payloads, which may come from other tools.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::{ContextPack, EdgePayload, SCHEMA_VERSION};

/// Reason why a value can't be read as a pack or payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPack {
    /// The value was written by a newer version of Windlass.
    #[error(
        "it has `schema_version` {found}, and this windlass knows {SCHEMA_VERSION}: a newer one wrote it, and rewriting it could lose what \
         is new; update windlass"
    )]
    Newer {
        /// The value's version.
        found: u64,
    },
    /// The value lacks required fields.
    #[error("{0}")]
    Shape(String),
}

/// Returns true if `value` looks like it is meant to be a pack.
#[must_use]
pub fn is_likely_pack(value: &Value) -> bool {
    ["packId", "docRefs", "definitionOfDone"]
        .iter()
        .filter(|field| value.get(field).is_some())
        .count()
        >= 2
}

/// Returns true if `value` looks like it is meant to be a payload.
#[must_use]
pub fn is_likely_payload(value: &Value) -> bool {
    ["payloadId", "fromNodeId", "edgeId"]
        .iter()
        .filter(|field| value.get(field).is_some())
        .count()
        >= 2
}

/// Parses a pack. Unknown fields are retained.
///
/// # Errors
/// Returns an error if `value` does not have the required fields, or if its version is newer.
pub fn read_pack(value: Value) -> Result<ContextPack, NotAPack> {
    check_version(&value)?;
    shaped(value)
}

/// Parses a payload. Unknown fields are retained.
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
