//! The part of JSON Schema that we need for checking documents and following references.
//!
//! Although there's the `jsonschema` crate, we have our own checker, for these reasons:
//!
//! - References in `with` aren't resolved yet, so parts of the instance must be skipped, even below
//!   `anyOf`.
//! - A reference must be followed through the *output* schema of a step. Validators don't offer
//!   that.
//! - Authors need a message such as "expected a string, found a list" along with the known fields,
//!   instead of a list of failed branches.
//! - Our checker starts immediately. Compiling the runbook schema with `jsonschema` takes as long
//!   as reading, checking and resolving a typical runbook (see `benches/resolve.rs`), and each step
//!   kind adds another schema.
//!
//! The supported keywords are `type`, `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items`, `prefixItems`, bounds of numbers, texts and lists, `allOf`,
//! `anyOf`, `oneOf` (as `anyOf`), and local `$ref`. We ignore all others (`pattern`, `format`, `if`
//! …), which is good enough because each step checks its arguments again when it runs. Tests
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

/// Maximum number of `$ref`s in a row. Longer chains are probably loops.
const MAX_HOPS: usize = 16;

/// Follows the local reference of `schema`, if there is one. Returns `None` for a broken reference.
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

fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword)?.as_array())
        .flatten()
}

#[cfg(test)]
mod tests;
