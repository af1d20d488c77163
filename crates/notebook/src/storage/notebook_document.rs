//! The notebook file as a document with an owner, anchors, runbooks, and unknown fields.
//!
//! Every part keeps its original text, so that unchanged parts can be written back byte for byte.
//! In addition, [`head`] can read a document without its anchors, which usually make up most of the
//! file.

use std::fmt;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_repo::Owner;

use crate::Written;
use crate::anchor_exchange::Seen;
use crate::storage::damage::Lost;
use crate::storage::declined::Declined;

/// Version of the format that we write, and the newest that we can read.
///
/// Raise this if an older Windlass would misread or damage the new format. A new optional field is
/// no reason, because older versions keep the fields they don't know.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Key of the marks that record the last common state of notebook and repository.
const SHARED: &str = "shared";
const DECLINED: &str = "declined";

/// A parsed notebook whose owner has not been checked yet.
pub(crate) struct Document<'a, A> {
    pub(crate) owner: Owner,
    /// The revision's number, or 0 if we can't read it.
    pub(crate) revision: u64,
    pub(crate) written: Option<Written>,
    /// Marks that record the last common state of notebook and repository.
    pub(crate) seen: Seen,
    pub(crate) declined: Declined,
    pub(crate) anchors: Vec<A>,
    pub(crate) runbooks: Vec<&'a RawValue>,
    pub(crate) slots: Vec<Slot<'a>>,
}

/// A parsed document with its entries still in raw form.
pub(crate) struct Parsed<'a> {
    pub(crate) document: Document<'a, &'a RawValue>,
    /// Unreadable parts. There are none if the whole document is valid JSON.
    pub(crate) lost: Vec<Lost>,
}

/// A field of the document.
///
/// A slot only says where its field goes. The values of known fields are elsewhere in the document,
/// while `Other` has the text of a field we don't know.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Slot<'a> {
    SchemaVersion,
    /// The notebook's repository, as written in the file. A new document has no such text.
    Repo(Option<Raw<'a>>),
    Revision,
    Written,
    Runbooks,
    Anchors,
    Shared,
    Declined,
    Other(String, Raw<'a>),
}

/// A JSON value compared by its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a>(pub(crate) &'a RawValue);

impl PartialEq for Raw<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// A document in the middle of being read, field by field.
pub(crate) struct Parts<'a, A> {
    owner: Option<Owner>,
    revision: u64,
    written: Option<Written>,
    seen: Seen,
    declined: Declined,
    pub(super) anchors: Vec<A>,
    pub(super) runbooks: Vec<&'a RawValue>,
    slots: Vec<Slot<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Anchors,
    Runbooks,
}

impl List {
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Anchors => "anchors",
            Self::Runbooks => "runbooks",
        }
    }

    pub(crate) fn of_key(key: &str) -> Option<Self> {
        [Self::Anchors, Self::Runbooks]
            .into_iter()
            .find(|list| list.key() == key)
    }

    fn slot<'a>(self) -> Slot<'a> {
        match self {
            Self::Anchors => Slot::Anchors,
            Self::Runbooks => Slot::Runbooks,
        }
    }
}

impl<'a, A> Parts<'a, A> {
    pub(crate) fn new() -> Self {
        Self {
            owner: None,
            revision: 0,
            written: None,
            seen: Seen::default(),
            declined: Declined::default(),
            anchors: Vec::new(),
            runbooks: Vec::new(),
            slots: Vec::new(),
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.slots.iter().any(|slot| slot.key() == key)
    }

    /// Adds a field other than a list. A duplicate is an error, since we couldn't tell which one to
    /// believe.
    pub(crate) fn set(&mut self, key: &str, value: &'a RawValue) -> Result<(), String> {
        if self.has(key) {
            return Err(format!("`{key}` is duplicated"));
        }
        let slot = match key {
            "schema_version" => Slot::SchemaVersion,
            "repo" => {
                self.owner = Some(inside(value)?);
                Slot::Repo(Some(Raw(value)))
            }
            // Neither of these two is worth giving up the notebook for: the next write replaces
            // both. So invalid values are simply ignored.
            "revision" => {
                self.revision = inside(value).unwrap_or(0);
                Slot::Revision
            }
            "written" => {
                self.written = inside(value).ok();
                Slot::Written
            }
            // If we can't read the value, keep it like an unknown field. Maybe a newer version has
            // written it.
            SHARED => match inside(value) {
                Ok(seen) => {
                    self.seen = seen;
                    Slot::Shared
                }
                Err(_) => Slot::Other(key.to_owned(), Raw(value)),
            },
            DECLINED => match inside(value) {
                Ok(declined) => {
                    self.declined = declined;
                    Slot::Declined
                }
                Err(_) => Slot::Other(key.to_owned(), Raw(value)),
            },
            _ => Slot::Other(key.to_owned(), Raw(value)),
        };
        self.slots.push(slot);
        Ok(())
    }

    pub(crate) fn begin(&mut self, list: List) -> Result<(), String> {
        if self.has(list.key()) {
            return Err(format!("`{}` is duplicated", list.key()));
        }
        self.slots.push(list.slot());
        Ok(())
    }

    /// Finishes the document, or returns `None` if it has no owner. Known fields that are missing
    /// in the file get their slots here.
    pub(crate) fn finish(self) -> Option<Document<'a, A>> {
        let mut slots = self.slots;
        if !slots.contains(&Slot::Anchors) {
            slots.push(Slot::Anchors);
        }
        // With marks for each anchor, these fields can get large. They go last, so that the others
        // can be found without reading them.
        for slot in [Slot::Shared, Slot::Declined] {
            if !slots.iter().any(|other| other.key() == slot.key()) {
                slots.push(slot);
            }
        }
        // Small fields go before the anchors, which is what `head` relies on.
        for slot in [Slot::Revision, Slot::Written, Slot::Runbooks] {
            if !slots.contains(&slot) {
                let at = slots.iter().position(|slot| *slot == Slot::Anchors);
                slots.insert(at.unwrap_or(slots.len()), slot);
            }
        }
        Some(Document {
            owner: self.owner?,
            revision: self.revision,
            written: self.written,
            seen: self.seen,
            declined: self.declined,
            anchors: self.anchors,
            runbooks: self.runbooks,
            slots,
        })
    }
}

