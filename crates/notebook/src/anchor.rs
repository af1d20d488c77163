use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use windlass_base::{Capture, Ident, Item, LineSpan, Pointer, RepoPath, SourceHash};
use windlass_evidence::{Captured, Claim, claim_here};
use windlass_repo::Snapshot;

use crate::relocation::Relocation;
use crate::text_mark::Mark;

/// A durable reference to something that matters: its name stays the same when the lines move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Anchor {
    /// Its name, unique in the notebook.
    pub id: Ident,
    /// What sort of thing it is.
    #[serde(default)]
    pub kind: AnchorKind,
    /// What a person calls it.
    pub label: String,
    /// Where it is grounded; never empty.
    pub evidence: Vec<AnchorEvidence>,
    /// How to look for it when the evidence is stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// Where to look for it: globs; the whole repository if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zone: Vec<String>,
    /// The state of the repository when it was captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<AnchorFreshness>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Where its evidence was before it moved, with what proved the new places; the newest last, at most eight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
    /// What it was like when it was saved because it was suggested; nothing where somebody made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<Mark>,
}

/// Sorts of anchors: what a section of a runbook can ask for.
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
    /// How things are done here: set up, build, run, test.
    Canon,
    /// A gate in continuous integration.
    Ci,
    /// What others may rely on: an interface, a schema, a format.
    Contract,
    /// Where execution or reading begins.
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
    /// All of them, in the order of the plan.
    pub const ALL: [Self; 7] = [
        Self::Canon,
        Self::Ci,
        Self::Contract,
        Self::Entrypoint,
        Self::Zone,
        Self::Work,
        Self::Other,
    ];

    /// The word as it stands in JSON.
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

/// One piece of evidence of an anchor: a pointer and what was noted when it was captured.
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
    /// What the lines hashed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<SourceHash>,
    /// What later proof needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<Capture>,
}

impl AnchorEvidence {
    /// The lines; `None` when they are no range (a file edited by hand).
    #[must_use]
    pub fn span(&self) -> Option<LineSpan> {
        LineSpan::new(self.start_line, self.end_line).ok()
    }

    /// The pointer; `None` when the lines are no range.
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

/// How to look for an anchor when its evidence is stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Locator {
    /// What `value` is.
    pub kind: LocatorKind,
    /// The symbol, pattern, glob or hash.
    pub value: String,
}

/// Sorts of locators.
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
    /// Something a person understands.
    Other,
}

/// The state of the repository when an anchor was captured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AnchorFreshness {
    /// When, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_head: Option<String>,
}

impl Anchor {
    /// What makes its evidence useless: lines that are no range. Such an anchor would be verified as nothing.
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
            "lines {start_line} to {end_line} of `{file}` are no range"
        ))
    }

    /// What is to be judged of `evidence`; nothing when its lines are no range. Captures that note no commit are of the
    /// one that was checked out when the anchor was saved.
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

    /// The claim of `evidence` for the files that `snapshot` holds: at an earlier location where they are in an earlier state.
    #[must_use]
    pub fn claim_here(&self, evidence: &AnchorEvidence, snapshot: &Snapshot) -> Option<Claim> {
        let claim = self.claim(evidence)?;
        let earlier = self.earlier(&claim.pointer);
        Some(claim_here(snapshot, claim, earlier))
    }

    /// The locations that evidence at `pointer` was moved from, the newest first, as far as their captures are kept.
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

    /// The anchor as an item, judged in the state of the files that `snapshot` holds.
    ///
    /// Evidence whose lines are no range (a notebook edited by hand) is left out; an anchor that has none
    /// left is still an item, and its status is for the caller to say.
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

/// An anchor whose evidence makes sense.
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
