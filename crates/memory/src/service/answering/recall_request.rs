use windlass_base::{Limit, did_you_mean, similar_hint};

use super::recollection::Recollection;

windlass_base::word_enum! {
    /// A source that is searched in addition to the memory.
    AlsoSource, "source" {
        /// Anchors in the notebook, which are captured lines of a file.
        Notebook = "notebook",
        /// Playbook entries in any document of the repository.
        Playbook = "playbook",
    }
}

impl AlsoSource {
    /// Parses a name, as returned by [`as_str`](Self::as_str).
    ///
    /// # Errors
    /// Returns a message with the known sources if this is not one of them.
    pub fn parse(word: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::as_str);
        Self::from_word(word).ok_or_else(|| {
            let near = similar_hint(did_you_mean(word, known));
            let known = known.join(", ");
            format!("unknown source `{word}`{near}; known sources: {known}")
        })
    }
}

/// A request for [`MemoryService::recall`](crate::MemoryService::recall).
#[derive(Debug, Clone)]
pub struct RecallRequest {
    /// The query, in the words of the user.
    pub query: String,
    /// The maximum number of matches.
    pub matches: usize,
    /// True to explain the score of each match.
    pub explain: bool,
    /// Sources to search in addition to the memory.
    pub also: Vec<AlsoSource>,
    /// The budget for the output. Without one, we use 6000 characters.
    pub limit: Option<Limit>,
    /// The format of [`RecallReport::printed`].
    pub format: RecallFormat,
}

/// The output formats of a recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallFormat {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
    /// TRON for agents.
    Tron,
}

/// An answer, both as data and in printed form.
#[derive(Debug, Clone)]
pub struct RecallReport {
    /// The answer, in the requested format.
    pub printed: String,
    /// The answer as data.
    pub recollection: Recollection,
}
