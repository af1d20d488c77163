use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as DeError, MapAccess, Visitor};

use super::Located;
use crate::InputType;

/// The full declaration of a variable. The short form is just its default.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "Variable")]
pub(crate) struct VarTable {
    /// Description.
    pub(crate) description: Option<String>,
    /// Default value.
    pub(crate) default: Option<Scalar>,
    /// True if a value must be given.
    pub(crate) required: Option<bool>,
    /// Other variables, one of which must have a value if this one has none.
    pub(crate) required_unless: Option<Vec<Located<String>>>,
    /// Allowed values.
    #[serde(rename = "enum")]
    pub(crate) allowed: Option<Vec<Scalar>>,
    /// The regular expression that the value must match. It's unanchored unless it uses `^` and
    /// `$`.
    pub(crate) pattern: Option<Located<String>>,
    /// The type of the value. Text if absent.
    #[serde(rename = "type")]
    pub(crate) kind: Option<VarType>,
}

/// Types of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VarType {
    /// Any text.
    String,
    /// A whole number.
    Int,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A number.
    Float,
    /// `true` or `false`.
    Bool,
    /// `true` or `false`.
    Boolean,
}

impl From<VarType> for InputType {
    fn from(kind: VarType) -> Self {
        match kind {
            VarType::String => Self::String,
            VarType::Int | VarType::Integer => Self::Integer,
            VarType::Number | VarType::Float => Self::Number,
            VarType::Bool | VarType::Boolean => Self::Boolean,
        }
    }
}

/// A variable, declared either by a table or by just its default, as in `fast = true`.
///
/// We can't derive `Deserialize`, because such a default may be a text, a number or a boolean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VarDoc(pub(crate) VarTable);

impl<'de> Deserialize<'de> for VarDoc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DefaultOrTable)
    }
}

struct DefaultOrTable;

impl<'de> Visitor<'de> for DefaultOrTable {
    type Value = VarDoc;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or a table")
    }

    fn visit_str<E: DeError>(self, text: &str) -> Result<VarDoc, E> {
        Ok(shorthand(text.to_owned()))
    }

    fn visit_bool<E: DeError>(self, truth: bool) -> Result<VarDoc, E> {
        Ok(shorthand(truth.to_string()))
    }

    fn visit_i64<E: DeError>(self, number: i64) -> Result<VarDoc, E> {
        Ok(shorthand(number.to_string()))
    }

    fn visit_u64<E: DeError>(self, number: u64) -> Result<VarDoc, E> {
        Ok(shorthand(number.to_string()))
    }

    fn visit_f64<E: DeError>(self, number: f64) -> Result<VarDoc, E> {
        Ok(shorthand(number.to_string()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<VarDoc, A::Error> {
        VarTable::deserialize(MapAccessDeserializer::new(map)).map(VarDoc)
    }
}

fn shorthand(default: String) -> VarDoc {
    VarDoc(VarTable {
        default: Some(Scalar(default)),
        ..VarTable::default()
    })
}

impl JsonSchema for VarDoc {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "VariableOrDefault".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<VarTable>();
        let default = generator.subschema_for::<Scalar>();
        json_schema!({ "anyOf": [table, default] })
    }
}

/// A string. Numbers and booleans are accepted as well and converted to text, so that authors don't
/// have to write quotes around `3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scalar(pub(crate) String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Ok(Self(text)),
            other => Ok(Self(other.to_string())),
        }
    }
}

impl JsonSchema for Scalar {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean"] })
    }
}
