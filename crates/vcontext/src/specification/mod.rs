//! What the specification says of each entity, as a table in `fields.json`: its fields, what may stand in them, and the
//! extension they are from, for those who read the table. Checks and JSON Schemas come from it.

mod choices;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub use self::choices::{
    AgentKind, ChangeKind, ItemKind, ItemStatus, Operation, PlanStatus, PlaybookStatus, Priority,
};

/// An entity of the specification.
#[derive(Debug, Default, Deserialize)]
pub struct Shape {
    /// Its name: `TodoItem`.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Its fields, required ones first.
    pub fields: Vec<Field>,
    /// True if it may have no others. Everywhere else unknown fields are allowed, ignored and kept.
    #[serde(default, rename = "closed")]
    pub is_closed: bool,
}

/// A field of an entity.
#[derive(Debug, Deserialize)]
pub struct Field {
    /// Its name in documents.
    pub name: String,
    /// What it says.
    pub about: String,
    /// True if it has to be there.
    #[serde(default, rename = "required")]
    pub is_required: bool,
    /// What may stand in it.
    pub kind: Kind,
}

/// What may stand in a field.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Anything.
    Any,
    /// A text.
    Text,
    /// A text that is not empty.
    Name,
    /// A time with an offset, as RFC 3339 has it.
    DateTime,
    /// The name of a time zone, as IANA has it.
    TimeZone,
    /// A URI.
    Uri,
    /// A duration before or after something, as ISO 8601 has it.
    Duration,
    /// An integer from `min` to `max`.
    Whole {
        /// The least.
        #[serde(default = "least")]
        min: i64,
        /// The most.
        #[serde(default = "most")]
        max: i64,
    },
    /// A number from `min` to `max`.
    Number {
        /// The least.
        #[serde(default = "least_number")]
        min: f64,
        /// The most.
        #[serde(default = "most_number")]
        max: f64,
    },
    /// One of some words.
    Choice(Vec<String>),
    /// A list.
    List(Box<Kind>),
    /// Texts by their titles.
    Texts,
    /// An object with any fields.
    Open,
    /// The entity of this name.
    Entity(String),
}

const fn least() -> i64 {
    i64::MIN
}

const fn most() -> i64 {
    i64::MAX
}

const fn least_number() -> f64 {
    f64::MIN
}

const fn most_number() -> f64 {
    f64::MAX
}

static SHAPES: LazyLock<BTreeMap<String, Shape>> = LazyLock::new(|| {
    let all: Vec<Shape> = serde_json::from_str(include_str!("fields.json")).unwrap_or_default();
    let named = all.into_iter().map(|shape| (shape.name.clone(), shape));
    named.collect()
});

static NONE: LazyLock<Shape> = LazyLock::new(Shape::default);

impl Shape {
    /// The entity called `name`; one without fields if the specification has none of that name.
    #[must_use]
    pub fn of(name: &str) -> &'static Self {
        SHAPES.get(name).unwrap_or(&NONE)
    }

    /// What documents say of themselves.
    #[must_use]
    pub fn of_info() -> &'static Self {
        Self::of("VContextInfo")
    }

    /// The field called `name`.
    #[must_use]
    pub fn field(&'static self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Kind {
    /// What it is called in a message.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Name => "a text that is not empty".to_owned(),
            Self::DateTime => "a time with an offset, like `2025-12-28T07:35:00Z`".to_owned(),
            Self::TimeZone => "the name of a time zone, like `Europe/Zurich`".to_owned(),
            Self::Uri => "a URI, like `file://./plan.vcontext.json`".to_owned(),
            Self::Duration => "a duration, like `-PT15M`".to_owned(),
            Self::Whole { min, max } if *max == i64::MAX => format!("an integer from {min}"),
            Self::Whole { min, max } => format!("an integer from {min} to {max}"),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Choice(words) => one_of(words),
            Self::List(_) => "a list".to_owned(),
            Self::Texts => "an object of texts".to_owned(),
            Self::Open => "an object".to_owned(),
            Self::Entity(name) => format!("an object ({name})"),
        }
    }
}

/// Words as a message names them.
pub(crate) fn one_of(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("one of {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(entity: &str, field: &str) -> &'static [String] {
        match &Shape::of(entity).field(field).unwrap().kind {
            Kind::Choice(words) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn table_is_read_and_names_only_entities_it_has() {
        assert_eq!(SHAPES.len(), 22);
        for field in SHAPES.values().flat_map(|shape| &shape.fields) {
            let mut kind = &field.kind;
            while let Kind::List(inner) = kind {
                kind = inner;
            }
            if let Kind::Entity(name) = kind {
                assert!(SHAPES.contains_key(name), "{name}");
            }
        }
    }

    #[test]
    fn words_of_the_table_are_those_of_the_code() {
        for (entity, field, words) in [
            ("TodoItem", "status", ItemStatus::WORDS),
            ("PlanItem", "status", ItemStatus::WORDS),
            ("TodoItem", "priority", Priority::WORDS),
            ("Plan", "status", PlanStatus::WORDS),
            ("PlaybookItem", "operation", Operation::WORDS),
            ("PlaybookItem", "kind", ItemKind::WORDS),
            ("PlaybookItem", "status", PlaybookStatus::WORDS),
            ("Agent", "type", AgentKind::WORDS),
            ("Change", "operation", ChangeKind::WORDS),
        ] {
            assert_eq!(words_of(entity, field), words, "{entity}.{field}");
        }
    }
}
