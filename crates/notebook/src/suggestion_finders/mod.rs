//! Suggests anchors for a repository that has none: program entry points, contracts, gates, build
//! and test commands, and owners.
//!
//! `suggestion_rules.yaml` selects locations by the symbols, manifests and commands in the files.
//! When in doubt, a rule yields nothing, since the user would have to review a poor suggestion as
//! well. Suggestions only depend on the files: the same files always yield the same suggestions.

mod candidate;
mod ci_gates;
mod file_survey;
mod first_runbook;
mod found_places;
mod languages;
mod suggestion_rules;
mod used_names;

use std::iter::once_with;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_base::{Cancel, Digest, Ident, Pointer, RepoPath, slug};
use windlass_redact::redact_text;
use windlass_repo::Snapshot;

use self::candidate::Candidate;
use self::file_survey::Survey;
use self::suggestion_rules::{RULES, Topic};
use crate::{AnchorKind, Locator};

pub use self::first_runbook::FirstRunbook;

/// Maximum number of suggested anchors, over all topics. Each topic has a limit of its own.
pub const MAX_ANCHORS: usize = 36;

/// A suggested entry and the reason for it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// Name to save it under.
    pub id: Ident,
    /// Reason for saving it, in one line.
    pub reason: String,
    /// The operation that saves it.
    pub operation: Proposed,
}

/// Operations that save a suggestion, in the form of a transaction.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Proposed {
    /// Saves an anchor under its name.
    UpsertAnchor {
        /// The anchor to save.
        anchor: Box<ProposedAnchor>,
    },
}

/// A suggested anchor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProposedAnchor {
    /// The anchor's name.
    pub id: Ident,
    /// The anchor's kind.
    pub kind: AnchorKind,
    /// Human-readable title.
    pub label: String,
    /// Evidence: files, lines and their hashes.
    pub evidence: Vec<Pointer>,
    /// Locator for finding it later.
    pub locator: Locator,
    /// Globs that limit later searches.
    pub zone: Vec<String>,
    /// Search keywords.
    pub tags: Vec<String>,
}

/// Suggestions for a repository.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestions {
    /// Suggested anchors, best first.
    pub suggestions: Vec<Suggestion>,
    #[schemars(with = "String")]
    /// Digest of all suggestions. It stays the same as long as the files yield the same
    /// suggestions.
    pub digest: Digest,
}

impl Suggestion {
    /// Returns the suggested anchor.
    #[must_use]
    pub fn anchor(&self) -> &ProposedAnchor {
        let Proposed::UpsertAnchor { anchor } = &self.operation;
        anchor
    }
}

/// Suggests anchors for the files of `snapshot`. If `cancel` is raised, this returns the
/// suggestions found so far.
///
/// # Errors
/// Returns an error if the suggestions cannot be written as JSON.
pub fn suggest(snapshot: &Snapshot, cancel: &Cancel) -> Result<Suggestions, serde_json::Error> {
    suggest_from(&Survey::new(snapshot, cancel), snapshot)
}

fn suggest_from(
    survey: &Survey<'_>,
    snapshot: &Snapshot,
) -> Result<Suggestions, serde_json::Error> {
    let mut chosen = Chosen::default();
    for topic in &RULES.topics {
        chosen.take(snapshot, topic, candidates(topic, survey));
    }
    let suggestions = chosen.suggestions;
    let digest = Digest::of_json(&suggestions)
        .map_err(|error| serde::ser::Error::custom(error.to_string()))?;
    Ok(Suggestions {
        suggestions,
        digest,
    })
}

/// The candidates of `topic`, best first.
fn candidates<'a>(topic: &'a Topic, survey: &'a Survey<'_>) -> impl Iterator<Item = Candidate> {
    let is_ci = topic.kind == AnchorKind::Ci;
    let gates = is_ci.then(|| ci_gates::find(survey, &RULES.workflows));
    let used = topic
        .used
        .then(|| once_with(|| used_names::find(survey)).flatten());
    let found = topic.rules.iter().flat_map(|rule| rule.find(survey));
    let found = gates.into_iter().flatten().chain(found);
    found.chain(used.into_iter().flatten())
}

#[derive(Default)]
struct Chosen {
    suggestions: Vec<Suggestion>,
}

impl Chosen {
    /// Adds the first of `candidates` that are new and may be shown, up to the limits of the topic
    /// and of the whole list.
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
        // Suggestions end up in the notebook and in packs, so none of their texts may contain a
        // secret value. Names of files can.
        let texts = [
            candidate.file.as_str(),
            &candidate.name,
            &candidate.label,
            &candidate.reason,
            &candidate.locator.value,
        ];
        let tells_secret = texts.iter().any(|text| !redact_text(text).1.is_empty());
        let is_text = source.why_no_text().is_none();
        let is_secret = source.shown().has_secret_in(candidate.span) || tells_secret;
        if !is_text || is_secret || self.overlaps(&candidate) {
            return None;
        }
        // Saving captures the place. Doing that here would look for copies in all files.
        let place = source.pointer(&candidate.file, candidate.span);
        place.source_hash.as_ref()?;
        // If there's a suggestion of the same name already, another candidate is usually just a
        // copy, a version or a dialect of the first.
        let id = slug(&format!("{}-{}", topic.prefix, candidate.name), MAX_NAME);
        let id = Ident::parse(&id).ok()?;
        if self.anchors().any(|anchor| anchor.id == id) {
            return None;
        }
        let anchor = ProposedAnchor {
            id: id.clone(),
            kind: topic.kind,
            label: candidate.label,
            evidence: vec![place],
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
        self.suggestions.iter().map(Suggestion::anchor)
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

/// Maximum length of a generated name in characters. Longer names are cut.
const MAX_NAME: usize = 60;

/// The globs that limit later searches for the text in `file`: the file's folder, or the file
/// itself at the root. If the path has characters with a meaning in globs, we don't limit the
/// search.
fn zone(file: &RepoPath) -> Vec<String> {
    let folder = file.parent().filter(|folder| !folder.is_root());
    let glob = folder.map_or_else(|| file.to_string(), |folder| format!("{folder}/**"));
    let plain = |text: &str| !text.chars().any(|letter| "*?[]{}!\\".contains(letter));
    let is_plain = plain(file.as_str());
    is_plain.then_some(glob).into_iter().collect()
}
