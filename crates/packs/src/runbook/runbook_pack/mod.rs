//! Pack of a run, before anything is cut.

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
    /// Its id.
    pub id: Ident,
    /// Its title.
    pub title: String,
    /// Purpose.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
}

/// Properties that the calls printed with a pack have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// Caller that receives the calls. `None` for a shell at the root.
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

/// Complete and verified selection of a run. Its entries contain no text. The text is read from the files when it is
/// shown, so that it is always verified.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// Runbook that was run.
    pub runbook: RunbookRef,
    /// Outcome of the run.
    pub status: PackStatus,
    /// Sections, in the order of the runbook.
    pub sections: Vec<PackSection>,
    /// Notes that do not belong to a section, for example about files that changed during the run.
    pub notes: Vec<String>,
    /// Next actions that the state of the pack requires, with the most urgent first. See [`crate::next_actions`].
    pub next_actions: Vec<NextAction>,
    /// Properties of the next actions and of the calls that continue the pack.
    pub calls: Calls,
    /// True if a strict nested runbook ended with valid evidence. If that evidence becomes stale later, the pack does
    /// as well.
    pub strict_inside: bool,
    /// Digest of the selection, which is BLAKE3 of its canonical JSON.
    pub digest: Digest,
    /// Digest of everything, including observations that are not reproducible. Cursors use it as key.
    pub key: Digest,
}

/// Complete section of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSection {
    /// Id of the section in the runbook.
    pub id: Ident,
    /// Heading of the section.
    pub title: String,
    /// Id of the step whose output the section shows.
    pub step: String,
    /// Status of the section.
    pub status: SectionStatus,
    /// Reason why the step failed or was skipped, or another remark about its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Advice that belongs to the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// True if the step failed because something is not permitted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// True if there is stale or unverified evidence apart from that of the entries. The section may be derived from
    /// stale evidence, something that was requested by name may not be proven, or the step may have failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// Next action that the step names. It is printed only in the first view.
    #[serde(skip)]
    pub next_action: Option<NextAction>,
    /// Maximum number of entries that a view shows at once.
    pub limit: usize,
    /// All selected entries, in order.
    pub entries: Vec<Entry>,
    /// Notes about the origin of the section.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl PackSection {
    /// Returns true if some evidence is not verified at its captured location, which is an error with `freshness:
    /// strict`. The status alone is not sufficient, because a step that failed in part still has entries.
    #[must_use]
    pub fn breaks_strict(&self) -> bool {
        self.in_doubt
            || self.status.breaks_strict()
            || SectionStatus::of(&self.entries).breaks_strict()
    }
}

impl Pack {
    /// Creates a pack of `sections`. Replaces secret values, and computes the digests.
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
    /// Returns the pack with commands in its texts adapted to the caller. The stored pack is not adapted, because the
    /// next caller may be a different one.
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

/// Computes the digest of a pack. It ignores the budget. Observations that are not reproducible only contribute their
/// step.
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
            // Consecutive observations of a step count once, since their number is not reproducible either.
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

/// Computes the key for cursors. It covers the digest and everything else that sections and entries show.
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

/// Stored form of a pack, for further pages and run records. It contains no secret values.
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
    /// Returns the stored form of `pack`. Returns `None` if a file name in its evidence contains a secret value. The
    /// name could not be replaced, because it would then refer to another file.
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

    /// Returns the pack. Returns `None` if it does not match its digest.
    #[must_use]
    pub fn into_pack(self) -> Option<Pack> {
        let mut pack = Pack::new(self.runbook, self.status, self.sections, self.notes).ok()?;
        pack.strict_inside = self.strict_inside;
        (self.schema_version == SCHEMA_VERSION && pack.digest == self.digest).then_some(pack)
    }
}
