//! Parsing of packs and payloads, possibly written by other tools.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::{ContextPack, EdgePayload, SCHEMA_VERSION};

/// Reason why a value is neither a pack nor a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPack {
    /// A newer version of this program wrote it.
    #[error(
        "it has `schema_version` {found}, and this windlass knows {SCHEMA_VERSION}: a newer one wrote it, and rewriting it could lose what \
         is new; update windlass"
    )]
    Newer {
        /// The version it has.
        found: u64,
    },
    /// It does not have the shape.
    #[error("{0}")]
    Shape(String),
}

/// True if `value` looks like a pack.
#[must_use]
pub fn is_likely_pack(value: &Value) -> bool {
    ["packId", "docRefs", "definitionOfDone"]
        .iter()
        .filter(|field| value.get(field).is_some())
        .count()
        >= 2
}

/// True if `value` looks like a payload.
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
/// If it has another shape, or a newer version.
pub fn read_pack(value: Value) -> Result<ContextPack, NotAPack> {
    check_version(&value)?;
    shaped(value)
}

/// Parses a payload. Unknown fields are retained.
///
/// # Errors
/// See [`read_pack`].
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
