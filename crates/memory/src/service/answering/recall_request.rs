//! The request and the report of a recall.

use windlass_base::{Limit, did_you_mean};

use super::recollection::Recollection;

/// A source to search besides the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlsoSource {
    /// Anchors in the notebook, which point to captured lines of a file.
    Notebook,
    /// Playbook entries in any document of the repository.
    Playbook,
}

impl AlsoSource {
    /// All sources.
    pub const ALL: [Self; 2] = [Self::Notebook, Self::Playbook];

    /// Returns the name used in arguments.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notebook => "notebook",
            Self::Playbook => "playbook",
        }
    }

    /// Parses a source from its name.
    ///
    /// # Errors
    /// Returns a message with the known names if there is no such source.
    pub fn parse(word: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::as_str);
        let found = Self::ALL.into_iter().find(|source| source.as_str() == word);
        found.ok_or_else(|| {
            let near = did_you_mean(word, known.iter().copied())
                .map(|near| format!("; did you mean `{near}`?"));
            format!(
                "unknown source `{word}`{}; known sources: {}",
                near.unwrap_or_default(),
                known.join(", ")
            )
        })
    }
}

/// A recall's query and output options.
#[derive(Debug, Clone)]
pub struct RecallRequest {
    /// The query in the caller's own words.
    pub query: String,
    /// Maximum number of matches.
    pub matches: usize,
    /// True to explain each match's score.
    pub explain: bool,
    /// Other sources to search.
    pub also: Vec<AlsoSource>,
    /// Budget of the output. Defaults to 6000 characters.
    pub limit: Option<Limit>,
    /// Format of the printed text.
    pub format: RecallFormat,
}

/// Output format of a recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallFormat {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
    /// TRON for agents.
    Tron,
}

/// A printed recall and its data.
#[derive(Debug, Clone)]
pub struct RecallReport {
    /// The answer in the requested format.
    pub printed: String,
    /// The recall as data.
    pub recollection: Recollection,
}
