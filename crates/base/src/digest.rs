//! Digests, which identify contents throughout Windlass.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::{CanonicalError, canonical_json, decode_hex, encode_hex};

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

/// SHA-256 of a component file. Registries use this hash too, so its text looks like theirs:
/// `sha256:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginDigest([u8; 32]);

impl PluginDigest {
    /// Hashes the bytes of a component.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

macro_rules! hex_after {
    ($prefix:literal, $name:ident, $what:literal) => {
        impl $name {
            /// Returns the bytes of the digest.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 32] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, encode_hex(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let bytes = text.strip_prefix($prefix).and_then(decode_hex);
                bytes.map(Self).ok_or_else(|| {
                    format!(
                        "`{text}` is not {}: expected `{}` and 64 hexadecimal digits",
                        $what, $prefix
                    )
                })
            }
        }

        crate::written_as_text!($name);
    };
}

hex_after!("blake3:", Digest, "a digest");
hex_after!("sha256:", PluginDigest, "the digest of a plugin");
