//! What the specification says of each entity, as a table: its fields, what may stand in them, and the extension they
//! are from. Types, checks and JSON Schemas all come from it.

use crate::Extension;

/// An entity of the specification.
#[derive(Debug)]
pub struct Shape {
    /// Its name: `TodoItem`.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its fields, required ones first.
    pub fields: &'static [Field],
    /// Whether it may have no others. Everywhere else unknown fields are allowed, ignored and kept.
    pub is_closed: bool,
}

/// A field of an entity.
#[derive(Debug)]
pub struct Field {
    /// Its name in documents.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// Whether it has to be there.
    pub is_required: bool,
    /// Where it is specified.
    pub extension: Extension,
    /// What may stand in it.
    pub kind: Kind,
}

/// What may stand in a field.
#[derive(Debug, Clone, Copy)]
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
        min: i64,
        /// The most.
        max: i64,
    },
    /// A number from `min` to `max`.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A list.
    List(&'static Kind),
    /// Texts by their titles.
    Texts,
    /// An object with any fields.
    Open,
    /// An entity.
    Entity(fn() -> &'static Shape),
}

/// A type that stands for a kind of values.
pub(crate) trait Kinded {
    const KIND: Kind;
}

impl Shape {
    /// The field called `name`.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
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
            Self::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::List(_) => "a list".to_owned(),
            Self::Texts => "an object of texts".to_owned(),
            Self::Open => "an object".to_owned(),
            Self::Entity(shape) => format!("an object ({})", shape().name),
        }
    }
}
