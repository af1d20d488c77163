//! The tags of YAML's core schema: `!!str 12` is the text `12`.

use std::ops::Range;

use saphyr_parser::Tag as Written;

use super::scalar::{Scalar, resolve};
use super::yaml_refusal::Refusal;
use crate::quote::cut;

/// What a tag says that its node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Nothing but what it looks like, a scalar being text: `!`.
    NonSpecific,
    Text,
    Null,
    Bool,
    Integer,
    Float,
    List,
    Mapping,
}

const TAGS: [(&str, Tag); 7] = [
    ("str", Tag::Text),
    ("null", Tag::Null),
    ("bool", Tag::Bool),
    ("int", Tag::Integer),
    ("float", Tag::Float),
    ("seq", Tag::List),
    ("map", Tag::Mapping),
];

const CORE: &str = "tag:yaml.org,2002:";

impl Tag {
    /// What a tag means; refused if the core schema has no such tag.
    pub(super) fn read(written: &Written, at: &Range<usize>) -> Result<Self, Refusal> {
        let full = format!("{}{}", written.handle, written.suffix);
        if full == "!" {
            return Ok(Self::NonSpecific);
        }
        let name = full.strip_prefix(CORE);
        if let Some((_, tag)) = TAGS.iter().find(|(known, _)| Some(*known) == name) {
            return Ok(*tag);
        }
        let shown = match name {
            Some(name) => format!("!!{name}"),
            None => full,
        };
        let message = format!("the tag `{}` is not supported", cut(&shown));
        Err(Refusal::new("yaml-tag", at.clone(), message)
            .help("remove the tag; to keep a value a text, put it in quotes"))
    }

    /// What a scalar with this tag is, if it can be one.
    pub(super) fn scalar(self, text: &str) -> Option<Scalar> {
        match (self, resolve(text)) {
            (Self::NonSpecific | Self::Text, _) => Some(Scalar::Text),
            (Self::Null, Scalar::Null) => Some(Scalar::Null),
            (Self::Bool, Scalar::Bool(bool)) => Some(Scalar::Bool(bool)),
            (Self::Integer, Scalar::Number(number)) if !number.is_f64() => {
                Some(Scalar::Number(number))
            }
            (Self::Float, Scalar::Number(number)) => {
                let float = number.as_f64().and_then(serde_json::Number::from_f64);
                Some(float.map_or(Scalar::Unrepresentable, Scalar::Number))
            }
            (Self::Integer | Self::Float, Scalar::Unrepresentable) => Some(Scalar::Unrepresentable),
            _ => None,
        }
    }

    /// Whether a list can have this tag, or a mapping.
    pub(super) fn fits_collection(self, mapping: bool) -> bool {
        match self {
            Self::NonSpecific => true,
            Self::List => !mapping,
            Self::Mapping => mapping,
            _ => false,
        }
    }

    /// What to say of a node that is not what its tag says.
    pub(super) fn misplaced(self, found: &str, at: Range<usize>) -> Refusal {
        let wanted = match self {
            Self::NonSpecific | Self::Text => "text",
            Self::Null => "`null`",
            Self::Bool => "`true` or `false`",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::List => "a list",
            Self::Mapping => "a mapping",
        };
        let message = format!("the tag asks for {wanted}, and here stands {found}");
        Refusal::new("yaml-tag", at, message).help("remove the tag, or correct the value")
    }
}
