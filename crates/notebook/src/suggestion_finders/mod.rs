//! What may be worth keeping of a repository that nobody has made notes about: where programs start, what others
//! rely on, what gates a change, how it is built and tested, who answers for what.
//!
//! `suggestion_rules.yaml` says which places, judged by symbols, manifests and commands in the files. Silence is better than
//! a weak guess. The answer depends on the files alone.

mod candidate;
mod ci_gates;
mod file_survey;
mod first_runbook;
mod found_places;
mod languages;
mod suggested_runbooks;
mod suggestion_rules;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{Cancel, Digest, Ident, Pointer, RepoPath, slug};
use windlass_evidence::capture;
use windlass_redact::redact_text;
use windlass_repo::Snapshot;

use self::candidate::Candidate;
use self::file_survey::Survey;
use self::suggestion_rules::{RULES, Topic};
use crate::{AnchorKind, Locator};

pub use self::first_runbook::FirstRunbook;

/// The most anchors that are suggested.
pub const MAX_ANCHORS: usize = 36;

/// Something to be saved, and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// The name that it is saved under.
    pub id: Ident,
    /// Why it is worth keeping, in one line.
    pub reason: String,
    /// What saves it.
    pub operation: Proposed,
}

/// An operation that saves what is suggested, as a transaction has it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Proposed {
    /// Saves an anchor under its name.
    UpsertAnchor {
        /// The anchor.
        anchor: Box<ProposedAnchor>,
    },
    /// Saves a runbook under the name in its text.
    UpsertRunbook {
        /// Its text, as it would stand in a file.
        runbook: String,
    },
}

/// An anchor that is suggested.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProposedAnchor {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: AnchorKind,
    /// What a person calls it.
    pub label: String,
    /// Its evidence: files, lines, and what they hash to.
    pub evidence: Vec<Pointer>,
    /// How to look for it later.
    pub locator: Locator,
    /// Where to look for it later: globs.
    pub zone: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// What is suggested for a repository.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestions {
    /// Anchors, the most telling first, then the runbooks that use them.
    pub suggestions: Vec<Suggestion>,
    #[schemars(with = "String")]
    /// Of all suggestions: the same as long as the files say the same.
    pub digest: Digest,
}

impl Suggestion {
    /// The anchor, if it is one.
    #[must_use]
    pub fn anchor(&self) -> Option<&ProposedAnchor> {
        match &self.operation {
            Proposed::UpsertAnchor { anchor } => Some(anchor),
            Proposed::UpsertRunbook { .. } => None,
        }
    }
}

/// Suggests what to keep of the files that `snapshot` sees. Whatever `cancel` stops is left out.
///
/// # Errors
/// When the suggestions have no JSON form.
pub fn suggest(snapshot: &Snapshot, cancel: &Cancel) -> Result<Suggestions, serde_json::Error> {
    let survey = Survey::new(snapshot, cancel);
    let mut chosen = Chosen::default();
    for topic in &RULES.topics {
        let is_ci = topic.kind == AnchorKind::Ci;
        let gates = is_ci.then(|| ci_gates::find(&survey, &RULES.workflows));
        let candidates = topic.rules.iter().flat_map(|rule| rule.find(&survey));
        let candidates = gates.into_iter().flatten().chain(candidates);
        chosen.take(snapshot, topic, candidates);
    }
    let mut suggestions = chosen.suggestions;
    suggestions.extend(suggested_runbooks::using(&suggestions));
    let digest = Digest::of_json(&suggestions)
        .map_err(|error| serde::ser::Error::custom(error.to_string()))?;
    Ok(Suggestions {
        suggestions,
        digest,
    })
}

/// What was chosen so far.
#[derive(Default)]
struct Chosen {
    suggestions: Vec<Suggestion>,
}

impl Chosen {
    /// Adds the first of `candidates` that are not there already and may be shown.
    fn take(
        &mut self,
        snapshot: &Snapshot,
        topic: &Topic,
        candidates: impl Iterator<Item = Candidate>,
    ) {
        let most = MAX_ANCHORS.min(self.suggestions.len() + topic.most);
        for candidate in candidates {
            if self.suggestions.len() >= most {
                return;
            }
            let suggestion = self.settled(snapshot, topic, candidate);
            self.suggestions.extend(suggestion);
        }
    }

    fn settled(
        &self,
        snapshot: &Snapshot,
        topic: &Topic,
        candidate: Candidate,
    ) -> Option<Suggestion> {
        let source = snapshot.read(&candidate.file).ok()?;
        let texts = [
            candidate.file.as_str(),
            &candidate.name,
            &candidate.label,
            &candidate.reason,
            &candidate.locator.value,
        ];
        let tells_secret = texts.iter().any(|text| !redact_text(text).1.is_empty());
        if source.shown().has_secret_in(candidate.span) || tells_secret || self.overlaps(&candidate)
        {
            return None;
        }
        let captured = capture(snapshot, &candidate.file, candidate.span).ok()?;
        // Of several with one name the first counts: the others are copies, versions, dialects.
        let id = slug(&format!("{}-{}", topic.prefix, candidate.name), MAX_NAME);
        let id = Ident::parse(&id).ok()?;
        if self.anchors().any(|anchor| anchor.id == id) {
            return None;
        }
        let anchor = ProposedAnchor {
            id: id.clone(),
            kind: topic.kind,
            label: candidate.label,
            evidence: vec![captured.pointer],
            locator: candidate.locator,
            zone: zone(&candidate.file),
            tags: vec!["suggested".to_owned()],
        };
        Some(Suggestion {
            id,
            reason: candidate.reason,
            operation: Proposed::UpsertAnchor {
                anchor: Box::new(anchor),
            },
        })
    }

    fn anchors(&self) -> impl Iterator<Item = &ProposedAnchor> {
        self.suggestions.iter().filter_map(Suggestion::anchor)
    }

    fn overlaps(&self, candidate: &Candidate) -> bool {
        let mut places = self.anchors().flat_map(|anchor| &anchor.evidence);
        places.any(|place| {
            place.file == candidate.file
                && place.span.start() <= candidate.span.end()
                && candidate.span.start() <= place.span.end()
        })
    }
}

/// The longest name that is made of what a suggestion is about, in characters.
const MAX_NAME: usize = 60;

/// Where to look for what stands in `file`: its folder, where that can be written as a glob.
fn zone(file: &RepoPath) -> Vec<String> {
    let folder = file.parent().filter(|folder| !folder.is_root());
    let glob = folder.map_or_else(|| file.to_string(), |folder| format!("{folder}/**"));
    let plain = |text: &str| !text.chars().any(|letter| "*?[]{}!\\".contains(letter));
    let is_plain = plain(file.as_str());
    is_plain.then_some(glob).into_iter().collect()
}
