//! Everything that a run found, before any of it is cut.
//!
//! A [`Pack`] is complete: views of it are cut to a budget, but the pack itself is stored as a
//! whole so that cursors can continue a view. All secret values are replaced when it's created.

mod redacted_words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::{Caller, CanonicalError, Digest, Entry, Ident, NextAction, Observation};
use windlass_redact::redact_under;

use self::redacted_words::{names_hold_secrets, redact_runbook, redact_section};
use crate::runbook::printed_entry::PrintedItem;
use crate::{PackStatus, SectionStatus};

// Raise this when the stored form changes in a way that older versions can't read. Stored packs of
// another version are ignored, so old cursors stop working.
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

/// Settings for all calls that are printed with a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The recipient of the calls, which decides about their form. This is `None` for a shell at
    /// the root.
    pub caller: Option<Caller>,
    /// True if we've stored the pack. Cursors can only continue it in that case.
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

/// Everything that a run found, with its evidence verified.
///
/// An item's entry doesn't have any text. We read that from the files each time we show it, and
/// verify it again, so we never show text that has changed since the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The runbook that was run.
    pub runbook: RunbookRef,
    /// Outcome of the run as a whole.
    pub status: PackStatus,
    /// The sections, in the order of the runbook.
    pub sections: Vec<PackSection>,
    /// Notes on the pack as a whole, e.g. about files that changed during the run.
    pub notes: Vec<String>,
    /// The actions to take next, starting with the most urgent. See [`crate::next_actions`].
    pub next_actions: Vec<NextAction>,
    /// Settings for these actions, and for calls that continue the pack.
    pub calls: Calls,
    /// True if a nested runbook is strict and its evidence was valid at the time of the run. If any
    /// evidence becomes stale later, the whole pack is stale.
    pub strict_inside: bool,
    /// Digest of the selection: BLAKE3 over its canonical JSON. It's the same for each run that
    /// finds the same things.
    pub digest: Digest,
    /// Digest of everything, including observations that aren't reproducible. Cursors contain it,
    /// because a page must continue exactly what the caller has seen.
    pub key: Digest,
}

/// A section with all of its entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSection {
    /// The section's ID in the runbook.
    pub id: Ident,
    /// The heading, from the runbook.
    pub title: String,
    /// The step with this section's output.
    pub step: String,
    /// The worst status of its entries, or how the step ended.
    pub status: SectionStatus,
    /// Reason why the step failed or was skipped, or another remark about its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Advice to go with the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// True if the step failed for lack of a permission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// True if there's stale or unverified evidence that isn't in the entries.
    ///
    /// The section may be based on stale evidence, we may lack proof of something that was asked
    /// for by name, or the step may have failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// A call that the step suggests. Only the first view prints it.
    #[serde(skip)]
    pub next_action: Option<NextAction>,
    /// Number of entries to show at once.
    pub limit: usize,
    /// The entries, in the order in which the step found them.
    pub entries: Vec<Entry>,
    /// Notes on where the section comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl PackSection {
    /// True if there's evidence that isn't verified at its captured location. With `freshness:
    /// strict`, that's an error.
    ///
    /// Note that the status alone isn't enough to tell, because a step that partly failed still has
    /// entries.
    #[must_use]
    pub fn breaks_strict(&self) -> bool {
        self.in_doubt
            || self.status.breaks_strict()
            || SectionStatus::of(&self.entries).breaks_strict()
    }
}

impl Pack {
    /// Creates a pack. This replaces secret values and computes the digests.
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
    /// Adapts commands in texts to the caller. For example, an agent that uses MCP tools can't run
    /// `windlass` in a shell.
    ///
    /// We don't store the result, since the next caller may be a different one.
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

/// Computes the digest of the selection, which doesn't depend on the budget. If an observation
/// isn't reproducible, only its step is included.
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
            // If several of these follow each other, they count as one. Their number may be
            // different each time, too.
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

/// Computes the digest for cursors. It covers everything that can be shown.
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

/// A pack as we store it for later pages and run records. It doesn't contain any secret values.
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
    /// Prepares `pack` for storing. Returns `None` if the name of an evidence file contains a
    /// secret value: we can't replace it, because that'd be the name of another file.
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

    /// Restores the pack. Returns `None` if it doesn't match its digest, e.g. because the file was
    /// edited or comes from another version.
    #[must_use]
    pub fn into_pack(self) -> Option<Pack> {
        let mut pack = Pack::new(self.runbook, self.status, self.sections, self.notes).ok()?;
        pack.strict_inside = self.strict_inside;
        (self.schema_version == SCHEMA_VERSION && pack.digest == self.digest).then_some(pack)
    }
}
