use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use windlass_base::{Capture, Ident, Item, LineSpan, Pointer, RepoPath, SourceHash};
use windlass_evidence::{Captured, Claim, claim_here};
use windlass_repo::Snapshot;

use crate::relocation::Relocation;
use crate::text_mark::Mark;

/// A durable reference to something that matters: its name stays the same when the lines move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Anchor {
    /// Name, unique in the notebook.
    pub id: Ident,
    /// Kind of the anchor.
    #[serde(default)]
    pub kind: AnchorKind,
    /// Title for readers.
    pub label: String,
    /// Evidence that grounds the anchor; never empty.
    pub evidence: Vec<AnchorEvidence>,
    /// Fallback for finding the anchor when its evidence is stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// Globs that limit the search for the anchor; empty means the whole repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zone: Vec<String>,
    /// Repository state at capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<AnchorFreshness>,
    /// Search keywords.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Former locations of the evidence with the proof of each move; newest last, at most eight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
    /// Mark of the suggested state; absent for anchors that a user created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<Mark>,
}

/// Anchor category that a runbook section can select.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
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
pub enum AnchorKind {
    /// Local conventions: setup, build, run, test.
    Canon,
    /// A gate in continuous integration.
    Ci,
    /// Interface, schema or format that others rely on.
    Contract,
    /// Place at which execution or reading begins.
    Entrypoint,
    /// A part of the repository with a purpose of its own.
    Zone,
    /// Something in progress.
    Work,
    /// Anything else.
    #[default]
    Other,
}

impl AnchorKind {
    /// All kinds, in display order.
    pub const ALL: [Self; 7] = [
        Self::Canon,
        Self::Ci,
        Self::Contract,
        Self::Entrypoint,
        Self::Zone,
        Self::Work,
        Self::Other,
    ];

    /// Returns the kind as it is written in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Canon => "canon",
            Self::Ci => "ci",
            Self::Contract => "contract",
            Self::Entrypoint => "entrypoint",
            Self::Zone => "zone",
            Self::Work => "work",
            Self::Other => "other",
        }
    }
}

/// One piece of anchor evidence: a pointer and the context captured with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnchorEvidence {
    /// The file.
    pub file: RepoPath,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    pub start_line: u32,
    /// Last line, included.
    #[schemars(range(min = 1))]
    pub end_line: u32,
    /// Hash of the captured lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<SourceHash>,
    /// Context that proves the lines later, after an edit or a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}

impl AnchorEvidence {
    /// Returns the line range. Returns `None` if the numbers form no range, which can happen in a file that was edited
    /// by hand.
    #[must_use]
    pub fn span(&self) -> Option<LineSpan> {
        LineSpan::new(self.start_line, self.end_line).ok()
    }

    /// Returns the pointer. Returns `None` if the line numbers form no range.
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

/// Fallback for finding an anchor when its evidence is stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Locator {
    /// Interpretation of `value`.
    pub kind: LocatorKind,
    /// The symbol, pattern, glob or hash.
    pub value: String,
}

/// Locator type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocatorKind {
    /// The name of a symbol.
    Symbol,
    /// A regular expression.
    Grep,
    /// A glob over paths.
    PathGlob,
    /// The SHA-256 of the text.
    SnippetSha256,
    /// Free text for a reader.
    Other,
}

/// Repository state at the capture of an anchor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnchorFreshness {
    /// Capture time, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_head: Option<String>,
}

impl Anchor {
    /// Describes the first piece of evidence whose line numbers form no range, since it could never be verified.
    /// Returns `None` if all evidence is valid.
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

    /// Returns the claim to verify for `evidence`. Returns `None` if its line numbers form no range. If the capture
    /// has no commit, the claim uses the commit at which the anchor was saved.
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

    /// Returns the claim for `evidence` in `snapshot`. If the files are in an earlier state, for example on another
    /// branch, the claim is for the location that the evidence had then.
    #[must_use]
    pub fn claim_here(&self, evidence: &AnchorEvidence, snapshot: &Snapshot) -> Option<Claim> {
        let claim = self.claim(evidence)?;
        let earlier = self.earlier(&claim.pointer);
        Some(claim_here(snapshot, claim, earlier))
    }

    /// Returns true if `item` is this anchor as judged in `snapshot`. The name alone is not sufficient. The kind and
    /// at least one pointer must be equal as well.
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

    /// Returns the claims for the former locations of the evidence at `pointer`, the newest first. Locations whose
    /// captures were dropped are omitted.
    fn earlier(&self, pointer: &Pointer) -> Vec<Claim> {
        let (mut at, mut claims) = (pointer, Vec::new());
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

    /// Judges the anchor in `snapshot` and returns it as an item.
    ///
    /// Evidence whose line numbers form no range is skipped. An anchor without valid evidence is still an item, and
    /// the caller determines its status.
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

/// Anchor whose line ranges are valid, which deserialization checks.
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
        assert!(!is_saved(&anchor("contract", 2).judged(&snapshot)));
        assert!(!is_saved(&anchor("ci", 1).judged(&snapshot)));
        let of_memory = Some("decision".to_owned());
        assert!(!is_saved(&Item {
            kind: of_memory,
            ..item
        }));
    }
}
