use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::LineSpan;
use crate::{RepoPath, decode_hex, encode_hex};

/// Location of a claim's evidence: a file, its lines, and their hash at capture.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Pointer {
    /// The file, relative to the repository's root.
    pub file: RepoPath,
    /// The lines.
    #[serde(flatten)]
    pub span: LineSpan,
    /// Hash of the lines at capture. Without it, the claim cannot be verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<SourceHash>,
}

impl fmt::Display for Pointer {
    /// Formats as `src/main.rs:7-12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.span)
    }
}

/// A SHA-256 hash, as recorded in a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceHash {
    /// `sha256:<hex>`: the hash of the lines, joined by LF and without a line end after the last
    /// one. The line endings of the file thus make no difference.
    Span([u8; 32]),
    /// 64 hex digits without a prefix: the hash of the whole file. Only older notebooks have this.
    File([u8; 32]),
}

/// The error for a text that isn't a source hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a source hash: expected `sha256:` and 64 hexadecimal digits")]
pub struct SourceHashError(String);

const PREFIX: &str = "sha256:";

impl fmt::Display for SourceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Span(bytes) => write!(f, "{PREFIX}{}", encode_hex(bytes)),
            Self::File(bytes) => f.write_str(&encode_hex(bytes)),
        }
    }
}

impl fmt::Debug for SourceHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for SourceHash {
    type Err = SourceHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = match text.strip_prefix(PREFIX) {
            Some(hex) => decode_hex(hex).map(Self::Span),
            None => decode_hex(text).map(Self::File),
        };
        parsed.ok_or_else(|| SourceHashError(text.chars().take(80).collect()))
    }
}

crate::written_as_text!(SourceHash);

crate::text_schema!(SourceHash, "SourceHash", {
    "type": "string",
    "description": "`sha256:` and the hash of the lines joined by LF; a bare hash covers the whole file.",
    "pattern": "^(sha256:)?[0-9A-Fa-f]{64}$"
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_json_is_flat() {
        let json = r#"{"file":"a.rs","start_line":2,"end_line":3}"#;
        let pointer: Pointer = serde_json::from_str(json).unwrap();
        assert_eq!(pointer.to_string(), "a.rs:2-3");
        assert_eq!(serde_json::to_string(&pointer).unwrap(), json);
    }

    #[test]
    fn source_hash_kinds_are_distinct() {
        let hex = "ab".repeat(32);
        assert!(matches!(hex.parse(), Ok(SourceHash::File(_))));
        let span: SourceHash = format!("sha256:{hex}").parse().unwrap();
        assert!(matches!(span, SourceHash::Span(_)));
        assert_eq!(span.to_string(), format!("sha256:{hex}"));
        assert!("deadbeef".parse::<SourceHash>().is_err());
    }
}
