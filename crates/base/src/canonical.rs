use serde::Serialize;

/// A value that has no canonical JSON form (a map with non-string keys, a non-finite number).
#[derive(Debug, thiserror::Error)]
#[error("this value has no canonical JSON form: {0}")]
pub struct CanonicalError(#[from] serde_json::Error);

/// Serialises `value` as canonical JSON (RFC 8785): sorted keys, no spaces, one form per number and string.
///
/// # Errors
/// When the value cannot be expressed in JSON.
pub fn canonical_json<T: Serialize>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    Ok(serde_json_canonicalizer::to_vec(value)?)
}