impl Slot<'_> {
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::SchemaVersion => "schema_version",
            Self::Repo(_) => "repo",
            Self::Revision => "revision",
            Self::Written => "written",
            Self::Runbooks => List::Runbooks.key(),
            Self::Anchors => List::Anchors.key(),
            Self::Shared => SHARED,
            Self::Declined => DECLINED,
            Self::Other(key, _) => key,
        }
    }

    /// The fields of a new document, in the order in which we write them.
    pub(crate) fn all() -> Vec<Self> {
        vec![
            Self::SchemaVersion,
            Self::Repo(None),
            Self::Revision,
            Self::Written,
            Self::Runbooks,
            Self::Anchors,
            Self::Shared,
            Self::Declined,
        ]
    }
}

impl<'de: 'a, 'a, A: Deserialize<'de>> Deserialize<'de> for Document<'a, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut parts = Parts::new();
        deserializer.deserialize_map(Fields {
            parts: &mut parts,
            of_head: false,
        })?;
        parts
            .finish()
            .ok_or_else(|| D::Error::missing_field("repo"))
    }
}

struct Fields<'p, 'a, A> {
    parts: &'p mut Parts<'a, A>,
    /// True to stop at the anchors, without reading them.
    of_head: bool,
}

impl<'de: 'a, 'a, A: Deserialize<'de>> Visitor<'de> for Fields<'_, 'a, A> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a notebook")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { parts, of_head } = self;
        while let Some(key) = map.next_key::<String>()? {
            match List::of_key(&key) {
                Some(List::Anchors) if of_head => return Ok(()),
                Some(List::Anchors) => {
                    let anchors = map.next_value()?;
                    parts.begin(List::Anchors).map_err(M::Error::custom)?;
                    parts.anchors = anchors;
                }
                Some(List::Runbooks) => {
                    let runbooks = map.next_value()?;
                    parts.begin(List::Runbooks).map_err(M::Error::custom)?;
                    parts.runbooks = runbooks;
                }
                None => parts
                    .set(&key, map.next_value()?)
                    .map_err(M::Error::custom)?,
            }
        }
        Ok(())
    }
}

pub(crate) struct Head<'a> {
    pub(crate) owner: Owner,
    pub(crate) revision: u64,
    pub(crate) written: Option<Written>,
    /// The runbooks. This is `None` if they come after the anchors or are cut off, in which case
    /// the caller has to read the whole file.
    pub(crate) runbooks: Option<Vec<&'a RawValue>>,
}

/// Parses the start of a document up to its anchors. Returns `None` if the owner isn't in it.
pub(crate) fn head(start: &[u8]) -> Option<Head<'_>> {
    // The caller has read a fixed number of bytes, so the text may end in the middle of a
    // character. Drop that character.
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).ok()?,
    };
    let mut parts = Parts::<()>::new();
    // The parser fails at the point where the text was cut off. We don't mind, because it has
    // visited all complete fields by then.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(Fields {
        parts: &mut parts,
        of_head: true,
    });
    let has_runbooks = parts.has(List::Runbooks.key());
    Some(Head {
        owner: parts.owner?,
        revision: parts.revision,
        written: parts.written,
        runbooks: has_runbooks.then_some(parts.runbooks),
    })
}

/// Parses a part of a document. We drop the line number from the error, because it would be counted
/// from the start of the part rather than the file.
pub(crate) fn inside<T: DeserializeOwned>(text: &RawValue) -> Result<T, String> {
    serde_json::from_str(text.get()).map_err(|error| {
        let text = error.to_string();
        text.split(" at line ").next().unwrap_or(&text).to_owned()
    })
}

/// The `id` of an object. This stops at the `id`, which usually comes first, instead of parsing the
/// whole entry.
pub(crate) fn id_of(text: &RawValue) -> Option<String> {
    struct Id<'a>(&'a mut Option<String>);

    impl<'de> Visitor<'de> for Id<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with an `id`")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                if key == "id" {
                    *self.0 = map.next_value()?;
                    return Ok(());
                }
                map.next_value::<serde::de::IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut id = None;
    let _ = serde_json::Deserializer::from_str(text.get()).deserialize_map(Id(&mut id));
    id
}
