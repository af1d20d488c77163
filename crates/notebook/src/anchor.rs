//! Anchors as stored in the notebook.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use windlass_base::{Capture, Ident, Item, LineSpan, Pointer, RepoPath, SourceHash};
use windlass_evidence::{Captured, Claim, claim_here};
use windlass_repo::Snapshot;

use crate::relocation::Relocation;
use crate::text_mark::Mark;

/// A durable reference to something that matters. Its name stays the same when the lines move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Anchor {
    /// The anchor's name, unique in the notebook.
    pub id: Ident,
    /// The anchor's kind.
    #[serde(default)]
    pub kind: AnchorKind,
    /// Human-readable title.
    pub label: String,
    /// Evidence that grounds the anchor. It is never empty.
    pub evidence: Vec<AnchorEvidence>,
    /// Fallback for finding the anchor once its evidence is stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// Globs that limit the search for the anchor. Empty searches the whole repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zone: Vec<String>,
    /// Repository state at capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<AnchorFreshness>,
    /// Search keywords.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Former locations of the evidence, each with the proof of its move. The newest is last, and
    /// at most eight are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
    /// Mark of the suggested state, or `None` for anchors created by a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<Mark>,
}

windlass_base::word_enum! {
    /// Anchor categories, selectable by runbook sections.
    #[derive(Default)]
    AnchorKind, "anchor kind" {
        /// Local conventions: setup, build, run, test.
        Canon = "canon",
        /// A gate in continuous integration.
        Ci = "ci",
        /// An interface, schema or format that others rely on.
        Contract = "contract",
        /// A place where execution or reading begins.
        Entrypoint = "entrypoint",
        /// A part of the repository with its own purpose.
        Zone = "zone",
        /// Something in progress.
        Work = "work",
        /// Anything else.
        #[default]
        Other = "other",
    }
}

/// One piece of anchor evidence: a pointer and the context captured with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnchorEvidence {
    /// The file containing the lines.
    pub file: RepoPath,
    /// First line, counted from 1.
    #[schemars(range(min = 1))]
    pub start_line: u32,
    /// Last line, inclusive.
    #[schemars(range(min = 1))]
    pub end_line: u32,
    /// Hash of the lines at capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<SourceHash>,
    /// Context for finding and proving the lines later, after an edit or a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}

impl AnchorEvidence {
    /// The line range. This is `None` if the numbers don't form a valid one, e.g. after an edit by
    /// hand.
    #[must_use]
    pub fn span(&self) -> Option<LineSpan> {
        LineSpan::new(self.start_line, self.end_line).ok()
    }

    /// The pointer to verify, or `None` if the line range is invalid.
    #[must_use]
    pub fn pointer(&self) -> Option<Pointer> {
        Some(Pointer {
            file: self.file.clone(),
            span: self.span()?,
            source_hash: self.source_hash,
        })
    }
}

impl From<Captured> for AnchorEvidence {
    fn from(captured: Captured) -> Self {
        let Captured { pointer, capture } = captured;
        Self {
            file: pointer.file,
            start_line: pointer.span.start(),
            end_line: pointer.span.end(),
            source_hash: pointer.source_hash,
            capture: Some(capture),
        }
    }
}

/// Fallback for finding an anchor once its evidence is stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Locator {
    /// The meaning of `value`.
    pub kind: LocatorKind,
    /// The symbol, pattern, glob or hash.
    pub value: String,
}

/// Locator types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocatorKind {
    /// A symbol name.
    Symbol,
    /// A regular expression.
    Grep,
    /// A glob over paths.
    PathGlob,
    /// The SHA-256 of the text.
    SnippetSha256,
    /// Free text, meant for a human reader.
    Other,
}

/// Repository state at the time an anchor was captured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnchorFreshness {
    /// Capture time, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<String>,
    /// The commit checked out at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_head: Option<String>,
}

impl Anchor {
    /// Describes the first piece of evidence with an invalid line range. We could never verify it,
    /// so we treat the whole anchor as damaged.
    fn problem(&self) -> Option<String> {
        let wrong = self
            .evidence
            .iter()
            .find(|evidence| evidence.span().is_none())?;
        let AnchorEvidence {
            file,
            start_line,
            end_line,
            ..
        } = wrong;
        Some(format!(
            "lines {start_line} to {end_line} of `{file}` are not a valid range"
        ))
    }

