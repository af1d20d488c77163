//! The notebook file as a document with an owner, anchors, runbooks, and unknown fields.
//!
//! Every part keeps its original text, so that unchanged parts can be written back byte for byte.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_repo::Owner;

use crate::Written;
use crate::anchor_exchange::Seen;
use crate::storage::declined::Declined;

/// Newest version of the format, and the one we read and write.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Key of the marks once shared by the notebook and the repository.
const SHARED: &str = "shared";
/// Key of the names of declined suggestions.
const DECLINED: &str = "declined";

/// A parsed notebook whose owner hasn't been checked yet.
pub(crate) struct Document<'a, A> {
    pub(crate) owner: Owner,
    /// The revision's number, or 0 if unknown.
    pub(crate) revision: u64,
    /// Metadata of the last write, if known.
    pub(crate) written: Option<Written>,
    /// Marks once shared by the notebook and the repository.
    pub(crate) seen: Seen,
    /// Names of declined suggestions.
    pub(crate) declined: Declined,
    pub(crate) anchors: Vec<A>,
    pub(crate) runbooks: Vec<&'a RawValue>,
    /// The document's fields, in file order.
    pub(crate) slots: Vec<Slot<'a>>,
}

/// A field of the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Slot<'a> {
    SchemaVersion,
    /// The repository that the notebook belongs to. `None` in a new document.
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

/// A document being read field by field.
pub(crate) struct Parts<'a, A> {
    owner: Option<Owner>,
    revision: u64,
    /// Metadata of the last write, if known.
    written: Option<Written>,
    seen: Seen,
    declined: Declined,
    anchors: Vec<A>,
    runbooks: Vec<&'a RawValue>,
    slots: Vec<Slot<'a>>,
}

/// Lists in the document whose elements are read one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Anchors,
    Runbooks,
}

impl List {
    /// Returns the list's key in the document.
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

    /// Returns true if the field `key` has already been read.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.slots.iter().any(|slot| slot.key() == key)
    }

    /// Adds a field other than a list.
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
            // Ignore an invalid revision or invalid metadata, since the next write replaces it.
            "revision" => {
                self.revision = inside(value).unwrap_or(0);
                Slot::Revision
            }
            "written" => {
                self.written = inside(value).ok();
                Slot::Written
            }
            // If we can't read the value, retain it as an unknown field.
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

    /// Adds a list field, whose elements follow.
    pub(crate) fn begin(&mut self, list: List) -> Result<(), String> {
        if self.has(list.key()) {
            return Err(format!("`{}` is duplicated", list.key()));
        }
        self.slots.push(list.slot());
        Ok(())
    }

    pub(crate) fn push_anchor(&mut self, anchor: A) {
        self.anchors.push(anchor);
    }

    pub(crate) fn push_runbook(&mut self, runbook: &'a RawValue) {
        self.runbooks.push(runbook);
    }

    /// Returns the document, or `None` if it has no owner.
    pub(crate) fn finish(self) -> Option<Document<'a, A>> {
        let mut slots = self.slots;
        if !slots.contains(&Slot::Anchors) {
            slots.push(Slot::Anchors);
        }
        // These fields can be large, since they contain a mark for each anchor. They go last, so
        // that we can find the other fields without reading them.
        for slot in [Slot::Shared, Slot::Declined] {
            if !slots.iter().any(|other| other.key() == slot.key()) {
                slots.push(slot);
            }
        }
        // Small fields go before the anchors, so that we can read them without the anchors.
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

    /// Returns a new document's fields, in order.
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
        let parts = deserializer.deserialize_map(Fields(PhantomData))?;
        parts
            .finish()
            .ok_or_else(|| D::Error::missing_field("repo"))
    }
}

/// Visitor for reading a document's fields.
struct Fields<'a, A>(PhantomData<fn() -> (&'a (), A)>);

impl<'de: 'a, 'a, A: Deserialize<'de>> Visitor<'de> for Fields<'a, A> {
    type Value = Parts<'a, A>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a notebook")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut parts = Parts::new();
        while let Some(key) = map.next_key::<String>()? {
            match List::of_key(&key) {
                Some(list) => {
                    parts.begin(list).map_err(M::Error::custom)?;
                    match list {
                        List::Anchors => parts.anchors = map.next_value()?,
                        List::Runbooks => parts.runbooks = map.next_value()?,
                    }
                }
                None => parts
                    .set(&key, map.next_value()?)
                    .map_err(M::Error::custom)?,
            }
        }
        Ok(parts)
    }
}

/// The part of a document before the anchors.
pub(crate) struct Head<'a> {
    pub(crate) owner: Owner,
    pub(crate) revision: u64,
    pub(crate) written: Option<Written>,
    /// The runbooks, or `None` if they don't come before the anchors or are cut off.
    pub(crate) runbooks: Option<Vec<&'a RawValue>>,
}

/// Parses the start of a document up to its anchors. Returns `None` if the owner isn't in it.
pub(crate) fn head(start: &[u8]) -> Option<Head<'_>> {
    struct Before<'p, 'a>(&'p mut Parts<'a, ()>);

    impl<'a> Visitor<'a> for Before<'_, 'a> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a notebook")
        }

        fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
            while let Some(key) = map.next_key::<String>()? {
                match List::of_key(&key) {
                    Some(List::Anchors) => return Ok(()),
                    Some(List::Runbooks) => {
                        let list: Vec<&'a RawValue> = map.next_value()?;
                        self.0.begin(List::Runbooks).map_err(M::Error::custom)?;
                        self.0.runbooks = list;
                    }
                    None => {
                        let value: &'a RawValue = map.next_value()?;
                        self.0.set(&key, value).map_err(M::Error::custom)?;
                    }
                }
            }
            Ok(())
        }
    }

    // The text may end within a character. If so, drop that character.
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).ok()?,
    };
    let mut parts = Parts::new();
    // The parser reports an error where the text was cut off. By then, it has visited all complete
    // fields.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(Before(&mut parts));
    let has_runbooks = parts.has(List::Runbooks.key());
    Some(Head {
        owner: parts.owner?,
        revision: parts.revision,
        written: parts.written,
        runbooks: has_runbooks.then_some(parts.runbooks),
    })
}

/// Parses a part of a document. The error has no line number, because it would count from the start
/// of the part.
pub(crate) fn inside<T: DeserializeOwned>(text: &RawValue) -> Result<T, String> {
    serde_json::from_str(text.get()).map_err(|error| {
        let text = error.to_string();
        text.split(" at line ").next().unwrap_or(&text).to_owned()
    })
}

/// Returns the `id` of an object without parsing the fields after it.
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
