//! The complete pack of a run, before anything is cut.

mod redacted_words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::{Caller, CanonicalError, Digest, Entry, Ident, NextAction, Observation};
use windlass_redact::redact_under;

use self::redacted_words::{names_hold_secrets, redact_runbook, redact_section};
use crate::runbook::printed_entry::PrintedItem;
use crate::{PackStatus, SectionStatus};

/// Version of the pack format.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Runbook of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunbookRef {
    /// The runbook's id.
    pub id: Ident,
    /// The runbook's title.
    pub title: String,
    /// Purpose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
}

/// Properties shared by the calls printed with a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The caller who gets the calls, or `None` for a shell at the root.
    pub caller: Option<Caller>,
    /// True if the pack is stored, so that cursors can continue it.
    pub kept: bool,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            caller: None,
            kept: true,
        }
    }
}

/// The complete, verified selection of a run. Entries hold no text: we read it from the files when
/// it's shown, so that it's verified every time.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The runbook that was run.
    pub runbook: RunbookRef,
    /// The run's outcome.
    pub status: PackStatus,
    /// Sections in the order of the runbook.
    pub sections: Vec<PackSection>,
    /// Notes that don't belong to any section, for example about files changed during the run.
    pub notes: Vec<String>,
    /// Next actions suggested by the pack's state, most urgent first. See [`crate::next_actions`].
    pub next_actions: Vec<NextAction>,
    /// Properties of the next actions and of the calls that continue the pack.
    pub calls: Calls,
    /// True if a strict nested runbook ended with valid evidence. If that evidence becomes stale
    /// later, so does the pack.
    pub strict_inside: bool,
    /// Digest of the selection: BLAKE3 over its canonical JSON.
    pub digest: Digest,
    /// Digest of everything, including observations that aren't reproducible. It's the key used by
    /// cursors.
    pub key: Digest,
}

/// A complete section of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSection {
    /// The section's id in the runbook.
    pub id: Ident,
    /// The section's heading.
    pub title: String,
    /// Id of the step whose output the section shows.
    pub step: String,
    /// The section's status.
    pub status: SectionStatus,
    /// Reason why the step failed or was skipped, or another remark about its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Advice that goes with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// True if the step failed because something isn't permitted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// True if there is stale or unverified evidence beyond that of the entries. The section may be
    /// derived from stale evidence, something requested by name may be unproven, or the step may
    /// have failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// Next action named by the step. Only the first view prints it.
    #[serde(skip)]
    pub next_action: Option<NextAction>,
    /// Maximum number of entries shown at once.
    pub limit: usize,
    /// All selected entries, in order.
    pub entries: Vec<Entry>,
    /// Notes about the section's origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl PackSection {
    /// Returns true if any evidence isn't verified at its captured location, which is an error with
    /// `freshness: strict`. Looking at the status isn't enough, because a partly failed step still
    /// has entries.
    #[must_use]
    pub fn breaks_strict(&self) -> bool {
        self.in_doubt
            || self.status.breaks_strict()
            || SectionStatus::of(&self.entries).breaks_strict()
    }
}

impl Pack {
    /// Creates a pack of `sections`, replacing secret values and computing the digests.
    ///
    /// # Errors
    /// Returns an error if a value has no canonical JSON form.
    pub fn new(
        mut runbook: RunbookRef,
        status: PackStatus,
        mut sections: Vec<PackSection>,
        notes: Vec<String>,
    ) -> Result<Self, CanonicalError> {
        redact_runbook(&mut runbook);
        sections.iter_mut().for_each(redact_section);
        let notes = notes
            .into_iter()
            .map(|note| redact_under(None, &note))
            .collect();
        let digest = digest(&runbook, status, &sections)?;
        let key = key(&digest, &sections)?;
        Ok(Self {
            runbook,
            status,
            sections,
            notes,
            next_actions: Vec::new(),
            calls: Calls::default(),
            strict_inside: false,
            digest,
            key,
        })
    }
}

impl Pack {
    /// Returns the pack with the commands in its texts adapted to the caller. We don't adapt the
    /// stored pack, since the next caller may be another.
    #[must_use]
    pub(crate) fn as_called(&self) -> Cow<'_, Self> {
        let caller = self.calls.caller.as_ref();
        let Some(caller) = caller.filter(|caller| caller.told("").is_some()) else {
            return Cow::Borrowed(self);
        };
        let mut pack = self.clone();
        let sections = pack.sections.iter_mut();
        let said = sections.flat_map(|section| {
            let one = section.reason.iter_mut().chain(&mut section.help);
            one.chain(&mut section.notes)
        });
        for text in said.chain(&mut pack.notes) {
            if let Some(told) = caller.told(text) {
                *text = told;
            }
        }
        Cow::Owned(pack)
    }
}

