//! Edits a notebook without touching the entries that stay the same.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use windlass_base::did_you_mean;
use windlass_repo::Owner;

use crate::anchor::SoundAnchor;
use crate::anchor_exchange::{Seen, SharedAnchor, message_of};
use crate::storage::declined::Declined;
use crate::storage::notebook_document::{Document, Raw, SCHEMA_VERSION, Slot, id_of, inside};
use crate::storage::notebook_limits::{MAX_ANCHORS, MAX_RUNBOOK_BYTES, MAX_RUNBOOKS};
use crate::storage::noted_changes::{ChangeKind, Changes, Written, note};
use crate::storage::unknown_fields::merged;
use crate::{Anchor, NotebookError, Ownership, SavedRunbook};

/// A notebook under edit.
///
/// Entries are kept as raw JSON text and only parsed when someone asks for them. Unchanged entries
/// are therefore written back byte for byte and in their order, even if a newer version of Windlass
/// or a user has added fields we do not know. Changed entries keep their unknown fields, too.
///
/// The edit only lives in memory. The caller decides if it is worth a write (see
/// [`Self::changes`]).
#[derive(Debug)]
pub struct NotebookEdit<'a> {
    anchors: Entries<'a>,
    runbooks: Entries<'a>,
    slots: Vec<Slot<'a>>,
    /// The owner named in the file. This is `None` for a new notebook.
    owner: Option<Owner>,
    revision: u64,
    /// Metadata of the write that created this revision.
    written: Written,
    changes: Changes,
    seen: Seen,
    declined: Declined,
    has_seen_more: bool,
    /// True if the whole file was readable. See [`NotebookEdit::is_whole`].
    is_whole: bool,
}

#[derive(Debug, Default)]
struct Entries<'a> {
    /// The entries in the order of the file. Removed ones leave a `None` behind, so that the
    /// indices in `places` stay valid.
    list: Vec<Option<Text<'a>>>,
    /// Index of each entry by name. A file edited by hand may have duplicates, in which case this
    /// is the first one.
    places: BTreeMap<String, usize>,
    has_twins: bool,
    /// True if there is an entry without a name, which can neither be changed nor deleted.
    ///
    /// We determine this once when reading the list. Parsing all names again on demand was slow
    /// with 5,000 exported anchors.
    has_nameless: bool,
    count: usize,
}

#[derive(Debug)]
enum Text<'a> {
    Old(&'a RawValue),
    New(Box<RawValue>),
}

impl Text<'_> {
    fn get(&self) -> &RawValue {
        match self {
            Self::Old(text) => text,
            Self::New(text) => text,
        }
    }
}

impl<'a> Entries<'a> {
    fn new(texts: Vec<&'a RawValue>) -> Self {
        let names = texts.iter().enumerate();
        let mut names: Vec<(String, usize)> = names
            .filter_map(|(at, text)| Some((id_of(text)?, at)))
            .collect();
        // Sort by name and index, to keep the first of several equal names.
        names.sort();
        let named = names.len();
        names.dedup_by(|later, earlier| later.0 == earlier.0);
        Self {
            has_twins: names.len() < named,
            has_nameless: named < texts.len(),
            count: texts.len(),
            list: texts
                .into_iter()
                .map(|text| Some(Text::Old(text)))
                .collect(),
            places: names.into_iter().collect(),
        }
    }

    fn get(&self, id: &str) -> Option<&RawValue> {
        let at = self.places.get(id)?;
        self.list.get(*at)?.as_ref().map(Text::get)
    }

    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.places.keys().map(String::as_str)
    }

    fn texts(&self) -> impl Iterator<Item = &RawValue> {
        self.list.iter().flatten().map(Text::get)
    }

    fn put(&mut self, id: &str, text: Box<RawValue>) {
        let text = Some(Text::New(text));
        match self.places.get(id) {
            Some(at) => self.list[*at] = text,
            None => {
                self.places.insert(id.to_owned(), self.list.len());
                self.list.push(text);
                self.count += 1;
            }
        }
    }

    fn remove(&mut self, id: &str) {
        let Some(at) = self.places.remove(id) else {
            return;
        };
        self.list[at] = None;
        self.count -= 1;
        if self.has_twins {
            // If the file was edited by hand, another entry of the same name may follow. It takes
            // the place of the deleted one, just as if the file were read again.
            let same = |text: &Option<Text<'_>>| {
                text.as_ref()
                    .is_some_and(|text| id_of(text.get()).as_deref() == Some(id))
            };
            if let Some(next) = self.list[at..].iter().position(same) {
                self.places.insert(id.to_owned(), at + next);
            }
        }
    }

    fn check_count(&self) -> Result<(), NotebookError> {
        if self.count > MAX_ANCHORS {
            return Err(NotebookError::TooManyAnchors { limit: MAX_ANCHORS });
        }
        Ok(())
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (at, text) in self.texts().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(text.get().as_bytes());
        }
        out.push(b']');
    }

    fn bytes(&self) -> usize {
        self.texts().map(|text| text.get().len() + 1).sum()
    }
}

