//! The specification's entities, as tables.
//!
//! `fields.json` has the fields, their types, and the extension that defines them, which is only
//! there for people reading the table. `versions.json` lists the differences of later versions.
//! Checks and JSON Schemas are derived from both.

mod choices;
mod version;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub use self::choices::{
    AgentKind, ChangeKind, ItemKind, ItemStatus, Operation, PlanStatus, PlaybookStatus, Priority,
};
pub use self::version::Version;
pub(crate) use self::version::{HEADERS, Needs, Titles, declared, declared_in, is_before};

/// An entity of the specification.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Shape {
    /// The entity's name, such as `TodoItem`.
    pub name: String,
    /// Description.
    #[serde(default)]
    pub about: String,
    /// Fields, required ones first.
    pub fields: Vec<Field>,
    /// True if other fields aren't allowed. Elsewhere, we ignore and preserve unknown fields.
    #[serde(default, rename = "closed")]
    pub is_closed: bool,
}

/// A field of an entity.
#[derive(Debug, Clone, Deserialize)]
pub struct Field {
    /// The field's name in documents.
    pub name: String,
    /// Description.
    pub about: String,
    /// True if it is required.
    #[serde(default, rename = "required")]
    pub is_required: bool,
    /// The type of its value.
    pub kind: Kind,
}

/// Types of fields.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Any value.
    Any,
    /// String.
    Text,
    /// Nonempty string.
    Name,
    /// Time with an offset, as RFC 3339.
    DateTime,
    /// Name of an IANA time zone.
    TimeZone,
    /// A URI.
    Uri,
    /// A time before or after some point, as an ISO 8601 duration.
    Duration,
    /// An integer from `min` to `max`.
    Whole {
        /// Minimum.
        #[serde(default = "least")]
        min: i64,
        /// Maximum.
        #[serde(default = "most")]
        max: i64,
    },
    /// A number from `min` to `max`.
    Number {
        /// Minimum.
        #[serde(default = "least_number")]
        min: f64,
        /// Maximum.
        #[serde(default = "most_number")]
        max: f64,
    },
    /// One of several words.
    Choice(Vec<String>),
    /// A list of values of one type.
    List(Box<Kind>),
    /// Strings by title.
    Texts,
    /// An object with any fields.
    Open,
    /// The entity with this name.
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

/// The entities of the first version.
static FIRST_SHAPES: LazyLock<BTreeMap<String, Shape>> = LazyLock::new(|| {
    let all: Vec<Shape> = serde_json::from_str(include_str!("fields.json")).unwrap_or_default();
    let named = all.into_iter().map(|shape| (shape.name.clone(), shape));
    named.collect()
});

static NONE: LazyLock<Shape> = LazyLock::new(Shape::default);

impl Shape {
    /// Returns the entity `name` of version 0.4. It has no fields if the specification has no such
    /// entity.
    #[must_use]
    pub fn of(name: &str) -> &'static Self {
        FIRST_SHAPES.get(name).unwrap_or(&NONE)
    }

    /// Returns the entity of the document information.
    #[must_use]
    pub fn of_info() -> &'static Self {
        Self::of("VContextInfo")
    }

    /// Adds the fields of `change`, replacing those with the same name.
    fn apply(&mut self, change: Self) {
        self.name = change.name;
        if !change.about.is_empty() {
            self.about = change.about;
        }
        for field in change.fields {
            match self.fields.iter_mut().find(|own| own.name == field.name) {
                Some(own) => *own = field,
                None => self.fields.push(field),
            }
        }
    }

    /// Returns the field `name`.
    #[must_use]
    pub fn field(&'static self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Kind {
    /// Returns a description for messages.
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

/// Formats words for a message.
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
    fn table_names_only_known_entities() {
        assert_eq!(FIRST_SHAPES.len(), 22);
        for field in FIRST_SHAPES.values().flat_map(|shape| &shape.fields) {
            let mut kind = &field.kind;
            while let Kind::List(inner) = kind {
                kind = inner;
            }
            if let Kind::Entity(name) = kind {
                assert!(FIRST_SHAPES.contains_key(name), "{name}");
            }
        }
    }

    #[test]
    fn table_words_equal_enum_words() {
        for (entity, field, words) in [
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
