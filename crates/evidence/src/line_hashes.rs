use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use windlass_repo::SourceFile;

/// A short hash of each line of a span: enough to find candidates, never enough to prove one.
///
/// Lines that hold a secret are left out, since a short text can be guessed from its hash.
/// Written as base64 of four bytes a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHashes(Vec<u32>);

/// Stands for a line that was left out.
const ANY: u32 = 0;

impl LineHashes {
    /// The hashes of lines `first` to `last` of `file`, both included, without those of secret lines.
    #[must_use]
    pub fn of(file: &SourceFile, first: u32, last: u32) -> Self {
        let hash = |line: u32| {
            if file.is_secret_line(line) {
                ANY
            } else {
                short_hash(file.line(line).unwrap_or(b""))
            }
        };
        Self((first..=last).map(hash).collect())
    }

    /// Where `self` matches in `lines` (all lines of a file, secret ones included), as offsets from 0.
    pub(crate) fn positions<'a>(&'a self, lines: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
        let windows = lines.windows(self.0.len().max(1)).enumerate();
        windows
            .filter(|(_, window)| self.matches(window))
            .map(|(at, _)| at)
    }

    fn matches(&self, window: &[u32]) -> bool {
        self.0.len() == window.len()
            && self
                .0
                .iter()
                .zip(window)
                .all(|(own, line)| *own == ANY || own == line)
    }

    /// How many lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The hashes of all lines of `file`, to look for [`LineHashes`] in.
pub(crate) fn all_lines(file: &SourceFile) -> Vec<u32> {
    (1..=file.line_count())
        .map(|line| short_hash(file.line(line).unwrap_or(b"")))
        .collect()
}

fn short_hash(line: &[u8]) -> u32 {
    let hash = blake3::hash(line);
    let [a, b, c, d, ..] = *hash.as_bytes();
    u32::from_le_bytes([a, b, c, d]).max(ANY + 1)
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
        if bytes.len() % 4 != 0 {
            return Err(D::Error::custom("line hashes take four bytes each"));
        }
        let hash = |chunk: &[u8]| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        Ok(Self(bytes.chunks_exact(4).map(hash).collect()))
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
