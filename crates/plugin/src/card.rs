use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of a plugin's name and of its version, in characters.
pub(crate) const MAX_NAME: usize = 64;

/// Degrees of dependence of a plugin's output on anything besides its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purity {
    /// The output depends only on the input.
    Pure,
    /// The output depends on the input and on reads of the repository and the notebook.
    Reads,
    /// The output also depends on time or random numbers.
    Free,
}

/// A plugin's description of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The name used in steps. No two plugins share a name.
    pub name: String,
    /// Semantic version, as in `1.2.3`.
    pub version: String,
    /// The plugin's purpose, on one line.
    pub purpose: String,
    /// The declared purity, which tells whether an output can be cached.
    pub purity: Purity,
    /// The output field with the main list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: Value,
}

impl Card {
    /// Returns the version's major part.
    #[must_use]
    pub fn major(&self) -> u64 {
        major_of(&self.version).unwrap_or_default()
    }
}

impl Purity {
    /// Returns the word used in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Reads => "reads",
            Self::Free => "free",
        }
    }
}

/// Returns the major part of a semantic version.
pub(crate) fn major_of(version: &str) -> Option<u64> {
    let core = version.split(['-', '+']).next()?;
    let mut parts = core.split('.').map(|part| {
        let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<u64>().ok()).flatten()
    });
    let (major, _minor, _patch) = (parts.next()??, parts.next()??, parts.next()??);
    let short = version.len() <= MAX_NAME && version.is_ascii() && !version.contains(' ');
    (short && parts.next().is_none()).then_some(major)
}
