use serde::Serialize;
use windlass_tron::{Text, Value};

use crate::index::Index;
use crate::without_nulls;

/// A difference between two documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// JSON pointer to the values that differ.
    pub at: String,
    /// The value in the first document, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Value<'static>>,
    /// The value in the second document, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<Value<'static>>,
}

/// Compares the meaning of two documents.
///
/// Neither the encoding nor the order of fields makes a difference, and a `null` field of the
/// specification counts as absent.
#[must_use]
pub fn differences(first: &Value<'_>, second: &Value<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    let (first, second) = (without_nulls(first), without_nulls(second));
    compare("", Some(&first), Some(&second), &mut found);
    found
}

/// This is recursive, which is safe because documents have at most 256 levels.
fn compare(
    at: &str,
    first: Option<&Value<'static>>,
    second: Option<&Value<'static>>,
    found: &mut Vec<Difference>,
) {
    match (first, second) {
        (Some(one), Some(other)) if one == other => {}
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let (own, others) = (Index::of(Some(one)), Index::of(Some(other)));
            let new = other.iter().filter(|(key, _)| !own.has(key));
            // Fields of the first document in its order, followed by those that only the second one
            // has.
            for (key, _) in one.iter().chain(new) {
                let token = key.replace('~', "~0").replace('/', "~1");
                let at = format!("{at}/{token}");
                compare(&at, own.get(key), others.get(key), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for number in 0..one.len().max(other.len()) {
                compare(
                    &format!("{at}/{number}"),
                    one.get(number),
                    other.get(number),
                    found,
                );
            }
        }
        _ => found.push(Difference {
            at: at.to_owned(),
            first: first.cloned(),
            second: second.cloned(),
        }),
    }
}

/// Compares values including the order of keys, which `==` ignores.
pub(crate) fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.iter().zip(other.iter());
            one.len() == other.len() && pairs.all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let mut pairs = one.iter().zip(other.iter());
            let is_member =
                |((key, value), (other_key, other)): (
                    (&Text<'_>, &Value<'_>),
                    (&Text<'_>, &Value<'_>),
                )| key.as_str() == other_key.as_str() && is_same(value, other);
            one.len() == other.len() && pairs.all(is_member)
        }
        (one, other) => one == other,
    }
}
