//! BLAKE3 digests, which identify contents throughout Windlass.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::{CanonicalError, canonical_json, decode_hex, encode_hex};

const PREFIX: &str = "blake3:";

/// A BLAKE3 digest. Its text is `blake3:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes bytes as they are.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Hashes the canonical JSON of `value`, so that equal values have equal digests.
    ///
    /// # Errors
    /// Returns an error if `value` has no canonical JSON form.
    pub fn of_json<T: Serialize>(value: &T) -> Result<Self, CanonicalError> {
        Ok(Self::of_bytes(&canonical_json(value)?))
    }

    /// Returns the bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns just the 64 hex digits, for file names, where a colon is not allowed everywhere.
    #[must_use]
    pub fn hex(&self) -> String {
        encode_hex(&self.0)
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix(PREFIX)
            .and_then(decode_hex)
            .map(Self)
            .ok_or_else(|| {
                format!("`{text}` is not a digest: expected `{PREFIX}` and 64 hexadecimal digits")
            })
    }
}

crate::written_as_text!(Digest);
