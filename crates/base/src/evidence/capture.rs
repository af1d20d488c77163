use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// What later proof needs of a captured pointer, beside its hash. Nothing of a secret line is in it.
///
/// It travels with the pointer wherever that is to be judged again; no pack shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Capture {
    /// How often the text stood in its file, itself included; counted to 100.
    pub copies_in_file: u32,
    /// How the file's lines ended.
    pub line_ending: LineEnding,
    /// A short hash of each line; absent for very long spans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_hashes: Option<LineHashes>,
    /// Short hashes of up to three lines before, the last of them next to the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<LineHashes>,
    /// Short hashes of up to three lines after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<LineHashes>,
    /// How much of the text stands elsewhere in its file as well, in percent, where it is most; 100 for a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub look_alike: Option<u8>,
    /// How many other files had the text, as it was; counted to 100. Absent where not all files could be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies_elsewhere: Option<u32>,
    /// How much of the text stood in another file as well, in percent, where it is most; 100 for a copy. Absent where not all
    /// files could be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub look_alike_elsewhere: Option<u8>,
    /// The qualified name of the innermost symbol that held all of the text, where its language has symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Where to look for it first: globs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zone: Vec<String>,
    /// The full id of the commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The full id of the file's contents in that commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnding {
    /// There is no line end.
    None,
    /// LF everywhere.
    Lf,
    /// CR LF everywhere.
    CrLf,
    /// Both.
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

/// A short hash of each line of a span, in order: enough to find candidates, never enough to prove one.
///
/// Written as base64 of four bytes a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHashes(Vec<u32>);

impl LineHashes {
    /// Stands for a line that was left out: any line may be meant.
    pub const LEFT_OUT: u32 = 0;

    /// The given hashes; [`LineHashes::LEFT_OUT`] for a line that is left out.
    #[must_use]
    pub fn new(hashes: Vec<u32>) -> Self {
        Self(hashes)
    }

    /// The hashes, one a line.
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
            return Err(D::Error::custom("line hashes take four bytes each"));
        }
        Ok(Self(
            hashes.iter().copied().map(u32::from_le_bytes).collect(),
        ))
    }
}

impl schemars::JsonSchema for LineHashes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LineHashes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "Base64 of four bytes for each line: a short hash, 0 where the line was left out.",
            "contentEncoding": "base64"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_hashes_that_are_none_are_refused() {
        for text in ["\"AAA\"", "\"A===\"", "\"AAAA\"", "\"é\"", "7"] {
            assert!(serde_json::from_str::<LineHashes>(text).is_err(), "{text}");
        }
        let none: LineHashes = serde_json::from_str("\"\"").unwrap();
        assert!(none.as_slice().is_empty());
    }

    proptest::proptest! {
        #[test]
        fn line_hashes_survive_being_written(hashes in proptest::collection::vec(0u32.., 0..20)) {
            let hashes = LineHashes::new(hashes);
            let json = serde_json::to_string(&hashes).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<LineHashes>(&json).unwrap(), hashes);
        }
    }
}
