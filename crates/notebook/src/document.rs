//! The notebook's file as a document: its owner, its anchors, and what else stands in it.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use windlass_repo::Owner;

/// The newest version of the format that this program reads and writes.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// A notebook as it is read. Whom it belongs to is still to be checked.
pub(crate) struct Document<A> {
    pub(crate) owner: Owner,
    pub(crate) anchors: Vec<A>,
    /// Its fields, in order.
    pub(crate) slots: Vec<Slot>,
}

/// One field of the document.
#[derive(Debug, Clone)]
pub(crate) enum Slot {
    SchemaVersion,
    /// The repository it belongs to; nothing where that is still to be said.
    Repo(Option<Box<RawValue>>),
    Anchors,
    Other(String, Box<RawValue>),
}

impl<'de, A: Deserialize<'de>> Deserialize<'de> for Document<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<A>(PhantomData<A>);

        impl<'de, A: Deserialize<'de>> Visitor<'de> for Fields<A> {
            type Value = Document<A>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a notebook")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Document<A>, M::Error> {
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
                            owner = Some(inside(&text).map_err(M::Error::custom)?);
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
                        return Err(M::Error::custom(format!("`{twice}` stands twice")));
                    }
                }
                if anchors.is_none() {
                    slots.push(Slot::Anchors);
                }
                Ok(Document {
                    owner: owner.ok_or_else(|| M::Error::missing_field("repo"))?,
                    anchors: anchors.unwrap_or_default(),
                    slots,
                })
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// Reads a part of a document. The parser counts lines from the start of the part, which would mislead.
pub(crate) fn inside<T: DeserializeOwned>(text: &RawValue) -> Result<T, String> {
    serde_json::from_str(text.get()).map_err(|error| {
        let text = error.to_string();
        text.split(" at line ").next().unwrap_or(&text).to_owned()
    })
}
