//! Traverses whole values without recursion, so that deep values don't overflow the stack.

use std::fmt;

use super::{Array, Object, Value};
use crate::text::Text;

impl Drop for Array<'_> {
    fn drop(&mut self) {
        if self.0.iter().any(Value::has_parts) {
            drop_all(std::mem::take(&mut self.0));
        }
    }
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        if self.members().iter().any(|(_, value)| value.has_parts()) {
            let members = self.take().into_iter();
            drop_all(members.map(|(_, value)| value).collect());
        }
    }
}

/// Takes values apart before dropping them. The compiler's drop code would recurse into nested
/// values.
fn drop_all(mut left: Vec<Value<'_>>) {
    while let Some(mut value) = left.pop() {
        match &mut value {
            Value::Array(array) => {
                left.extend(array.0.drain(..).filter(Value::has_parts));
            }
            Value::Object(object) => {
                let values = object.take().into_iter().map(|(_, value)| value);
                left.extend(values.filter(Value::has_parts));
            }
            _ => {}
        }
    }
}

impl Clone for Value<'_> {
    fn clone(&self) -> Self {
        copy(self, &Text::clone)
    }
}

impl Clone for Array<'_> {
    fn clone(&self) -> Self {
        self.iter().cloned().collect()
    }
}

impl Clone for Object<'_> {
    fn clone(&self) -> Self {
        let members = self.members().iter();
        Self::of_distinct(members.cloned().collect())
    }
}

/// Returns a copy of the value that doesn't borrow from the source text.
pub(super) fn owned(value: &Value<'_>) -> Value<'static> {
    copy(value, &|text| text.clone().into_owned())
}

/// An array or object being copied: the rest of the source, and the copy so far.
enum Copying<'v, 'a, 'b> {
    Array(std::slice::Iter<'v, Value<'a>>, Vec<Value<'b>>),
    Object(
        std::slice::Iter<'v, (Text<'a>, Value<'a>)>,
        Vec<(Text<'b>, Value<'b>)>,
    ),
}

/// Returns a copy of `value` with all texts converted by `text`.
fn copy<'a, 'b>(value: &Value<'a>, text: &dyn Fn(&Text<'a>) -> Text<'b>) -> Value<'b> {
    let mut stack: Vec<Copying<'_, 'a, 'b>> = Vec::new();
    let mut keys: Vec<Text<'b>> = Vec::new();
    let mut next = Some(value);
    loop {
        let done = match next.take() {
            Some(Value::Null) => Some(Value::Null),
            Some(Value::Bool(value)) => Some(Value::Bool(*value)),
            Some(Value::Number(number)) => Some(Value::Number(number.map(text))),
            Some(Value::String(own)) => Some(Value::String(text(own))),
            Some(Value::Array(array)) => {
                let copy = Vec::with_capacity(array.len());
                stack.push(Copying::Array(array.iter(), copy));
                None
            }
            Some(Value::Object(object)) => {
                let copy = Vec::with_capacity(object.len());
                stack.push(Copying::Object(object.members().iter(), copy));
                None
            }
            None => match stack.pop() {
                Some(Copying::Array(_, copy)) => Some(Value::Array(Array(copy))),
                Some(Copying::Object(_, copy)) => Some(Value::Object(Object::of_distinct(copy))),
                None => Some(Value::Null),
            },
        };
        if let Some(done) = done {
            match stack.last_mut() {
                None => return done,
                Some(Copying::Array(_, copy)) => copy.push(done),
                Some(Copying::Object(_, copy)) => {
                    copy.extend(keys.pop().map(|key| (key, done)));
                }
            }
        }
        next = match stack.last_mut() {
            Some(Copying::Array(left, _)) => left.next(),
            Some(Copying::Object(left, _)) => left.next().map(|(key, value)| {
                keys.push(text(key));
                value
            }),
            None => None,
        };
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut left = vec![(self, other)];
        while let Some(pair) = left.pop() {
            let same = match pair {
                (Value::Null, Value::Null) => true,
                (Value::Bool(a), Value::Bool(b)) => a == b,
                (Value::Number(a), Value::Number(b)) => a == b,
                (Value::String(a), Value::String(b)) => a == b,
                (Value::Array(a), Value::Array(b)) => {
                    left.extend(a.iter().zip(b.iter()));
                    a.len() == b.len()
                }
                (Value::Object(a), Value::Object(b)) => match_up(a, b, &mut left),
                _ => false,
            };
            if !same {
                return false;
            }
        }
        true
    }
}

impl Eq for Value<'_> {}

impl PartialEq for Array<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b)
    }
}

impl Eq for Array<'_> {}

impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        match_up(self, other, &mut pairs) && pairs.into_iter().all(|(a, b)| a == b)
    }
}

impl Eq for Object<'_> {}

/// Returns true if both objects have the same keys. Adds the pairs of their values to `pairs`, to
/// be compared later.
fn match_up<'v, 'a>(
    a: &'v Object<'a>,
    b: &'v Object<'a>,
    pairs: &mut Vec<(&'v Value<'a>, &'v Value<'a>)>,
) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let in_order = a.iter().zip(b.iter()).all(|((a, _), (b, _))| a == b);
    if in_order {
        pairs.extend(a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a, b)));
        return true;
    }
    let (mut a, mut b): (Vec<_>, Vec<_>) = (a.iter().collect(), b.iter().collect());
    a.sort_unstable_by_key(|(key, _)| key.as_str());
    b.sort_unstable_by_key(|(key, _)| key.as_str());
    pairs.extend(a.iter().zip(&b).map(|((_, a), (_, b))| (*a, *b)));
    a.iter().zip(&b).all(|((a, _), (b, _))| a == b)
}

impl fmt::Display for Value<'_> {
    /// Formats as compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::write::value_to_json(self))
    }
}

impl fmt::Debug for Object<'_> {
    /// Formats as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Value::Object(self.clone()), f)
    }
}

impl fmt::Debug for Array<'_> {
    /// Formats as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Value::Array(self.clone()), f)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
