//! What is asked, and what comes of it.

use windlass_base::{Limit, did_you_mean};

use super::recollection::Recollection;

/// Where else is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlsoSource {
    /// Anchors of the notebook.
    Notebook,
    /// Entries of playbooks in the repository, whatever the documents are called that have them.
    Playbook,
}

impl AlsoSource {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Notebook, Self::Playbook];

    /// The word that is typed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notebook => "notebook",
            Self::Playbook => "playbook",
        }
    }

    /// The source that is called `word`.
    ///
    /// # Errors
    /// When there is none: what may be meant.
    pub fn parse(word: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::as_str);
        let found = Self::ALL.into_iter().find(|source| source.as_str() == word);
        found.ok_or_else(|| {
            let near = did_you_mean(word, known.iter().copied())
                .map(|near| format!("; did you mean `{near}`?"));
            format!(
                "there is no source `{word}`{}; there are: {}",
                near.unwrap_or_default(),
                known.join(", ")
            )
        })
    }
}

/// What is to be recalled, and how it is printed.
#[derive(Debug, Clone)]
pub struct RecallRequest {
    /// What somebody asks, in their own words.
    pub query: String,
    /// How many matches are named at most.
    pub matches: usize,
    /// Whether it is said how scores came about.
    pub explain: bool,
    /// Where else is looked.
    pub also: Vec<AlsoSource>,
    /// How much is printed; 6000 characters if not said.
    pub limit: Option<Limit>,
    /// How it is printed.
    pub format: RecallFormat,
}

/// How a recall is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecallFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For agents.
    Tron,
}

/// A recall as it is printed, and what it says.
#[derive(Debug, Clone)]
pub struct RecallReport {
    /// What is printed.
    pub printed: String,
    /// What it says.
    pub recollection: Recollection,
}
