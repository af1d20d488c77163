//! The part of JSON Schema needed for checking documents and following references.
//!
//! We have our own checker in addition to the `jsonschema` crate, for these reasons:
//!
//! - References in `with` have no value yet, so we must skip parts of the instance, even below
//!   `anyOf`.
//! - We must follow a reference through the *output* schema of a step, which validators don't
//!   offer.
//! - Authors need a message such as "expected a string, found a list" along with the known fields,
//!   instead of a list of failed branches.
//! - Our checker starts immediately. Compiling the runbook schema with `jsonschema` takes as long
//!   as reading, checking and resolving a typical runbook (see `benches/resolve.rs`). Each step kind
//!   adds another schema.
//!
//! We support `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`,
//! `prefixItems`, and bounds of numbers, texts and lists. We also support `allOf`, `anyOf`, `oneOf`
//! (as `anyOf`), and local `$ref`. We ignore other keywords (`pattern`, `format`, `if` …), because
//! each step checks its arguments again when it runs. Tests compare the checker with `jsonschema`.

mod arguments;
mod rules;
mod schema_check;
mod schema_follow;

pub use arguments::check_arguments;
pub use rules::Schema;
pub use schema_check::Mismatch;
pub(crate) use schema_check::{MAX_MISMATCHES, described};
pub(crate) use schema_follow::{Follow, Shapes, type_of};

use serde_json::Value;

/// Maximum number of `$ref`s to follow in a row. If there are more, we assume a loop.
const MAX_HOPS: usize = 16;

/// Follows the local reference of `schema`. Without one, returns `schema` itself, and for a broken
/// one, `None`.
fn target<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..MAX_HOPS {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        schema = root.pointer(reference.strip_prefix('#')?)?;
    }
    None
}

/// Iterates over the branches of `anyOf` and `oneOf`.
fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword)?.as_array())
        .flatten()
}

#[cfg(test)]
mod tests;
