use serde::{Deserialize, Serialize};

use super::Pointer;

/// Status of a piece of evidence. Only lines that were read and match the recorded hash are fresh.
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
    /// The file exists, the span is inside it, and the lines match the recorded hash.
    Fresh,
    /// The lines at the location have another hash.
    StaleHashMismatch,
    /// The file does not exist.
    MissingFile,
    /// The file is shorter than the span.
    SpanInvalid,
    /// The path leads to a file with secrets, which is not read.
    BlockedSecret,
    /// Unverifiable: no hash was recorded, or the file cannot be read as text.
    Unknown,
}

impl Freshness {
    /// Returns the word used in JSON.
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

/// Result for a piece of evidence that is no longer fresh.
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
    /// The same text is at another location.
    Moved,
    /// The location is known, the text changed.
    Edited,
    /// Several locations are possible; none is claimed.
    Ambiguous,
    /// Proven to be removed.
    Gone,
    /// No claim.
    Unproven,
}

impl RepairOutcome {
    /// Returns the word used in JSON.
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

/// Method by which a new location was found.
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
    /// The text was unique in the file at capture, and is unique in it now.
    UniqueInFile,
    /// Two ways of comparing the old with the new file map every line of the text to this location.
    Diff,
    /// Both map at least half of the text to this location, and an adjacent line.
    DiffEdited,
    /// The text was unique at capture and is unique now, apart from blanks.
    UniqueButBlanks,
    /// The text is now in another file, which did not contain it before, and nowhere else.
    OtherFile,
    /// No other location is as similar to the text, and no other text of the old file as similar to the
    /// location.
    Alignment,
    /// Most of its lines are between the lines that surrounded it, according to the recorded hashes.
    Surroundings,
    /// The text was traced through every commit since capture.
    History,
    /// Its file or location is gone, and nothing similar appeared elsewhere.
    NothingLikeIt,
}

impl RepairMethod {
    /// Returns the word used in JSON.
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

/// Repair of evidence that is no longer fresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Repair {
    /// Result.
    pub outcome: RepairOutcome,
    /// New location, with its current hash; only for `moved` and `edited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Pointer>,
    /// Method by which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<RepairMethod>,
    /// Confidence in percent, 0 to 100; 100 for byte identity, or proof of removal. For an edited text: the
    /// retained share.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub confidence: u8,
    /// Full id of the commit that last moved it to another file, edited or removed it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// At most three candidate locations, if none is claimed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Pointer>,
}

impl Repair {
    /// Creates a repair that proves nothing.
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

/// Verdict on one pointer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Judgement {
    /// Status.
    pub status: Freshness,
    /// Reason in one sentence, if the status does not explain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Repair, if it is not fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
}

impl Judgement {
    /// Creates a verdict without a repair.
    #[must_use]
    pub fn new(status: Freshness, reason: Option<String>) -> Self {
        Self {
            status,
            reason,
            repair: None,
        }
    }

    /// True if the evidence was verified at its captured location.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.status == Freshness::Fresh
    }

    /// Returns the result of the repair, if there is one.
    #[must_use]
    pub fn outcome(&self) -> Option<RepairOutcome> {
        self.repair.as_ref().map(|repair| repair.outcome)
    }
}
