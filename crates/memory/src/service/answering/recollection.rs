//! What a recall answers, as programs read it.

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{NextAction, Pointer};

use crate::{Level, TermShare, words_told};

/// What a recall came up with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recollection {
    /// The version of this form.
    pub schema_version: u32,
    /// What was asked, secret values replaced.
    pub query: String,
    /// How sure it is that something of what is remembered is meant.
    pub level: Level,
    /// The same, in thousandths.
    pub confidence: u32,
    /// Why.
    pub reason: String,
    /// What was found, the best first. Where the level is `none`, what comes nearest: none of it is said to answer.
    pub matches: Vec<Recalled>,
    /// How many there are, those that are not shown included.
    pub total: usize,
    /// What was loaded, for whoever asked to read.
    pub loaded: Vec<Loaded>,
    /// What it took.
    pub budget: RecallBudget,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
    /// What to do next.
    pub next_actions: Vec<NextAction>,
}

/// Something that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Recalled {
    /// Its name: what `memory feedback` and `memory supersede` take.
    pub id: String,
    /// What it is: a kind of record, of anchor, or of entry of a playbook.
    pub kind: String,
    /// What a person calls it.
    pub title: String,
    /// How sure it is that it is meant, in thousandths.
    pub confidence: u32,
    /// How well it fits; only comparable within one answer and source.
    pub score: u32,
    /// The words of the question that stand in it.
    pub matched: Vec<String>,
    /// Those that stand nowhere, each with the word of it that it is taken for: `postgress (taken for postgres)`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// Where it was found: `memory`, `notebook`, `playbook`. Several where it was found as often.
    pub sources: Vec<&'static str>,
    /// What it replaced, where that is what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
    /// What became of its evidence; of anchors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Where it says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Pointer>,
    /// How its score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explained>,
}

impl Recalled {
    /// The words of the question that stand in it, for a sentence.
    pub(super) fn has(&self) -> String {
        words_told(&self.matched, &self.near)
    }

    /// Whether it is an anchor whose text is not verified anywhere, and no record says the same.
    pub(super) fn is_lost(&self) -> bool {
        let state = self.state.as_deref();
        self.sources == ["notebook"] && !matches!(state, None | Some("fresh" | "moved"))
    }
}

/// How a score came about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explained {
    /// What each word gave.
    pub words: Vec<TermShare>,
    /// What feedback taught of it for this question, in thousandths; below zero it is kept away.
    pub learned: i32,
}

/// Text that was loaded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Loaded {
    /// Where it stands.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The heading it stands below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it was loaded.
    pub why: String,
    /// What became of the anchor whose lines they are: `fresh`, or `moved` where they stand here now, and did not when it was captured.
    /// What does not stand is never loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What the record says of itself, as far as it was asked for; of a decision always when it was made and by whom, where there is room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<LoadedField>,
    /// The lines, secret values replaced.
    pub text: String,
    /// Whether something of it stands before what is shown here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub begins_within: bool,
    /// Whether it goes on where it ends here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A field of a record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LoadedField {
    /// Where it stands.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Its name, and what it says, secret values replaced.
    pub text: String,
}

/// What a recall took.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecallBudget {
    /// How many characters may be printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<usize>,
    /// How many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// How many are.
    pub used: usize,
    /// Whether something was left out for it.
    pub truncated: bool,
    /// How many entries were looked through by their words.
    pub scanned: usize,
    /// Whether something of the summary was loaded.
    pub summaries_loaded: usize,
    /// How many records something was loaded of.
    pub records_loaded: usize,
}
