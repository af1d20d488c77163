//! The context of evidence, recorded when it's captured.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A captured pointer's context, needed besides its hash to verify it later. Contains no data of
/// secret lines.
///
/// It's stored with the pointer wherever that will be verified again. Packs don't show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Capture {
    /// Number of occurrences of the snippet in its file, including itself. At most 100.
    pub copies_in_file: u32,
    /// The file's line endings.
    pub line_ending: LineEnding,
    /// Short hash of each line, absent for very long spans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_hashes: Option<LineHashes>,
    /// Short hashes of up to three preceding lines, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<LineHashes>,
    /// Short hashes of up to three following lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<LineHashes>,
    /// Similarity of the most similar other place in its file, in percent. 100 means a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub look_alike: Option<u8>,
    /// Number of other files with an identical snippet, at most 100. Absent if not all files could
    /// be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies_elsewhere: Option<u32>,
    /// Similarity of the most similar place in another file, in percent. 100 means a copy. Absent
    /// if not all files could be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub look_alike_elsewhere: Option<u8>,
    /// Qualified name of the innermost symbol around the snippet, if its language has symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Globs for the files to search first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zone: Vec<String>,
    /// Full id of the commit checked out at capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Full id of the file's contents in that commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// A file's line endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnding {
    /// The file has no line end.
    None,
    /// LF everywhere.
    Lf,
    /// CR LF everywhere.
    CrLf,
    /// Both LF and CR LF.
    Mixed,
}

impl fmt::Display for LineEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Mixed => "mixed",
        })
    }
}

/// Short hashes of the lines in a span, in order.
///
/// They're good enough for finding candidates, but never prove that two lines are equal. They're
/// serialized as base64, with four bytes per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHashes(Vec<u32>);

impl LineHashes {
    /// Stands for a line that has no hash. It matches any line.
    pub const LEFT_OUT: u32 = 0;

    /// Creates the hashes of a span. Use [`LineHashes::LEFT_OUT`] for lines that have none.
    #[must_use]
    pub fn new(hashes: Vec<u32>) -> Self {
        Self(hashes)
    }

    /// Returns one hash per line, some of which may be [`LineHashes::LEFT_OUT`].
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

impl Serialize for LineHashes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        serializer.serialize_str(&STANDARD_NO_PAD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for LineHashes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD_NO_PAD
            .decode(text.as_bytes())
            .map_err(D::Error::custom)?;
        let (hashes, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            return Err(D::Error::custom("line hashes have four bytes each"));
        }
        Ok(Self(
            hashes.iter().copied().map(u32::from_le_bytes).collect(),
        ))
    }
}

crate::text_schema!(LineHashes, "LineHashes", {
    "type": "string",
    "description": "Base64 of four bytes per line: a short hash, 0 for an omitted line.",
    "contentEncoding": "base64"
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_hashes_invalid_are_refused() {
        for text in ["\"AAA\"", "\"A===\"", "\"AAAA\"", "\"é\"", "7"] {
            assert!(serde_json::from_str::<LineHashes>(text).is_err(), "{text}");
        }
        let none: LineHashes = serde_json::from_str("\"\"").unwrap();
        assert!(none.as_slice().is_empty());
    }

    proptest::proptest! {
        #[test]
        fn line_hashes_round_trip(hashes in proptest::collection::vec(0u32.., 0..20)) {
            let hashes = LineHashes::new(hashes);
            let json = serde_json::to_string(&hashes).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<LineHashes>(&json).unwrap(), hashes);
        }
    }
}
