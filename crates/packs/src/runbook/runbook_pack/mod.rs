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

/// Which runbook a pack is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunbookRef {
    /// Its id.
    pub id: Ident,
    /// Its title.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
}

/// What the calls that are printed with a pack have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// Who makes them, where that matters.
    pub caller: Option<Caller>,
    /// Whether the pack is kept, so that a cursor can go on in it.
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

/// Everything a run selected, judged, before anything is cut. Its entries carry no text: text is taken from
/// the files when they are shown, so that it is always verified text.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// Which runbook.
    pub runbook: RunbookRef,
    /// How the run went.
    pub status: PackStatus,
    /// The sections, in the order the runbook declares.
    pub sections: Vec<PackSection>,
    /// What a person should know that belongs to no section: files that changed during the run.
    pub notes: Vec<String>,
    /// What the state of the pack calls for, most urgent first; see [`crate::next_actions`].
    pub next_actions: Vec<NextAction>,
    /// How these and the calls that go on are printed.
    pub calls: Calls,
    /// Whether a runbook inside of this one is strict, and found its evidence standing: what no longer stands later
    /// breaks that.
    pub strict_inside: bool,
    /// BLAKE3 over the canonical JSON of what was selected.
    pub digest: Digest,
    /// The same over everything, observations that cannot be reproduced included: what a cursor pages in.
    pub key: Digest,
}

/// One section of a pack, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSection {
    /// Its id.
    pub id: Ident,
    /// Its heading.
    pub title: String,
    /// The step it shows.
    pub step: String,
    /// What it may be relied on for.
    pub status: SectionStatus,
    /// Why it failed, or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Whether it failed because something was not allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Whether evidence that belongs here does not stand, or was not looked at, beside what the entries say
    /// themselves: what it is made of does not stand, something asked for by name is not proven, or its step failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// A call that helps, where the step names one. It is said once, with the first view.
    #[serde(skip)]
    pub next_action: Option<NextAction>,
    /// How many entries are shown at once, at most.
    pub limit: usize,
    /// Everything that was selected, in order.
    pub entries: Vec<Entry>,
    /// What a person should know about how it came to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl PackSection {
    /// Whether not all of its evidence is verified where it was captured: what `freshness: strict` calls an error.
    /// Its status does not say that of a step that failed in part, whose entries are still there.
    #[must_use]
    pub fn breaks_strict(&self) -> bool {
        self.in_doubt
            || self.status.breaks_strict()
            || SectionStatus::of(&self.entries).breaks_strict()
    }
}

impl Pack {
    /// A pack of `sections`, secret values in it replaced, with the digest of what is in it.
    ///
    /// # Errors
    /// When a value has no canonical JSON form.
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
    /// The pack as its caller is shown it: commands in what it says are such as they can
    /// make. It
    /// is not kept like that, since the next caller may name it otherwise.
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

/// The digest leaves out what depends on the budget, and counts what cannot be reproduced by id and status.
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

/// What a cursor pages in: the digest, and whatever else the entries and their sections show.
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

/// A pack as it is kept, for paging and in the record of a run. It holds no secret value.
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
    /// `pack` as it is kept; `None` where the name of a file that it points at holds a secret value. With
    /// another name it would point at another file.
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

    /// The pack, if it is what its digest says.
    #[must_use]
    pub fn into_pack(self) -> Option<Pack> {
        let mut pack = Pack::new(self.runbook, self.status, self.sections, self.notes).ok()?;
        pack.strict_inside = self.strict_inside;
        (self.schema_version == SCHEMA_VERSION && pack.digest == self.digest).then_some(pack)
    }
}
