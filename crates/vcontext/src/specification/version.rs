//! Versions of the format: vContext 0.4, and its successor xBRIEF 0.5 to 0.8. Version 0.5 has the
//! format's first name, vBRIEF. `versions.json` lists how each version differs from the one before
//! it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use windlass_tron::{Object, Value};

use super::{FIRST_SHAPES, NONE, Shape};
use crate::{Container, ItemStatus, PlanStatus};

/// A version of the format.
#[derive(Debug)]
pub struct Version {
    number: String,
    headers: Vec<String>,
    containers: Vec<String>,
    parts: Vec<String>,
    needs: Needs,
    titles: Titles,
    max_depth: Option<usize>,
    dates: bool,
    items: Words,
    plans: Words,
    schema: Schema,
    shapes: BTreeMap<String, Shape>,
}

/// The head of a version's JSON Schema. `{version}` stands for the version's number.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Schema {
    /// The `$id` of the schema published with the specification. Ours has the same or stricter
    /// rules.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) about: String,
}

/// The place where a version records dependencies between items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Needs {
    /// In the field `dependencies` of each item. Stages without any come one after the other.
    Dependencies,
    /// In the field `edges` of the plan. Items without any are independent.
    Edges,
}

/// The standard spelling of titles in a plan's narratives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Titles {
    /// As in `proposal`.
    Lower,
    /// As in `Proposal`.
    Capital,
}

/// Words for statuses that differ from those of the first version, in both directions.
#[derive(Debug, Clone, Default, Deserialize)]
struct Words {
    read: BTreeMap<String, String>,
    write: BTreeMap<String, String>,
}

/// A row of the table. Absent fields are taken from the version before it.
#[derive(Deserialize)]
struct Row {
    number: String,
    headers: Option<Vec<String>>,
    containers: Option<Vec<String>>,
    parts: Option<Vec<String>>,
    needs: Option<Needs>,
    titles: Option<Titles>,
    #[serde(default, deserialize_with = "present")]
    max_depth: Option<Option<usize>>,
    dates: Option<bool>,
    items: Option<Words>,
    plans: Option<Words>,
    schema: Option<Schema>,
    /// Fields to drop, written as `Entity.field`.
    #[serde(default)]
    drop: Vec<String>,
    /// New entities, and new or changed fields of known ones.
    #[serde(default)]
    entities: Vec<Shape>,
}

/// Tells `null` from an absent field.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<usize>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

static VERSIONS: LazyLock<Vec<Version>> = LazyLock::new(|| {
    let rows: Vec<Row> = serde_json::from_str(include_str!("versions.json")).unwrap_or_default();
    let mut all: Vec<Version> = Vec::new();
    for row in rows {
        let version = Version::after(all.last(), row);
        all.push(version);
    }
    all
});

/// A version without any tables.
static EMPTY: LazyLock<Version> = LazyLock::new(Version::empty);

