use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use windlass_base::did_you_mean;

use crate::fields::{Fields, merged};
use crate::{Anchor, NotebookError};

/// The newest version of the format that this program reads and writes.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The most anchors one notebook holds.
const MAX_ANCHORS: usize = 20_000;

/// A notebook in memory.
///
/// Everything keeps the text it was read from: what is not changed is written back as it was and where it
/// was, and what is changed keeps the fields this program does not know.
#[derive(Debug, Clone)]
pub struct Notebook {
    anchors: Vec<Stored>,
    /// The fields of the document, in order.
    slots: Vec<Slot>,
}

#[derive(Debug, Clone)]
struct Stored {
    anchor: Anchor,
    text: Option<Box<RawValue>>,
}

/// One field of the document.
#[derive(Debug, Clone)]
enum Slot {
    SchemaVersion,
    /// The repository it belongs to; nothing where that is still to be said.
    Repo(Option<Box<RawValue>>),
    Anchors,
    Other(String, Box<RawValue>),
}

/// Which repository a notebook belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RepoRecord {
    pub(crate) repo_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root_fingerprint: Option<String>,
}

/// A notebook as it is read: with its owner, which is still to be checked.
pub(crate) struct Owned {
    pub(crate) owner: RepoRecord,
    pub(crate) notebook: Notebook,
}

impl Default for Notebook {
    fn default() -> Self {
        Self {
            anchors: Vec::new(),
            slots: vec![Slot::SchemaVersion, Slot::Repo(None), Slot::Anchors],
        }
    }
}

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Document;

        impl<'de> Visitor<'de> for Document {
            type Value = Owned;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a notebook")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Owned, A::Error> {
                let (mut owner, mut anchors) = (None, None);
                let mut slots = Vec::new();
                let mut seen = BTreeSet::new();
                while let Some(key) = map.next_key::<String>()? {
                    let slot = match key.as_str() {
                        "schema_version" => {
                            map.next_value::<IgnoredAny>()?;
                            Slot::SchemaVersion
                        }
                        "repo" => {
                            let text: Box<RawValue> = map.next_value()?;
                            owner = Some(inside(&text).map_err(A::Error::custom)?);
                            Slot::Repo(Some(text))
                        }
                        "anchors" => {
                            anchors = Some(map.next_value()?);
                            Slot::Anchors
                        }
                        _ => Slot::Other(key.clone(), map.next_value()?),
                    };
                    slots.push(slot);
                    if let Some(twice) = seen.replace(key) {
                        return Err(A::Error::custom(format!("`{twice}` stands twice")));
                    }
                }
                if anchors.is_none() {
                    slots.push(Slot::Anchors);
                }
                Ok(Owned {
                    owner: owner.ok_or_else(|| A::Error::missing_field("repo"))?,
                    notebook: Notebook {
                        anchors: anchors.unwrap_or_default(),
                        slots,
                    },
                })
            }
        }

        deserializer.deserialize_map(Document)
    }
}

impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Name {
            id: String,
        }
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let checked = |anchor: Anchor| match anchor.problem() {
            Some(problem) => Err(problem),
            None => Ok(anchor),
        };
        let anchor = inside(&text).and_then(checked).map_err(|why: String| {
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

/// Reads a part of a document. The parser counts lines from the start of the part, which would mislead.
fn inside<T: DeserializeOwned>(text: &RawValue) -> Result<T, String> {
    serde_json::from_str(text.get()).map_err(|error| {
        let text = error.to_string();
        text.split(" at line ").next().unwrap_or(&text).to_owned()
    })
}

impl Notebook {
    /// The document, as it is written; it belongs to `owner` if it says nothing else.
    pub(crate) fn to_text(&self, owner: &RepoRecord) -> Result<Vec<u8>, serde_json::Error> {
        let anchors = self
            .anchors
            .iter()
            .map(Stored::to_text)
            .collect::<Result<Vec<_>, _>>()?;
        let mut fields = Fields::default();
        for slot in &self.slots {
            let (key, value) = match slot {
                Slot::SchemaVersion => ("schema_version", to_raw_value(&SCHEMA_VERSION)?),
                Slot::Repo(Some(text)) => ("repo", text.clone()),
                Slot::Repo(None) => ("repo", to_raw_value(owner)?),
                Slot::Anchors => ("anchors", to_raw_value(&anchors)?),
                Slot::Other(key, value) => (key.as_str(), value.clone()),
            };
            fields.0.push((key.to_owned(), value));
        }
        let mut text = serde_json::to_vec(&fields)?;
        text.push(b'\n');
        Ok(text)
    }

    /// The anchors, in the order in which they were saved.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> {
        self.anchors.iter().map(|stored| &stored.anchor)
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none; the error names the nearest.
    pub fn anchor(&self, id: &str) -> Result<&Anchor, NotebookError> {
        self.anchors()
            .find(|anchor| anchor.id.as_str() == id)
            .ok_or_else(|| self.no_such(id))
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
    /// As [`Notebook::add`].
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
                .all(|evidence| evidence.pointer().is_none())
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
        let Some(at) = self
            .anchors
            .iter()
            .position(|stored| stored.anchor.id.as_str() == id)
        else {
            return Err(self.no_such(id));
        };
        Ok(self.anchors.remove(at).anchor)
    }

    fn no_such(&self, id: &str) -> NotebookError {
        let similar =
            did_you_mean(id, self.anchors().map(|anchor| anchor.id.as_str())).map(str::to_owned);
        NotebookError::NoSuchAnchor {
            id: id.to_owned(),
            similar,
        }
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
