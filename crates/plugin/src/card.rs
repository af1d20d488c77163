use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of a plugin's name, and of its version, in characters.
pub(crate) const MAX_NAME: usize = 64;

windlass_base::word_enum! {
    /// The data that a plugin's output may depend on.
    ///
    /// The plugin declares it, and we check the declaration against its imports.
    Purity, "purity" {
        /// The output depends on nothing but the input.
        Pure = "pure",
        /// The output depends on the input, and on what the plugin reads from the repository and the
        /// notebook.
        Reads = "reads",
        /// The output also depends on the time or on random numbers.
        Free = "free",
    }
}

/// A plugin's description of itself, which we get by running its `describe` once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The name used in steps, e.g. `codeowners`.
    ///
    /// It consists of lower-case letters, digits and `-`.
    pub name: String,
    /// Semantic version, e.g. `1.2.3`.
    pub version: String,
    /// The plugin's purpose, on one line of at most 300 characters.
    pub purpose: String,
    /// The declared purity. We only cache the outputs of pure plugins.
    pub purity: Purity,
    /// The output field with the main list, if there's one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: Value,
}

impl Card {
    /// The major part of the version, which steps have to name, as in `plugin:codeowners@1`.
    #[must_use]
    pub fn major(&self) -> u64 {
        major_of(&self.version).unwrap_or_default()
    }
}

/// Parses the major part of a semantic version.
///
/// Returns `None` if the text isn't one, e.g. if it only has two parts.
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
