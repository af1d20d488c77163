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

/// A notebook that is being changed.
///
/// What is not changed is written back as it was and where it was, without having been looked at; what is changed
/// keeps the fields this program does not know.
#[derive(Debug)]
pub struct NotebookEdit<'a> {
    anchors: Entries<'a>,
    runbooks: Entries<'a>,
    slots: Vec<Slot<'a>>,
    /// Whose it was when it was read.
    owner: Option<Owner>,
    revision: u64,
    /// What is known of the write that made it.
    written: Written,
    changes: Changes,
    seen: Seen,
    declined: Declined,
    /// Whether what was seen is another than when it was read.
    has_seen_more: bool,
    /// Whether all of it could be read.
    is_whole: bool,
}

/// A list of named objects, in order.
#[derive(Debug, Default)]
struct Entries<'a> {
    /// Nothing where one was taken out.
    list: Vec<Option<Text<'a>>>,
    /// Where each name stands: the first, if a file edited by hand has several.
    places: BTreeMap<String, usize>,
    has_twins: bool,
    /// Whether one says no name: nobody can change it or take it out.
    has_nameless: bool,
    count: usize,
}

/// An object, as it is written.
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
        // Of equal names the first stays: they are sorted by place as well.
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
            // Another one of the same name, which only a file edited by hand has, is now the first.
            let same = |text: &Option<Text<'_>>| {
                text.as_ref()
                    .is_some_and(|text| id_of(text.get()).as_deref() == Some(id))
            };
            if let Some(next) = self.list[at..].iter().position(same) {
                self.places.insert(id.to_owned(), at + next);
            }
        }
    }

    /// Makes sure that there are not too many anchors.
    fn check_count(&self) -> Result<(), NotebookError> {
        if self.count > MAX_ANCHORS {
            return Err(NotebookError::TooManyAnchors { limit: MAX_ANCHORS });
        }
        Ok(())
    }

    /// As a list of JSON.
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
    /// The document as it is written for `repo`, as `revision`.
    pub(crate) fn to_text(
        &self,
        repo: &dyn Ownership,
        revision: u64,
        written: &Written,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let room = self.anchors.bytes() + self.runbooks.bytes() + 4096;
        let mut out = Vec::with_capacity(room);
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

    /// The revision it was read at; 0 before there was one.
    #[must_use]
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// What is known of the write that made the revision it was read at.
    pub(crate) fn written(&self) -> &Written {
        &self.written
    }

    /// What was changed.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Whether there is anything to be written.
    pub(crate) fn is_changed(&self) -> bool {
        self.has_seen_more || !self.changes.is_empty()
    }

    /// Whether something was handed over or taken over.
    pub(crate) fn has_seen_more(&self) -> bool {
        self.has_seen_more
    }

    /// The same, read from a file of which not all could be.
    pub(crate) fn in_part(mut self) -> Self {
        self.is_whole = false;
        self
    }

    /// Whether all of it could be read, so that what is not in it is known not to be there.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole && !self.anchors.has_nameless && !self.runbooks.has_nameless
    }

    /// What was handed over to others and taken over from them.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Notes what was handed over or taken over.
    pub fn set_seen(&mut self, seen: Seen) {
        self.has_seen_more |= self.seen != seen;
        self.seen = seen;
    }

    /// Lets go of what was handed over under names that it no longer has, since they may have been lost: what is not
    /// there must not be taken for what somebody took out.
    pub(crate) fn forget_lost(&mut self) {
        let anchors = &self.anchors;
        self.seen.keep_anchors(|id| anchors.get(id).is_some());
    }

    /// The anchors as they are handed over, by name; of one that makes no sense, why.
    #[must_use]
    pub fn shared_anchors(&self) -> BTreeMap<String, Result<SharedAnchor, String>> {
        let names = self.anchors.names();
        let texts = names.filter_map(|id| Some((id.to_owned(), self.anchors.get(id)?)));
        let read = |text| SharedAnchor::read(text).map_err(|error| message_of(&error));
        texts.map(|(id, text)| (id, read(text))).collect()
    }

    /// Saves `anchor` as others have it, in the place of the one of its name if there is one.
    ///
    /// # Errors
    /// When there are too many.
    pub fn put_shared(&mut self, anchor: &SharedAnchor) -> Result<(), NotebookError> {
        let id = anchor.id().as_str();
        self.declined.forget(id);
        if let Some(kind) = put_entry(&mut self.anchors, id, anchor.text().to_owned()) {
            note(&mut self.changes.anchors, id, kind);
        }
        self.anchors.check_count()
    }

    /// The anchor called `id`; nothing where there is none, or none that makes sense.
    #[must_use]
    pub fn anchor(&self, id: &str) -> Option<Anchor> {
        let SoundAnchor(anchor) = inside(self.anchors.get(id)?).ok()?;
        Some(anchor)
    }

    /// The runbooks that make sense, in order.
    #[must_use]
    pub fn runbooks(&self) -> Vec<SavedRunbook> {
        let texts = self.runbooks.texts();
        texts.filter_map(|text| inside(text).ok()).collect()
    }

    /// Saves `anchor`, in the place of the one of its name if there is one.
    ///
    /// # Errors
    /// When it has no evidence, or there are too many.
    pub fn put_anchor(&mut self, anchor: &Anchor) -> Result<(), NotebookError> {
        let known = self.anchor(anchor.id.as_str());
        self.put_known(anchor, known.as_ref())
    }

    /// As [`NotebookEdit::put_anchor`]. `known` is what the one of its name is taken for: fields this program does not know
    /// stay with what has a counterpart there.
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

    /// Saves `runbook`, in the place of the one of its name if there is one.
    ///
    /// # Errors
    /// When it is too long, or there are too many.
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

    /// Whether something is saved as the anchor `id` that makes no sense.
    pub(crate) fn has_senseless_anchor(&self, id: &str) -> bool {
        self.anchors.get(id).is_some() && self.anchor(id).is_none()
    }

    /// Takes the anchor called `id` out, also one that makes no sense.
    ///
    /// # Errors
    /// When there is none.
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

    /// Takes the runbook called `id` out, also one that makes no sense.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn remove_runbook(&mut self, id: &str) -> Result<(), NotebookError> {
        if self.runbooks.get(id).is_none() {
            return Err(NotebookError::NoSuchRunbook {
                id: id.to_owned(),
                similar: did_you_mean(id, self.runbooks.names()).map(str::to_owned),
            });
        }
        // No runbook says whether it was suggested.
        self.declined.note(id);
        self.runbooks.remove(id);
        note(&mut self.changes.runbooks, id, ChangeKind::Removed);
        Ok(())
    }

    /// Takes the place of `before`: notes as changes what is different from it, and adds what that knows to have been handed
    /// over of the entries that this one has. Of what it has not, only its own marks count: otherwise what is not there
    /// would be taken for what somebody took out.
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

/// Whose the document is: what it says already, unless more is known by now.
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

/// Puts `text` there; what that changes.
fn put_entry(entries: &mut Entries<'_>, id: &str, text: Box<RawValue>) -> Option<ChangeKind> {
    let kind = match entries.get(id) {
        Some(old) if old.get() == text.get() => return None,
        Some(_) => ChangeKind::Replaced,
        None => ChangeKind::Added,
    };
    entries.put(id, text);
    Some(kind)
}

/// `new` as it is written, with the fields of the old text that this program does not know. `known` is what
/// this program made of that.
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
