//! Versions of the format: vContext 0.4, and its successor xBRIEF 0.5 to 0.8.
//!
//! In version 0.5, the successor still had its first name, vBRIEF. Each row of `versions.json`
//! lists the differences from the previous version, beginning with the entities in `fields.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use windlass_tron::{Object, Value};

use super::Shape;
use crate::{Container, ItemStatus, PlanStatus};

/// A version of the format.
#[derive(Debug, Default, Deserialize)]
pub struct Version {
    number: String,
    headers: Vec<String>,
    containers: Vec<String>,
    /// The fields that an item's parts can be in, with the preferred one first.
    ///
    /// The value is either a list of items, or an object with a list. Names in such an object have
    /// a scope of their own.
    pub(crate) parts: Vec<String>,
    pub(crate) needs: Needs,
    pub(crate) titles: Titles,
    /// The maximum nesting of items that the specification recommends.
    pub(crate) max_depth: Option<usize>,
    /// If true, there may be a date in place of a time.
    pub(crate) dates: bool,
    items: Words,
    plans: Words,
    pub(crate) schema: Schema,
    entities: Vec<Shape>,
    /// Fields that this version does not have anymore, written as `Entity.field`.
    ///
    /// If a row has this list, it must repeat those of earlier rows.
    #[serde(default)]
    drop: Vec<String>,
}

/// The head of a version's JSON Schema, in which `{version}` stands for the version's number.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Schema {
    /// The `$id` of the schema published with the specification.
    ///
    /// Our rules are either the same or stricter, so a document that fits our schema also fits that
    /// one.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) about: String,
}

/// The place where a version records the dependencies between items.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Needs {
    /// In the field `dependencies` of each item.
    ///
    /// If no stage has any, the stages come one after the other.
    #[default]
    Dependencies,
    /// In the field `edges` of the plan. Items without edges are independent.
    Edges,
}

/// The spelling of the standard titles in a plan's narratives.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Titles {
    /// Lower case, e.g. `proposal`.
    #[default]
    Lower,
    /// Capitalised, e.g. `Proposal`.
    Capital,
}

/// Words for statuses in both directions. Words that are the same as in the first version are not
/// included.
#[derive(Debug, Default, Deserialize)]
struct Words {
    read: BTreeMap<String, String>,
    write: BTreeMap<String, String>,
}

static VERSIONS: LazyLock<Vec<Version>> = LazyLock::new(|| {
    let read = |text: &str| serde_json::from_str::<Json>(text).unwrap_or_default();
    let mut table = Map::new();
    table.insert("entities".to_owned(), read(include_str!("fields.json")));
    let rows = read(include_str!("versions.json"));
    let rows = rows.as_array().into_iter().flatten();
    // The table accumulates the rows: each version is what all rows up to there make of it.
    let versions = rows.filter_map(|row| {
        apply(&mut table, row.as_object()?);
        let mut version = Version::deserialize(&Json::Object(table.clone())).ok()?;
        for shape in &mut version.entities {
            let name = &shape.name;
            let is_former = |field: &str| version.drop.contains(&format!("{name}.{field}"));
            shape.fields.retain(|field| !is_former(&field.name));
        }
        Some(version)
    });
    versions.collect()
});

/// Applies a row of the table to the previous one.
///
/// In a list of entries with names, the changes apply to entries of the same name. Anything else is
/// replaced as a whole.
fn apply(table: &mut Map<String, Json>, row: &Map<String, Json>) {
    for (key, new) in row {
        let named = |entry: &Json| entry.get("name").cloned();
        let new_entries = new
            .as_array()
            .filter(|list| list.iter().all(|it| named(it).is_some()));
        let (Some(Json::Array(entries)), Some(changes)) = (table.get_mut(key), new_entries) else {
            table.insert(key.clone(), new.clone());
            continue;
        };
        for change in changes {
            let known = entries
                .iter_mut()
                .find(|entry| named(entry) == named(change));
            match (known.and_then(Json::as_object_mut), change.as_object()) {
                (Some(entry), Some(change)) => apply(entry, change),
                _ => entries.push(change.clone()),
            }
        }
    }
}

/// The fallback if the table of versions cannot be read. A test makes sure that it can.
static EMPTY: LazyLock<Version> = LazyLock::new(Version::default);

/// The fallback for an entity that a version does not have.
static NONE: LazyLock<Shape> = LazyLock::new(Shape::default);

