use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::{decode_hex, encode_hex};

const PREFIX: &str = "sha256:";

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

    /// Returns the bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for PluginDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", encode_hex(&self.0))
    }
}

impl fmt::Debug for PluginDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PluginDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix(PREFIX)
            .and_then(decode_hex)
            .map(Self)
            .ok_or_else(|| {
                format!(
                    "`{text}` is not the digest of a plugin: expected `{PREFIX}` and 64 hexadecimal digits"
                )
            })
    }
}

crate::written_as_text!(PluginDigest);
