use serde::Serialize;
use windlass_tron::Value;

use crate::index::Index;
use crate::without_nulls;

/// Something that two documents do not say alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Where: a JSON pointer.
    pub at: String,
    /// What the first one has; nothing if it has nothing there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Value<'static>>,
    /// What the second one has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<Value<'static>>,
}

/// The places where two documents differ in what they say, whatever they are encoded in: a field of the specification
/// that is `null` is none, and the order of fields says nothing.
#[must_use]
pub fn differences(first: &Value<'_>, second: &Value<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    let (first, second) = (without_nulls(first), without_nulls(second));
    compare("", Some(&first), Some(&second), &mut found);
    found
}

/// A document is at most 256 levels deep.
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