impl Default for NotebookEdit<'_> {
    fn default() -> Self {
        Self {
            anchors: Entries::default(),
            runbooks: Entries::default(),
            slots: Slot::all(),
            owner: None,
            revision: 0,
            written: Written::default(),
            changes: Changes::default(),
            seen: Seen::default(),
            declined: Declined::default(),
            has_seen_more: false,
            is_whole: true,
        }
    }
}

impl<'a> From<Document<'a, &'a RawValue>> for NotebookEdit<'a> {
    fn from(document: Document<'a, &'a RawValue>) -> Self {
        Self {
            anchors: Entries::new(document.anchors),
            runbooks: Entries::new(document.runbooks),
            slots: document.slots,
            owner: Some(document.owner),
            revision: document.revision,
            written: document.written.unwrap_or_default(),
            changes: Changes::default(),
            seen: document.seen,
            declined: document.declined,
            has_seen_more: false,
            is_whole: true,
        }
    }
}

impl NotebookEdit<'_> {
    /// Writes the document as the revision `revision` of `repo`.
    pub(crate) fn to_text(
        &self,
        repo: &dyn Ownership,
        revision: u64,
        written: &Written,
    ) -> Result<Vec<u8>, serde_json::Error> {
        // The entries make up nearly all of the text. 4 KiB are usually enough for the other
        // fields, and if they aren't, the vector just grows.
        let room = self.anchors.bytes() + self.runbooks.bytes() + 4096;
        let mut out = Vec::with_capacity(room);
        // Write the fields in the order of the file, including those we don't know.
        for slot in &self.slots {
            let is_empty = match slot {
                Slot::Shared => self.seen.is_empty(),
                Slot::Declined => self.declined.is_empty(),
                _ => false,
            };
            if is_empty {
                continue;
            }
            out.push(if out.is_empty() { b'{' } else { b',' });
            serde_json::to_writer(&mut out, slot.key())?;
            out.push(b':');
            match slot {
                Slot::SchemaVersion => put(&mut out, &SCHEMA_VERSION)?,
                Slot::Repo(text) => {
                    let text = owner_text(self.owner.as_ref(), text.map(|Raw(text)| text), repo)?;
                    out.extend_from_slice(text.get().as_bytes());
                }
                Slot::Revision => put(&mut out, &revision)?,
                Slot::Written => put(&mut out, written)?,
                Slot::Runbooks => self.runbooks.write(&mut out),
                Slot::Anchors => self.anchors.write(&mut out),
                Slot::Shared => put(&mut out, &self.seen)?,
                Slot::Declined => put(&mut out, &self.declined)?,
                Slot::Other(_, Raw(text)) => out.extend_from_slice(text.get().as_bytes()),
            }
        }
        out.extend_from_slice(b"}\n");
        Ok(out)
    }

    #[must_use]
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// The changes to entries so far. Changed marks do not count.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// True if the edit needs a write. Besides changed entries, an export or import may have
    /// changed the marks only.
    pub(crate) fn is_changed(&self) -> bool {
        self.has_seen_more || !self.changes.is_empty()
    }

    pub(crate) fn has_seen_more(&self) -> bool {
        self.has_seen_more
    }

    /// Records that a part of the file was unreadable and is not part of this edit.
    pub(crate) fn in_part(mut self) -> Self {
        self.is_whole = false;
        self
    }

    /// True if the whole file was readable. If it was not, do not conclude from a missing entry
    /// that it was deleted, as it may be in the unreadable part.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole && !self.anchors.has_nameless && !self.runbooks.has_nameless
    }

    /// The marks of the entries that notebook and repository had in common after the last export or
    /// import.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Replaces [`Self::seen`] after an export or import.
    pub fn set_seen(&mut self, seen: Seen) {
        self.has_seen_more |= self.seen != seen;
        self.seen = seen;
    }

    /// Drops the marks of anchors that were lost with the damaged part of a notebook. An export
    /// would otherwise take these anchors for deleted ones, and remove them from the repository for
    /// everyone.
    pub(crate) fn forget_lost(&mut self) {
        let anchors = &self.anchors;
        self.seen.keep_anchors(|id| anchors.get(id).is_some());
    }

    /// The anchors in their shared form, by name. If an anchor is unreadable, its value is an error
    /// message.
    #[must_use]
    pub fn shared_anchors(&self) -> BTreeMap<String, Result<SharedAnchor, String>> {
        let names = self.anchors.names();
        let texts = names.filter_map(|id| Some((id.to_owned(), self.anchors.get(id)?)));
        let read = |text| SharedAnchor::read(text).map_err(|error| message_of(&error));
        texts.map(|(id, text)| (id, read(text))).collect()
    }

    /// Saves an imported anchor, replacing any other of the same name.
    ///
    /// # Errors
    /// Returns an error if this makes too many anchors.
    pub fn put_shared(&mut self, anchor: &SharedAnchor) -> Result<(), NotebookError> {
        let id = anchor.id().as_str();
        // The user wants this anchor, even if it was declined as a suggestion before.
        self.declined.forget(id);
        if let Some(kind) = put_entry(&mut self.anchors, id, anchor.text().to_owned()) {
            note(&mut self.changes.anchors, id, kind);
        }
        self.anchors.check_count()
    }

    /// Looks up an anchor. Returns `None` if it is missing or invalid.
    #[must_use]
    pub fn anchor(&self, id: &str) -> Option<Anchor> {
        let SoundAnchor(anchor) = inside(self.anchors.get(id)?).ok()?;
        Some(anchor)
    }

    /// The valid runbooks, in the order of the file.
    #[must_use]
    pub fn runbooks(&self) -> Vec<SavedRunbook> {
        let texts = self.runbooks.texts();
        texts.filter_map(|text| inside(text).ok()).collect()
    }

    /// Saves `anchor`, replacing any other of the same name.
    ///
    /// # Errors
    /// Returns an error for an anchor without valid evidence, or for too many anchors.
    pub fn put_anchor(&mut self, anchor: &Anchor) -> Result<(), NotebookError> {
        let known = self.anchor(anchor.id.as_str());
        self.put_known(anchor, known.as_ref())
    }

    /// Like [`NotebookEdit::put_anchor`], for callers that have already parsed the old anchor as
    /// `known`. Parts of `anchor` keep the unknown fields of their counterparts in `known`.
    pub(crate) fn put_known(
        &mut self,
        anchor: &Anchor,
        known: Option<&Anchor>,
    ) -> Result<(), NotebookError> {
        let has_lines = anchor
            .evidence
            .iter()
            .any(|evidence| evidence.span().is_some());
        if !has_lines {
            return Err(NotebookError::NoEvidence(anchor.id.clone()));
        }
        let id = anchor.id.as_str();
        let text = changed_to(self.anchors.get(id), known, anchor)?;
        self.declined.forget(id);
        if let Some(kind) = put_entry(&mut self.anchors, id, text) {
            note(&mut self.changes.anchors, id, kind);
        }
        self.anchors.check_count()
    }

    /// Saves `runbook`, replacing any other of the same name.
    ///
    /// # Errors
    /// Returns an error for a runbook above the maximum size, or for too many runbooks.
    pub fn put_runbook(&mut self, runbook: &SavedRunbook) -> Result<(), NotebookError> {
        let id = runbook.id.as_str();
        if runbook.text.len() > MAX_RUNBOOK_BYTES {
            return Err(NotebookError::LongRunbook {
                id: runbook.id.clone(),
                bytes: runbook.text.len(),
                limit: MAX_RUNBOOK_BYTES,
            });
        }
        let known: Option<SavedRunbook> = self.runbooks.get(id).and_then(|text| inside(text).ok());
        let text = changed_to(self.runbooks.get(id), known.as_ref(), runbook)?;
        self.declined.forget(id);
        if let Some(kind) = put_entry(&mut self.runbooks, id, text) {
            note(&mut self.changes.runbooks, id, kind);
        }
        if self.runbooks.count > MAX_RUNBOOKS {
            return Err(NotebookError::TooManyRunbooks {
                limit: MAX_RUNBOOKS,
            });
        }
        Ok(())
    }

    pub(crate) fn no_such_anchor(&self, id: &str) -> NotebookError {
        NotebookError::NoSuchAnchor {
            id: id.to_owned(),
            similar: did_you_mean(id, self.anchors.names()).map(str::to_owned),
        }
    }

    /// True if there is an anchor of this name that we cannot read.
    pub(crate) fn has_senseless_anchor(&self, id: &str) -> bool {
        self.anchors.get(id).is_some() && self.anchor(id).is_none()
    }

    /// Deletes an anchor, even an invalid one. If it came from a suggestion, we will not suggest it
    /// again.
    ///
    /// # Errors
    /// Returns an error if the anchor does not exist.
    pub fn remove_anchor(&mut self, id: &str) -> Result<(), NotebookError> {
        if self.anchors.get(id).is_none() {
            return Err(self.no_such_anchor(id));
        }
        let was_suggested = self.anchor(id).is_some_and(|one| one.suggested.is_some());
        if was_suggested {
            self.declined.note(id);
        }
        self.anchors.remove(id);
        note(&mut self.changes.anchors, id, ChangeKind::Removed);
        Ok(())
    }

    /// Deletes a runbook, even an invalid one.
    ///
    /// # Errors
    /// Returns an error if the runbook does not exist.
    pub(crate) fn remove_runbook(&mut self, id: &str) -> Result<(), NotebookError> {
        if self.runbooks.get(id).is_none() {
            return Err(NotebookError::NoSuchRunbook {
                id: id.to_owned(),
                similar: did_you_mean(id, self.runbooks.names()).map(str::to_owned),
            });
        }
        // Unlike anchors, runbooks don't record if they were suggested. So we count each deleted
        // one as a declined suggestion, which does no harm if it wasn't one.
        self.declined.note(id);
        self.runbooks.remove(id);
        note(&mut self.changes.runbooks, id, ChangeKind::Removed);
        Ok(())
    }

    /// Makes this edit the successor of `before`, and records the differences as changes (for
    /// rollbacks).
    ///
    /// The marks of `before` are only added for entries that exist in this edit. An export takes
    /// any other marked entry for a deleted one, and would remove it from the repository.
    pub(crate) fn follow(&mut self, before: &NotebookEdit<'_>) {
        self.changes = Changes {
            anchors: difference(&before.anchors, &self.anchors),
            runbooks: difference(&before.runbooks, &self.runbooks),
        };
        let (anchors, runbooks) = (&self.anchors, &self.runbooks);
        self.seen.unite(
            &before.seen,
            |id| anchors.get(id).is_some(),
            |id| runbooks.get(id).is_some(),
        );
    }
}

