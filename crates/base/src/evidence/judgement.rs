use serde::{Deserialize, Serialize};

use super::Pointer;

/// What became of a piece of evidence: only what was read and has the hash it had is fresh.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// The file is there, the span lies inside it, and the lines have the recorded hash.
    Fresh,
    /// The lines at the place have another hash.
    StaleHashMismatch,
    /// There is no such file.
    MissingFile,
    /// The file is shorter than the span.
    SpanInvalid,
    /// The path leads to a file that holds secrets; it is not read.
    BlockedSecret,
    /// Nothing can be said: no hash was recorded, or the file cannot be read as text.
    Unknown,
}

impl Freshness {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::StaleHashMismatch => "stale_hash_mismatch",
            Self::MissingFile => "missing_file",
            Self::SpanInvalid => "span_invalid",
            Self::BlockedSecret => "blocked_secret",
            Self::Unknown => "unknown",
        }
    }
}

/// What became of a piece of evidence that is no longer fresh.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RepairOutcome {
    /// The same text stands at another place.
    Moved,
    /// The place is known, the text changed.
    Edited,
    /// More than one place could be meant; none is claimed.
    Ambiguous,
    /// Proven to be no longer there.
    Gone,
    /// Nothing is claimed.
    Unproven,
}

impl RepairOutcome {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Edited => "edited",
            Self::Ambiguous => "ambiguous",
            Self::Gone => "gone",
            Self::Unproven => "unproven",
        }
    }
}

/// How a new place was found.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RepairMethod {
    /// The text was unique in the file when it was captured, and is unique in it now.
    UniqueInFile,
    /// Two ways of comparing the old file with the new one carry every line of the text to this place.
    Diff,
    /// Both carry at least half of the text to this place, and a line next to it.
    DiffEdited,
    /// The text was unique when it was captured and is unique now, but for blanks.
    UniqueButBlanks,
    /// The text stands in another file now, which did not have it, and nowhere else.
    OtherFile,
    /// No place is as much like the text, and no other text of the old file as much like the place.
    Alignment,
    /// Most of its lines stand between the lines that stood around it, as far as the hashes tell that were noted of them.
    Surroundings,
    /// The text was followed through every commit since it was captured.
    History,
    /// Its file, or the place it had, is gone, and nothing like it came anywhere else.
    NothingLikeIt,
}

impl RepairMethod {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UniqueInFile => "unique_in_file",
            Self::Diff => "diff",
            Self::DiffEdited => "diff_edited",
            Self::UniqueButBlanks => "unique_but_blanks",
            Self::OtherFile => "other_file",
            Self::Alignment => "alignment",
            Self::Surroundings => "surroundings",
            Self::History => "history",
            Self::NothingLikeIt => "nothing_like_it",
        }
    }
}

/// What is known of evidence that is no longer fresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Repair {
    /// What became of it.
    pub outcome: RepairOutcome,
    /// The new place, with the hash it has there; only for `moved` and `edited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Pointer>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<RepairMethod>,
    /// In percent, 0 to 100; 100 is byte identity, or proof that it is gone. For an edited text: how much of it was
    /// kept.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub confidence: u8,
    /// The full id of the commit that last moved it to another file, edited it or took it out, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// At most three places to look at, when none is claimed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Pointer>,
}

impl Repair {
    /// Nothing is claimed.
    #[must_use]
    pub fn unproven() -> Self {
        Self {
            outcome: RepairOutcome::Unproven,
            evidence: None,
            method: None,
            confidence: 0,
            commit: None,
            candidates: Vec::new(),
        }
    }
}

/// The verdict on one pointer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Judgement {
    /// Its status.
    pub status: Freshness,
    /// Why, in one sentence, where the status alone does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What became of it, where it is not fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
}

impl Judgement {
    /// A verdict without a repair.
    #[must_use]
    pub fn new(status: Freshness, reason: Option<String>) -> Self {
        Self {
            status,
            reason,
            repair: None,
        }
    }

    /// Whether the evidence stands where it was captured, verified.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.status == Freshness::Fresh
    }

    /// What became of it, if that is known.
    #[must_use]
    pub fn outcome(&self) -> Option<RepairOutcome> {
        self.repair.as_ref().map(|repair| repair.outcome)
    }
}
