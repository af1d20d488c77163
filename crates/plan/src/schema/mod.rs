//! JSON Schema support, as far as it is needed to check documents and follow references.
//!
//! Windlass has its own checker in addition to the `jsonschema` crate, for three reasons. First, references in `with`
//! have no value yet, so parts of the instance must be skipped, even below `anyOf`. Second, a reference must be
//! followed through the *output* schema of a step, which a validator does not offer. Third, an author needs a message
//! such as "expected a string, found a list" with the known fields, rather than a list of failed branches. The checker
//! also starts immediately. Compiling the runbook schema with `jsonschema` takes as long as reading, checking and
//! resolving a typical runbook (see `benches/resolve.rs`), and each step kind adds its own schema.
//!
//! Supported keywords: `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`,
//! `prefixItems`, bounds of numbers, texts and lists, `allOf`, `anyOf`, `oneOf` (as `anyOf`), and local `$ref`. Other
//! keywords (`pattern`, `format`, `if` …) are ignored, because each step checks its arguments again when it runs. Tests
//! compare the checker with `jsonschema`.

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

/// Maximum number of `$ref`s to follow in a row. More of them are taken for a loop.
const MAX_HOPS: usize = 16;

/// Follows the local reference of `schema`. Returns `schema` itself if it has none, or `None` if the reference is
/// broken.
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