/// Computes a pack's digest. It ignores the budget. An observation that isn't reproducible
/// contributes only its step.
fn digest(
    runbook: &RunbookRef,
    status: PackStatus,
    sections: &[PackSection],
) -> Result<Digest, CanonicalError> {
    let sections: Vec<_> = sections.iter().map(DigestSection::of).collect();
    Digest::of_json(&DigestParts {
        runbook: runbook.id.as_str(),
        status,
        sections,
    })
}

#[derive(Serialize)]
struct DigestParts<'a> {
    runbook: &'a str,
    status: PackStatus,
    sections: Vec<DigestSection<'a>>,
}

#[derive(Serialize)]
struct DigestSection<'a> {
    id: &'a str,
    status: SectionStatus,
    entries: Vec<DigestEntry<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum DigestEntry<'a> {
    Item(PrintedItem<'a>),
    Value(&'a Value),
    Unreproducible { observed: &'a str },
}

impl<'a> DigestSection<'a> {
    fn of(section: &'a PackSection) -> Self {
        let mut last = None;
        let mut entries = Vec::with_capacity(section.entries.len());
        for entry in &section.entries {
            let step = unreproducible(entry).map(|seen| seen.provenance.step.as_str());
            // Count consecutive observations of a step once. Their number isn't reproducible
            // either.
            if step.is_none() || step != last {
                entries.push(DigestEntry::of(entry));
            }
            last = step;
        }
        Self {
            id: section.id.as_str(),
            status: section.status,
            entries,
        }
    }
}

impl<'a> DigestEntry<'a> {
    fn of(entry: &'a Entry) -> Self {
        match entry {
            Entry::Item(item) => Self::Item(PrintedItem::bare(item)),
            Entry::Observation(seen) if seen.provenance.reproducible => Self::Value(&seen.value),
            Entry::Observation(seen) => Self::Unreproducible {
                observed: &seen.provenance.step,
            },
        }
    }
}

fn unreproducible(entry: &Entry) -> Option<&Observation> {
    match entry {
        Entry::Observation(seen) if !seen.provenance.reproducible => Some(seen),
        _ => None,
    }
}

/// Computes the key for cursors. In addition to the digest, it covers everything else shown by
/// sections and entries.
fn key(digest: &Digest, sections: &[PackSection]) -> Result<Digest, CanonicalError> {
    let part = |section: &PackSection| {
        let values = section.entries.iter().filter_map(unreproducible);
        json!({
            "title": section.title,
            "step": section.step,
            "reason": section.reason,
            "help": section.help,
            "notes": section.notes,
            "limit": section.limit,
            "observed": values.map(|seen| &seen.value).collect::<Vec<_>>(),
        })
    };
    let parts: Vec<Value> = sections.iter().map(part).collect();
    Digest::of_json(&json!({ "digest": digest, "sections": parts }))
}

/// The stored form of a pack, for further pages and run records. It contains no secret values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPack {
    schema_version: u32,
    runbook: RunbookRef,
    status: PackStatus,
    sections: Vec<PackSection>,
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    strict_inside: bool,
    digest: Digest,
}

impl StoredPack {
    /// Returns the stored form of `pack`, or `None` if a file name in its evidence contains a
    /// secret value. We can't replace such a name, because it would then refer to another file.
    #[must_use]
    pub fn of(pack: &Pack) -> Option<Self> {
        if names_hold_secrets(&pack.sections) {
            return None;
        }
        Some(Self {
            schema_version: SCHEMA_VERSION,
            runbook: pack.runbook.clone(),
            status: pack.status,
            sections: pack.sections.clone(),
            notes: pack.notes.clone(),
            strict_inside: pack.strict_inside,
            digest: pack.digest,
        })
    }

    /// Returns the pack, or `None` if it doesn't match its digest.
    #[must_use]
    pub fn into_pack(self) -> Option<Pack> {
        let mut pack = Pack::new(self.runbook, self.status, self.sections, self.notes).ok()?;
        pack.strict_inside = self.strict_inside;
        (self.schema_version == SCHEMA_VERSION && pack.digest == self.digest).then_some(pack)
    }
}