impl Version {
    /// Returns all versions, oldest first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &VERSIONS
    }

    /// Returns the version `number`.
    #[must_use]
    pub fn named(number: &str) -> Option<&'static Self> {
        VERSIONS.iter().find(|version| version.number == number)
    }

    /// Returns the first version, vContext 0.4.
    #[must_use]
    pub fn first() -> &'static Self {
        VERSIONS.first().unwrap_or(&EMPTY)
    }

    /// Returns the newest version.
    #[must_use]
    pub fn newest() -> &'static Self {
        VERSIONS.last().unwrap_or(&EMPTY)
    }

    /// Returns the version declared by a document, or the nearest one if the header or number is
    /// unknown.
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
            // Version 0.4 was renamed in some places later on.
            None if is_before(&number, &oldest.number) => Self::first(),
            None => newest.unwrap_or(oldest),
        }
    }

    /// Returns its number, such as `0.8`.
    #[must_use]
    pub fn number(&self) -> &str {
        &self.number
    }

    /// Returns the name of its document information, such as `xBRIEFInfo`.
    #[must_use]
    pub fn header(&self) -> &'static str {
        let known = HEADERS
            .iter()
            .find(|name| self.headers.first().is_some_and(|own| own == *name));
        known.unwrap_or(&HEADERS[0])
    }

    /// Returns the containers available in its documents.
    pub fn containers(&self) -> impl Iterator<Item = Container> {
        let has = |one: &Container| self.containers.iter().any(|own| own == one.field());
        Container::ALL.into_iter().filter(has)
    }

    /// Returns the entity `name`, which has no fields if the version has no such entity.
    #[must_use]
    pub fn shape(&'static self, name: &str) -> &'static Shape {
        self.shapes.get(name).unwrap_or(&NONE)
    }

    /// Returns the status meant by an item's word, or `None` for derived statuses and other words.
    #[must_use]
    pub fn item_status(&self, word: &str) -> Option<ItemStatus> {
        ItemStatus::from_word(self.items.read.get(word).map_or(word, String::as_str))
    }

    /// Returns the word for an item's status, or for the nearest status that has a word.
    #[must_use]
    pub fn item_word(&self, status: ItemStatus) -> &str {
        let word = status.as_str();
        self.items.write.get(word).map_or(word, String::as_str)
    }

    /// Returns the status we'd read back after writing `status`.
    #[must_use]
    pub fn expressible(&self, status: ItemStatus) -> ItemStatus {
        self.item_status(self.item_word(status)).unwrap_or(status)
    }

    /// Returns the status meant by a plan's word.
    #[must_use]
    pub fn plan_status(&self, word: &str) -> Option<PlanStatus> {
        PlanStatus::from_word(self.plans.read.get(word).map_or(word, String::as_str))
    }

    /// Returns the word for a plan's status.
    #[must_use]
    pub fn plan_word(&self, status: PlanStatus) -> &str {
        let word = status.as_str();
        self.plans.write.get(word).map_or(word, String::as_str)
    }

    /// Returns the title of the narrative with a plan's proposal.
    pub(crate) fn proposal(&self) -> &'static str {
        match self.titles {
            Titles::Lower => "proposal",
            Titles::Capital => "Proposal",
        }
    }

    /// Returns the fields that hold an item's parts, starting with the preferred one. Each of them
    /// is a list of items, or an object with such a list, which is a scope of its own.
    pub(crate) fn parts(&self) -> &[String] {
        &self.parts
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(crate) fn needs(&self) -> Needs {
        self.needs
    }

    pub(crate) fn titles(&self) -> Titles {
        self.titles
    }

    /// Returns the recommended maximum nesting of items, if any.
    pub(crate) fn max_depth(&self) -> Option<usize> {
        self.max_depth
    }

    /// True if dates are allowed in place of times.
    pub(crate) fn allows_dates(&self) -> bool {
        self.dates
    }

    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|own| own == name)
    }

    fn empty() -> Self {
        Self {
            number: String::new(),
            headers: Vec::new(),
            containers: Vec::new(),
            parts: Vec::new(),
            needs: Needs::Dependencies,
            titles: Titles::Lower,
            max_depth: None,
            dates: false,
            items: Words::default(),
            plans: Words::default(),
            schema: Schema::default(),
            shapes: FIRST_SHAPES.clone(),
        }
    }

    /// Returns the version of a row, given the one before it.
    fn after(before: Option<&Self>, row: Row) -> Self {
        let empty = Self::empty();
        let before = before.unwrap_or(&empty);
        let mut shapes = before.shapes.clone();
        for path in &row.drop {
            if let Some((entity, field)) = path.split_once('.')
                && let Some(shape) = shapes.get_mut(entity)
            {
                shape.fields.retain(|own| own.name != field);
            }
        }
        for change in row.entities {
            shapes.entry(change.name.clone()).or_default().apply(change);
        }
        Self {
            number: row.number,
            headers: row.headers.unwrap_or_else(|| before.headers.clone()),
            containers: row.containers.unwrap_or_else(|| before.containers.clone()),
            parts: row.parts.unwrap_or_else(|| before.parts.clone()),
            needs: row.needs.unwrap_or(before.needs),
            titles: row.titles.unwrap_or(before.titles),
            max_depth: row.max_depth.unwrap_or(before.max_depth),
            dates: row.dates.unwrap_or(before.dates),
            items: row.items.unwrap_or_else(|| before.items.clone()),
            plans: row.plans.unwrap_or_else(|| before.plans.clone()),
            schema: row.schema.unwrap_or_else(|| before.schema.clone()),
            shapes,
        }
    }
}

/// The names of the document information in all versions.
pub(crate) const HEADERS: [&str; 3] = ["vContextInfo", "vBRIEFInfo", "xBRIEFInfo"];

/// Returns the name of the document information in `document`, and its version.
pub(crate) fn declared(document: &Value<'_>) -> Option<(&'static str, Option<String>)> {
    declared_in(document.as_object()?)
}

/// Like [`declared`], but for the members of a document.
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

/// True if the version `one` comes before `other`. False if one of them isn't a number.
pub(crate) fn is_before(one: &str, other: &str) -> bool {
    matches!((numbers(one), numbers(other)), (Some(one), Some(other)) if one < other)
}

/// Returns the major and minor version.
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
            for status in ItemStatus::WORDS
                .iter()
                .filter_map(|word| ItemStatus::from_word(word))
            {
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
            for field in version.shapes.values().flat_map(|shape| &shape.fields) {
                let mut kind = &field.kind;
                while let Kind::List(inner) = kind {
                    kind = inner;
                }
                if let Kind::Entity(name) = kind {
                    assert!(version.shapes.contains_key(name), "{name}");
                }
            }
        }
    }
}