    /// The claim to verify for `evidence`, or `None` if its line range is invalid.
    ///
    /// If the capture has no commit of its own, it refers to the one stored with the anchor.
    #[must_use]
    pub fn claim(&self, evidence: &AnchorEvidence) -> Option<Claim> {
        let mut capture = evidence.capture.clone();
        if let (Some(capture), Some(freshness)) = (&mut capture, &self.freshness)
            && capture.commit.is_none()
        {
            capture.commit.clone_from(&freshness.git_head);
        }
        if let Some(capture) = &mut capture {
            capture.zone.clone_from(&self.zone);
        }
        Some(Claim {
            pointer: evidence.pointer()?,
            capture,
            spots: Vec::new(),
        })
    }

    /// Like [`Anchor::claim`], but accounts for files in an earlier state. For example, if another
    /// branch is checked out that doesn't have the move yet, the claim is for the former location.
    #[must_use]
    pub fn claim_here(&self, evidence: &AnchorEvidence, snapshot: &Snapshot) -> Option<Claim> {
        let claim = self.claim(evidence)?;
        let earlier = self.earlier(&claim.pointer);
        Some(claim_here(snapshot, claim, earlier))
    }

    /// True if `item` is this anchor as judged in `snapshot`.
    ///
    /// A name alone won't do, since packs also contain items of other origin. So the kind and at
    /// least one pointer must match as well.
    #[must_use]
    pub fn is_item(&self, item: &Item, snapshot: &Snapshot) -> bool {
        let is_named = item.id.as_deref() == Some(self.id.as_str())
            && item.kind.as_deref() == Some(self.kind.as_str());
        let is_in_item = |claim: Claim| item.evidence.iter().any(|it| it.pointer == claim.pointer);
        is_named
            && self
                .evidence
                .iter()
                .filter_map(|evidence| self.claim_here(evidence, snapshot))
                .any(is_in_item)
    }

    /// Claims for the former locations of the evidence at `pointer`, newest first.
    fn earlier(&self, pointer: &Pointer) -> Vec<Claim> {
        let (mut at, mut claims) = (pointer, Vec::new());
        // Follow the chain of moves back from `pointer`. The other relocations belong to other
        // pieces of evidence. A relocation whose capture was dropped can't be verified, but older
        // ones can.
        for relocation in self.relocations.iter().rev() {
            if relocation.repair.evidence.as_ref() == Some(at) {
                at = &relocation.from;
                claims.extend(relocation.capture.clone().map(|capture| Claim {
                    pointer: at.clone(),
                    capture: Some(Capture {
                        zone: self.zone.clone(),
                        ..capture
                    }),
                    spots: Vec::new(),
                }));
            }
        }
        claims
    }

    /// Judges the anchor in `snapshot`, as an item of a pack.
    ///
    /// This skips evidence with an invalid line range. An anchor without any other evidence is
    /// still an item, and it's up to the caller to decide about its status.
    #[must_use]
    pub fn judged(&self, snapshot: &Snapshot) -> Item {
        let judged = |evidence: &AnchorEvidence| {
            let claim = self.claim_here(evidence, snapshot)?;
            Some(claim.judged(snapshot))
        };
        Item {
            id: Some(self.id.to_string()),
            kind: Some(self.kind.as_str().to_owned()),
            label: self.label.clone(),
            fields: serde_json::Map::new(),
            fields_left_out: 0,
            context: 0,
            evidence: self.evidence.iter().filter_map(judged).collect(),
        }
    }
}

/// An anchor with valid line ranges only. Deserialization fails otherwise.
pub(crate) struct SoundAnchor(pub(crate) Anchor);

impl<'de> Deserialize<'de> for SoundAnchor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let anchor = Anchor::deserialize(deserializer)?;
        match anchor.problem() {
            Some(problem) => Err(D::Error::custom(problem)),
            None => Ok(Self(anchor)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_repo::Repo;

    use super::*;

    #[test]
    fn item_of_the_same_name_is_not_the_anchor() {
        let dir = tempfile::tempdir().unwrap();
        let snapshot = Repo::open(dir.path()).unwrap().snapshot();
        let anchor = |kind: &str, line: u32| -> Anchor {
            let evidence = json!([{"file": "a.rs", "start_line": line, "end_line": line}]);
            let anchor = json!({"id": "a", "kind": kind, "label": "A", "evidence": evidence});
            serde_json::from_value(anchor).unwrap()
        };
        let saved = anchor("contract", 1);
        let is_saved = |item: &Item| saved.is_item(item, &snapshot);
        let item = saved.judged(&snapshot);
        assert!(is_saved(&item));
        // The same name, but other lines or another kind.
        assert!(!is_saved(&anchor("contract", 2).judged(&snapshot)));
        assert!(!is_saved(&anchor("ci", 1).judged(&snapshot)));
        let of_memory = Some("decision".to_owned());
        assert!(!is_saved(&Item {
            kind: of_memory,
            ..item
        }));
    }
}