/// The owner as JSON. We keep the file's own text unless something has changed, e.g. because the
/// repository has its first commit now.
fn owner_text(
    old: Option<&Owner>,
    text: Option<&RawValue>,
    repo: &dyn Ownership,
) -> Result<Box<RawValue>, serde_json::Error> {
    let new = repo.owner(old);
    let (Some(text), Some(old)) = (text, old) else {
        return to_raw_value(&new);
    };
    let same = (&old.repo_id, &old.lineage, old.birth) == (&new.repo_id, &new.lineage, new.birth);
    if same {
        return Ok(text.to_owned());
    }
    merged(text, &to_raw_value(old)?, &to_raw_value(&new)?)
}

fn put(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), serde_json::Error> {
    serde_json::to_writer(out, value)
}

fn put_entry(entries: &mut Entries<'_>, id: &str, text: Box<RawValue>) -> Option<ChangeKind> {
    let kind = match entries.get(id) {
        // Saving the same text again is no change, so it neither shows up in the history nor needs
        // a write.
        Some(old) if old.get() == text.get() => return None,
        Some(_) => ChangeKind::Replaced,
        None => ChangeKind::Added,
    };
    entries.put(id, text);
    Some(kind)
}

/// Writes `new` with the unknown fields of `old`. `known` is the parsed form of `old`: a field is
/// unknown if `old` has it and `known` does not.
fn changed_to<T: Serialize>(
    old: Option<&RawValue>,
    known: Option<&T>,
    new: &T,
) -> Result<Box<RawValue>, serde_json::Error> {
    let new = to_raw_value(new)?;
    match (old, known) {
        (Some(old), Some(known)) => merged(old, &to_raw_value(known)?, &new),
        _ => Ok(new),
    }
}

fn difference(before: &Entries<'_>, after: &Entries<'_>) -> BTreeMap<String, ChangeKind> {
    let mut changes = BTreeMap::new();
    for id in after.names() {
        let same = |old: &RawValue| after.get(id).is_some_and(|new| new.get() == old.get());
        match before.get(id) {
            Some(old) if same(old) => {}
            Some(_) => note(&mut changes, id, ChangeKind::Replaced),
            None => note(&mut changes, id, ChangeKind::Added),
        }
    }
    let gone = before.names().filter(|id| after.get(id).is_none());
    for id in gone {
        note(&mut changes, id, ChangeKind::Removed);
    }
    changes
}