impl Version {
    /// All versions, with the oldest one first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &VERSIONS
    }

    /// Looks up a version by its number, e.g. `0.8`.
    #[must_use]
    pub fn named(number: &str) -> Option<&'static Self> {
        VERSIONS.iter().find(|version| version.number == number)
    }

    /// vContext 0.4, the default version of new documents.
    #[must_use]
    pub fn first() -> &'static Self {
        VERSIONS.first().unwrap_or(&EMPTY)
    }

    /// The newest version of xBRIEF.
    #[must_use]
    pub fn newest() -> &'static Self {
        VERSIONS.last().unwrap_or(&EMPTY)
    }

    /// The version that a document declares. For an unknown header or number, it is the nearest
    /// version we know.
    #[must_use]
    pub fn of(document: &Value<'_>) -> &'static Self {
        let Some((header, number)) = declared(document) else {
            return Self::first();
        };
        let mut with_header = VERSIONS.iter().filter(|version| version.has_header(header));
        let (Some(oldest), newest) = (with_header.next(), with_header.next_back()) else {
            return Self::first();
        };
        let Some(number) = number else {
            return newest.unwrap_or(oldest);
        };
        let known = VERSIONS
            .iter()
            .find(|version| version.has_header(header) && version.number == number);
        match known {
            Some(known) => known,
            // Parts of version 0.4 were renamed later on.
            None if is_before(&number, &oldest.number) => Self::first(),
            None => newest.unwrap_or(oldest),
        }
    }

    /// The version's number, e.g. `0.8`.
    #[must_use]
    pub fn number(&self) -> &str {
        &self.number
    }

    /// The field with the document information, e.g. `xBRIEFInfo`.
    #[must_use]
    pub fn header(&self) -> &'static str {
        let known = HEADERS
            .iter()
            .find(|name| self.headers.first().is_some_and(|own| own == *name));
        known.unwrap_or(&HEADERS[0])
    }

    /// The containers allowed in documents of this version.
    pub fn containers(&self) -> impl Iterator<Item = Container> {
        let has = |one: &Container| self.containers.iter().any(|own| own == one.field());
        Container::ALL.into_iter().filter(has)
    }

    /// The entity `name`. If this version has no such entity, it has no fields.
    #[must_use]
    pub fn shape(&'static self, name: &str) -> &'static Shape {
        let mut all = self.entities.iter();
        all.find(|shape| shape.name == name).unwrap_or(&NONE)
    }

    /// The status that an item's word stands for. It is `None` for `auto` and for unknown words.
    #[must_use]
    pub fn item_status(&self, word: &str) -> Option<ItemStatus> {
        ItemStatus::from_word(self.items.read.get(word).map_or(word, String::as_str))
    }

    /// The word for the status of an item. If there is none, it is the word for the nearest status.
    #[must_use]
    pub fn item_word(&self, status: ItemStatus) -> &str {
        let word = status.as_str();
        self.items.write.get(word).map_or(word, String::as_str)
    }

    /// The status that we get back after writing `status` and reading it again.
    #[must_use]
    pub fn expressible(&self, status: ItemStatus) -> ItemStatus {
        self.item_status(self.item_word(status)).unwrap_or(status)
    }

    /// The status that a plan's word stands for. It is `None` for unknown words.
    #[must_use]
    pub fn plan_status(&self, word: &str) -> Option<PlanStatus> {
        PlanStatus::from_word(self.plans.read.get(word).map_or(word, String::as_str))
    }

    /// The word for the status of a plan.
    #[must_use]
    pub fn plan_word(&self, status: PlanStatus) -> &str {
        let word = status.as_str();
        self.plans.write.get(word).map_or(word, String::as_str)
    }

    /// The title of the narrative that has a plan's proposal.
    pub(crate) fn proposal(&self) -> &'static str {
        match self.titles {
            Titles::Lower => "proposal",
            Titles::Capital => "Proposal",
        }
    }

    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|own| own == name)
    }
}

/// The names of the document information in all versions.
pub(crate) const HEADERS: [&str; 3] = ["vContextInfo", "vBRIEFInfo", "xBRIEFInfo"];

/// The name of the document information in `document`, and the version it declares.
pub(crate) fn declared(document: &Value<'_>) -> Option<(&'static str, Option<String>)> {
    declared_in(document.as_object()?)
}

pub(crate) fn declared_in(document: &Object<'_>) -> Option<(&'static str, Option<String>)> {
    let header = HEADERS
        .into_iter()
        .find(|name| document.get(name).is_some())?;
    let version = match document.get(header)?.get("version") {
        Some(Value::String(text)) => Some(text.to_string()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    Some((header, version))
}

/// True if the version `one` comes before `other`.
///
/// If either is not a number, we cannot tell, and this is false.
pub(crate) fn is_before(one: &str, other: &str) -> bool {
    matches!((numbers(one), numbers(other)), (Some(one), Some(other)) if one < other)
}

/// The major and the minor version. We ignore anything after them.
fn numbers(text: &str) -> Option<[u32; 2]> {
    let mut parts = text.split(['-', '+']).next()?.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().map_or(Ok(0), str::parse).ok()?;
    Some([major, minor])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn table_has_all_versions() {
        let numbers: Vec<&str> = Version::all().iter().map(Version::number).collect();
        assert_eq!(numbers, ["0.4", "0.5", "0.6", "0.7", "0.8"]);
        assert_eq!(Version::first().entities.len(), 22);
        for version in Version::all() {
            assert!(HEADERS.contains(&version.header()) && version.has_header(version.header()));
            assert!(version.containers().count() > 0);
        }
    }

    #[test]
    fn words_of_every_version_have_a_status() {
        for version in Version::all() {
            for entity in ["Plan", "PlanItem"] {
                let Some(Kind::Choice(words)) = version
                    .shape(entity)
                    .field("status")
                    .map(|field| &field.kind)
                else {
                    panic!("no statuses in {entity}");
                };
                for word in words.iter().filter(|word| *word != "auto") {
                    let is_known = match entity {
                        "Plan" => version.plan_status(word).is_some(),
                        _ => version.item_status(word).is_some(),
                    };
                    assert!(is_known, "{} {entity} {word}", version.number());
                }
            }
            for status in ItemStatus::ALL {
                let Some(Kind::Choice(words)) = version
                    .shape("PlanItem")
                    .field("status")
                    .map(|field| &field.kind)
                else {
                    panic!("no statuses");
                };
                let word = version.item_word(status);
                assert!(
                    words.iter().any(|own| own == word),
                    "{} {word}",
                    version.number()
                );
            }
        }
    }

    #[test]
    fn table_names_only_known_entities() {
        for version in Version::all() {
            for field in version.entities.iter().flat_map(|shape| &shape.fields) {
                let mut kind = &field.kind;
                while let Kind::List(inner) = kind {
                    kind = inner;
                }
                if let Kind::Entity(name) = kind {
                    assert!(!version.shape(name).fields.is_empty(), "{name}");
                }
            }
        }
    }
}
