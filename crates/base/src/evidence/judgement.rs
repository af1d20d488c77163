use serde::{Deserialize, Serialize};

use super::Pointer;

crate::word_enum! {
    /// Status of a piece of evidence. Only lines that were read and match the recorded hash are
    /// fresh.
    Freshness, "freshness" {
        /// The file exists, the span is inside it, and the lines match the recorded hash.
        Fresh = "fresh",
        /// The lines at the location have another hash.
        StaleHashMismatch = "stale_hash_mismatch",
        /// The file does not exist.
        MissingFile = "missing_file",
        /// The file is shorter than the span.
        SpanInvalid = "span_invalid",
        /// The path leads to a file with secrets, which is never read.
        BlockedSecret = "blocked_secret",
        /// The evidence can't be verified, because no hash was recorded or the file can't be read
        /// as text.
        Unknown = "unknown",
    }
}

crate::word_enum! {
    /// Outcome of locating evidence that is no longer fresh.
    RepairOutcome, "outcome of a repair" {
        /// The same text is at another location.
        Moved = "moved",
        /// The location is known, but the text has changed.
        Edited = "edited",
        /// Several locations are possible, so none is claimed.
        Ambiguous = "ambiguous",
        /// The text was proven to be removed.
        Gone = "gone",
        /// No claim.
        Unproven = "unproven",
    }
}

crate::word_enum! {
    /// Method by which a new location was found.
    RepairMethod, "method of a repair" {
        /// The text was unique in the file at capture, and is unique in it now.
        UniqueInFile = "unique_in_file",
        /// Two ways of comparing the old with the new file map every line of the text to this
        /// location.
        Diff = "diff",
        /// The text was unique at capture and is unique now, apart from blanks.
        UniqueButBlanks = "unique_but_blanks",
        /// The text is now in another file and nowhere else, and that file didn't contain it
        /// before.
        OtherFile = "other_file",
        /// No other location is as similar to the text, and no other text of the old file is as
        /// similar to the location.
        Alignment = "alignment",
        /// According to the recorded hashes, most of its lines are between the lines that used to
        /// surround it.
        Surroundings = "surroundings",
        /// The text was traced through every commit since capture.
        History = "history",
        /// Its file or location is gone, and nothing similar has appeared elsewhere.
        NothingLikeIt = "nothing_like_it",
    }
}

/// Repair of evidence that is no longer fresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Repair {
    /// The repair's result.
    pub outcome: RepairOutcome,
    /// New location with its current hash. Only for `moved` and `edited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Pointer>,
    /// Method by which the location was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<RepairMethod>,
    /// Confidence in percent, 0 to 100. Byte identity and proof of removal have 100. For an edited
    /// text, it's the retained share.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub confidence: u8,
    /// Full id of the commit that last moved the text to another file, edited or removed it, if
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// At most three candidate locations, if none is claimed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Pointer>,
}

impl Repair {
    /// Creates a repair without a proven location or any candidates.
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

/// The verdict on a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Judgement {
    /// The evidence's status.
    pub status: Freshness,
    /// Reason in one sentence, if the status doesn't explain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Repair of evidence that isn't fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
}

impl Judgement {
    /// Creates a verdict without a repair, because none was attempted so far.
    #[must_use]
    pub fn new(status: Freshness, reason: Option<String>) -> Self {
        Self {
            status,
            reason,
            repair: None,
        }
    }

    /// Returns true if the lines at the captured location still have the recorded hash.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.status == Freshness::Fresh
    }

    /// Returns the result of the repair, or `None` if there was no attempt.
    #[must_use]
    pub fn outcome(&self) -> Option<RepairOutcome> {
        self.repair.as_ref().map(|repair| repair.outcome)
    }
}
