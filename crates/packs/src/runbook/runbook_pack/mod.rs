//! The selection of a runbook: whole, before any cutting.

mod redacted_words;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::{Caller, CanonicalError, Digest, Entry, Ident, NextAction, Observation};
use windlass_redact::redact_under;

use self::redacted_words::{names_hold_secrets, redact_runbook, redact_section};
use crate::runbook::printed_entry::PrintedItem;
use crate::{PackStatus, SectionStatus};

/// The version of the pack format.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Runbook of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunbookRef {
    /// Its id.
    pub id: Ident,
    /// Its title.
    pub title: String,
    /// Purpose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
}

/// Common properties of the calls printed with a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// Caller, if calls depend on it.
    pub caller: Option<Caller>,
    /// True if the pack is stored, so that a cursor can continue it.
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

/// Complete selection of a run, verified and uncut. Its entries contain no text: text is read from the files when
/// shown, so that it is always verified.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The runbook that was run.
    pub runbook: RunbookRef,
    /// Outcome of the run.
    pub status: PackStatus,
    /// Sections, in the order of the runbook.
    pub sections: Vec<PackSection>,
    /// Notes for people that belong to no section, such as files that changed during the run.
    pub notes: Vec<String>,
    /// Actions that the state of the pack requires, the most urgent first; see [`crate::next_actions`].
    pub next_actions: Vec<NextAction>,
    /// Properties of these and of the calls that continue.
    pub calls: Calls,
    /// True if a nested runbook is strict, and its evidence was valid: evidence that becomes stale later breaks it.
    pub strict_inside: bool,
    /// BLAKE3 of the canonical JSON of the selection.
    pub digest: Digest,
    /// BLAKE3 of everything, including observations that are not reproducible; the key for cursors.
    pub key: Digest,
}

/// One section of a pack, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSection {
    /// The id of the section in the runbook.
    pub id: Ident,
    /// The heading that readers see.
    pub title: String,
    /// The step it shows.
    pub step: String,
    /// Outcome of the step that it shows.
    pub status: SectionStatus,
    /// Reason why it failed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Advice on that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// True if it failed because something is not allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// True if further evidence is stale or unverified, besides that of the entries: the section is derived from stale
    /// evidence, something requested by name is not proven, or its step failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// Helpful call, if the step names one. Shown once, with the first view.
    #[serde(skip)]
    pub next_action: Option<NextAction>,
    /// Maximum number of entries shown at once.
    pub limit: usize,
    /// Complete selection, in order.
    pub entries: Vec<Entry>,
    /// Notes for people about its origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl PackSection {
    /// True if some evidence is not verified at its captured location, which `freshness: strict` treats as an error.
    /// The status alone does not tell for a step that failed in part, whose entries are still present.
    #[must_use]
    pub fn breaks_strict(&self) -> bool {
        self.in_doubt
            || self.status.breaks_strict()
            || SectionStatus::of(&self.entries).breaks_strict()
    }
}

impl Pack {
    /// Creates a pack of `sections`, with secret values replaced, and computes its digest.
    ///
    /// # Errors
    /// If a value has no canonical JSON form.
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
    /// Returns the pack with commands adapted to its caller. The stored pack is not adapted, because the next caller
    /// may differ.
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

/// Computes the digest, which ignores the budget, and includes observations that are not reproducible by id and status
/// only.
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
            // However many there are, they count once.
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

/// Computes the key for cursors: the digest, and everything else that entries and sections show.
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

/// Stored form of a pack, for paging and run records. Contains no secret values.
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
    /// Returns the stored form of `pack`; `None` if the name of a file in its evidence contains a secret value, because
    /// a replaced name would point to another file.
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

    /// Returns the pack, if it matches its digest.
    #[must_use]
    pub fn into_pack(self) -> Option<Pack> {
        let mut pack = Pack::new(self.runbook, self.status, self.sections, self.notes).ok()?;
        pack.strict_inside = self.strict_inside;
        (self.schema_version == SCHEMA_VERSION && pack.digest == self.digest).then_some(pack)
    }
}
