//! The entities of the specification, as tables.
//!
//! `fields.json` lists the fields and their types. It also names the extension that each field
//! comes from, which is only for readers of the table. `versions.json` lists the differences of
//! later versions. We derive checks and JSON Schemas from both.

mod choices;
mod version;

use serde::Deserialize;

pub use self::choices::{
    AgentKind, ChangeKind, ItemKind, ItemStatus, Operation, PlanStatus, PlaybookStatus, Priority,
};
pub use self::version::Version;
pub(crate) use self::version::{HEADERS, Needs, Titles, declared, declared_in, is_before};

/// An entity of the specification.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Shape {
    /// The entity's name, e.g. `TodoItem`.
    pub name: String,
    /// A description for the generated JSON Schema.
    #[serde(default)]
    pub about: String,
    /// The entity's fields, with the required ones first.
    pub fields: Vec<Field>,
    /// If true, other fields are errors.
    ///
    /// All other entities may have unknown fields, which we ignore and preserve.
    #[serde(default, rename = "closed")]
    pub is_closed: bool,
}

/// A field of an entity.
#[derive(Debug, Clone, Deserialize)]
pub struct Field {
    /// The name in documents.
    pub name: String,
    /// A description for the generated JSON Schema.
    pub about: String,
    /// If true, an entity without this field is invalid.
    #[serde(default, rename = "required")]
    pub is_required: bool,
    /// The type of the field's value.
    pub kind: Kind,
}

/// Types of fields.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Any value.
    Any,
    /// Any string.
    Text,
    /// A non-empty string.
    Name,
    /// A time with an offset, as RFC 3339.
    DateTime,
    /// The name of an IANA time zone.
    TimeZone,
    /// A URI with a scheme.
    Uri,
    /// An offset from some point in time, as an ISO 8601 duration.
    Duration,
    /// An integer.
    Whole {
        /// The smallest allowed value. There is no limit by default.
        #[serde(default = "least")]
        min: i64,
        /// The largest allowed value. There is no limit by default.
        #[serde(default = "most")]
        max: i64,
    },
    /// A number, integer or not.
    Number {
        /// The smallest allowed value. There is no limit by default.
        #[serde(default = "least_number")]
        min: f64,
        /// The largest allowed value. There is no limit by default.
        #[serde(default = "most_number")]
        max: f64,
    },
    /// One of the listed words.
    Choice(Vec<String>),
    /// A list of values of one type.
    List(Box<Kind>),
    /// An object that maps titles to strings.
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

impl Shape {
    /// The entity `name` of version 0.4. An unknown entity has no fields.
    #[must_use]
    pub fn of(name: &str) -> &'static Self {
        Version::first().shape(name)
    }

    /// The entity of the document information, which has a different field name in later versions.
    #[must_use]
    pub fn of_info() -> &'static Self {
        Self::of("VContextInfo")
    }

    /// Looks up a field by its name in documents.
    #[must_use]
    pub fn field(&'static self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Kind {
    /// Completes "expected …" in messages.
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
    fn table_words_equal_enum_words() {
        for (entity, field, words) in [
            (
                "TodoItem",
                "priority",
                Priority::ALL.map(Priority::as_str).to_vec(),
            ),
            (
                "Plan",
                "status",
                PlanStatus::ALL.map(PlanStatus::as_str).to_vec(),
            ),
            (
                "PlaybookItem",
                "operation",
                Operation::ALL.map(Operation::as_str).to_vec(),
            ),
            (
                "PlaybookItem",
                "kind",
                ItemKind::ALL.map(ItemKind::as_str).to_vec(),
            ),
            (
                "PlaybookItem",
                "status",
                PlaybookStatus::ALL.map(PlaybookStatus::as_str).to_vec(),
            ),
            (
                "Agent",
                "type",
                AgentKind::ALL.map(AgentKind::as_str).to_vec(),
            ),
            (
                "Change",
                "operation",
                ChangeKind::ALL.map(ChangeKind::as_str).to_vec(),
            ),
        ] {
            assert_eq!(words_of(entity, field), words, "{entity}.{field}");
        }
    }
}
