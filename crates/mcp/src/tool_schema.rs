//! Declarations of arguments, and their schemas.
//!
//! Every client reads all schemas in every session, so they use as few words as possible. They
//! contain no references, because many clients ignore those. Results have no schemas, since the
//! text of a result says as much and costs nothing until there's a call.

use serde_json::{Map, Value, json};
use windlass::base::{Digest, ResponseMode};
use windlass::ledger::bead::BeadStatus;
use windlass::notebook::AnchorKind;
use windlass::packs::context::{NodeMode, ToolPolicy};

pub(crate) type Fields = Vec<(&'static str, Value)>;

/// Returns an object schema with `fields`, and with the arguments that all tools have for the
/// repository and the limits.
pub(crate) fn arguments(mut fields: Fields, required: &[&str]) -> Value {
    fields.extend([
        ("root", json!({ "type": "string" })),
        ("max_chars", json!({ "type": "integer" })),
        ("max_tokens", json!({ "type": "integer" })),
    ]);
    let mut schema = object(fields, required);
    schema["additionalProperties"] = json!(false);
    schema
}

/// Returns an object schema with `fields` that allows others too.
pub(crate) fn object(fields: Fields, required: &[&str]) -> Value {
    let fields = fields.into_iter();
    let fields: Map<_, _> = fields.map(|(name, of)| (name.to_owned(), of)).collect();
    let mut schema = json!({ "type": "object", "properties": fields });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

pub(crate) trait Argument {
    fn schema() -> Value;

    fn schema_for(about: &str) -> Value {
        let mut schema = Self::schema();
        schema["description"] = json!(about);
        schema
    }
}

impl<T: Argument> Argument for Option<T> {
    fn schema() -> Value {
        T::schema()
    }
}

impl<T: Argument> Argument for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

macro_rules! schemas {
    ($($($of:ty),+: $schema:expr;)+) => {
        $($(impl Argument for $of {
            fn schema() -> Value {
                $schema
            }
        })+)+
    };
}

schemas! {
    String, BeadStatus, Digest, NodeMode: json!({ "type": "string" });
    bool: json!({ "type": "boolean" });
    u8, u64, i64: json!({ "type": "integer" });
    Map<String, Value>, ToolPolicy: json!({ "type": "object" });
    Value: json!({});
    AnchorKind: one_of(&AnchorKind::ALL.map(AnchorKind::as_str));
    ResponseMode: one_of(&["full", "facts", "minimal"]);
}

/// Declares `Arguments`, the arguments of a tool's call, with the schema of each. The schema is
/// that of the type, with a description after `:`, or the one after `=>`.
macro_rules! declare_arguments {
    ($($name:ident: $of:ty $(: $about:literal)? $(=> $schema:expr)?,)+) => {
        #[derive(Default, serde::Deserialize)]
        #[serde(default)]
        struct Arguments {
            $($name: $of,)+
        }

        impl Arguments {
            fn fields() -> crate::tool_schema::Fields {
                vec![$((
                    stringify!($name).trim_start_matches("r#"),
                    declare_arguments!(@schema $of $(: $about)? $(=> $schema)?),
                ),)+]
            }
        }
    };
    (@schema $of:ty) => { <$of as crate::tool_schema::Argument>::schema() };
    (@schema $of:ty: $about:literal) => {
        <$of as crate::tool_schema::Argument>::schema_for($about)
    };
    (@schema $of:ty => $schema:expr) => { $schema };
}
pub(crate) use declare_arguments;
