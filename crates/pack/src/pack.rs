use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_base::{CanonicalError, Digest, Entry, Ident, NextAction};

use crate::printed::{PrintedEntry, PrintedItem};
use crate::redact::{redact_runbook, redact_section, redacted};
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
        let notes = notes.into_iter().map(|note| redacted(&note)).collect();
        let digest = digest(&runbook, status, &sections)?;
        let bare: Vec<Value> = sections.iter_mut().map(bare).collect();
        let key = Digest::of_json(&json!({ "runbook": runbook.id, "sections": bare }))?;
        Ok(Self {
            runbook,
            status,
            sections,
            notes,
            next_actions: Vec::new(),
            digest,
            key,
        })
    }
}

/// `section` without what only a verdict needs.
fn bare(section: &mut PackSection) -> Value {
    let entries = std::mem::take(&mut section.entries);
    let mut value = json!(section);
    value["entries"] = entries
        .iter()
        .map(|entry| json!(PrintedEntry::bare(entry)))
        .collect();
    section.entries = entries;
    value
}

/// The digest leaves out what depends on the budget, and counts what cannot be reproduced by id and status.
fn digest(
    runbook: &RunbookRef,
    status: PackStatus,
    sections: &[PackSection],
) -> Result<Digest, CanonicalError> {
    let entry = |entry: &Entry| match entry {
        Entry::Item(item) => json!(PrintedItem::bare(item)),
        Entry::Observation(seen) if seen.provenance.reproducible => json!(seen.value),
        Entry::Observation(seen) => json!({ "observed": seen.provenance.step }),
    };
    let section = |section: &PackSection| {
        let reproducible = |entry: &Entry| match entry {
            Entry::Item(_) => true,
            Entry::Observation(seen) => seen.provenance.reproducible,
        };
        let mut entries: Vec<Value> = section.entries.iter().map(entry).collect();
        if !section.entries.iter().all(reproducible) {
            entries.dedup();
        }
        json!({ "id": section.id, "status": section.status, "entries": entries })
    };
    let sections: Vec<Value> = sections.iter().map(section).collect();
    Digest::of_json(&json!({ "runbook": runbook.id, "status": status, "sections": sections }))
}

/// A pack as it is kept for paging.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPack {
    schema_version: u32,
    runbook: RunbookRef,
    status: PackStatus,
    sections: Vec<PackSection>,
    notes: Vec<String>,
    digest: Digest,
}

impl From<&Pack> for StoredPack {
    fn from(pack: &Pack) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            runbook: pack.runbook.clone(),
            status: pack.status,
            sections: pack.sections.clone(),
            notes: pack.notes.clone(),
            digest: pack.digest,
        }
    }
}

impl StoredPack {
    /// The pack, if it is what its digest says.
    #[must_use]
    pub fn into_pack(self) -> Option<Pack> {
        let pack = Pack::new(self.runbook, self.status, self.sections, self.notes).ok()?;
        (self.schema_version == SCHEMA_VERSION && pack.digest == self.digest).then_some(pack)
    }
}
