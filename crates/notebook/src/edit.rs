use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::{RawValue, to_raw_value};
use windlass_repo::Owner;

use crate::anchor::SoundAnchor;
use crate::document::{Document, SCHEMA_VERSION, Slot, inside};
use crate::fields::{Fields, merged};
use crate::notebook::find;
use crate::{Anchor, NotebookError, Ownership};

/// The most anchors one notebook holds.
const MAX_ANCHORS: usize = 20_000;

/// A notebook that is being changed.
///
/// Everything keeps the text it was read from: what is not changed is written back as it was and where it
/// was, and what is changed keeps the fields this program does not know.
#[derive(Debug, Clone)]
pub struct NotebookEdit {
    anchors: Vec<Stored>,
    slots: Vec<Slot>,
    /// Whose it was when it was read.
    owner: Option<Owner>,
}

/// An anchor, and how it stands in the file.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) anchor: Anchor,
    text: Option<Box<RawValue>>,
}

impl Default for NotebookEdit {
    fn default() -> Self {
        Self {
            anchors: Vec::new(),
            slots: vec![Slot::SchemaVersion, Slot::Repo(None), Slot::Anchors],
            owner: None,
        }
    }
}

impl From<Document<Stored>> for NotebookEdit {
    fn from(document: Document<Stored>) -> Self {
        let Document {
            anchors,
            slots,
            owner,
        } = document;
        Self {
            anchors,
            slots,
            owner: Some(owner),
        }
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Name {
            id: String,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let SoundAnchor(anchor) = inside(&text).map_err(|why: String| {
            let name = serde_json::from_str::<Name>(text.get());
            let name = name.map(|name| format!("anchor `{}`: ", name.id));
            D::Error::custom(format!("{}{why}", name.unwrap_or_default()))
        })?;
        Ok(Self {
            anchor,
            text: Some(text),
        })
    }
}

impl NotebookEdit {
    /// The document as it is written, for `repo`.
    pub(crate) fn to_text(&self, repo: &dyn Ownership) -> Result<Vec<u8>, serde_json::Error> {
        let anchors = self
            .anchors
            .iter()
            .map(Stored::to_text)
            .collect::<Result<Vec<_>, _>>()?;
        let mut fields = Fields::default();
        for slot in &self.slots {
            let (key, value) = match slot {
                Slot::SchemaVersion => ("schema_version", to_raw_value(&SCHEMA_VERSION)?),
                Slot::Repo(text) => ("repo", self.owner_text(text.as_deref(), repo)?),
                Slot::Anchors => ("anchors", to_raw_value(&anchors)?),
                Slot::Other(key, value) => (key.as_str(), value.clone()),
            };
            fields.0.push((key.to_owned(), value));
        }
        let mut text = serde_json::to_vec(&fields)?;
        text.push(b'\n');
        Ok(text)
    }

    /// Whose the document is: what it says already, unless more is known by now.
    fn owner_text(
        &self,
        text: Option<&RawValue>,
        repo: &dyn Ownership,
    ) -> Result<Box<RawValue>, serde_json::Error> {
        let new = repo.owner(self.owner.as_ref());
        let (Some(text), Some(old)) = (text, &self.owner) else {
            return to_raw_value(&new);
        };
        if (&old.lineage, old.birth) == (&new.lineage, new.birth) {
            return Ok(text.to_owned());
        }
        merged(text, &to_raw_value(old)?, &to_raw_value(&new)?)
    }

    /// The anchors, in the order in which they were saved.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> + Clone {
        self.anchors.iter().map(|stored| &stored.anchor)
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none; the error names the nearest.
    pub fn anchor(&self, id: &str) -> Result<&Anchor, NotebookError> {
        find(self.anchors(), id).map(|(_, anchor)| anchor)
    }

    /// Adds `anchor`, or puts it in the place of the one of its name.
    ///
    /// # Errors
    /// When the name is taken and `replace` is false, when it has no evidence, or when there are too many.
    pub fn add(&mut self, anchor: Anchor, replace: bool) -> Result<(), NotebookError> {
        self.add_all(vec![anchor], replace)
    }

    /// Adds all of `anchors`, or none.
    ///
    /// # Errors
    /// As [`NotebookEdit::add`].
    pub fn add_all(&mut self, anchors: Vec<Anchor>, replace: bool) -> Result<(), NotebookError> {
        let mut places = BTreeMap::new();
        for (at, anchor) in self.anchors().enumerate() {
            // A name that stands twice in a file edited by hand means the first, here as everywhere.
            places.entry(anchor.id.clone()).or_insert(at);
        }
        let mut all = self.anchors.clone();
        for anchor in anchors {
            if anchor
                .evidence
                .iter()
                .all(|evidence| evidence.span().is_none())
            {
                return Err(NotebookError::NoEvidence(anchor.id));
            }
            match places.get(&anchor.id) {
                Some(_) if !replace => return Err(NotebookError::Exists(anchor.id)),
                Some(at) => all[*at] = all[*at].changed_to(anchor)?,
                None => {
                    places.insert(anchor.id.clone(), all.len());
                    all.push(Stored { anchor, text: None });
                }
            }
        }
        if all.len() > MAX_ANCHORS {
            return Err(NotebookError::TooMany { limit: MAX_ANCHORS });
        }
        self.anchors = all;
        Ok(())
    }

    /// Takes the anchor called `id` out.
    ///
    /// # Errors
    /// When there is none.
    pub fn remove(&mut self, id: &str) -> Result<Anchor, NotebookError> {
        let (at, _) = find(self.anchors(), id)?;
        Ok(self.anchors.remove(at).anchor)
    }
}

impl Stored {
    /// `anchor`, with the fields of the old text that this program does not know.
    fn changed_to(&self, anchor: Anchor) -> Result<Self, serde_json::Error> {
        let Some(text) = &self.text else {
            return Ok(Self { anchor, text: None });
        };
        let (known, new) = (to_raw_value(&self.anchor)?, to_raw_value(&anchor)?);
        let text = merged(text, &known, &new)?;
        Ok(Self {
            anchor,
            text: Some(text),
        })
    }

    fn to_text(&self) -> Result<Box<RawValue>, serde_json::Error> {
        self.text
            .clone()
            .map_or_else(|| to_raw_value(&self.anchor), Ok)
    }
}
