//! Measures the JSON of a value and of everything in it.

use serde_json::Value;

/// The sizes of all lists and objects. Each is measured once, since measuring everything below on
/// each level would take quadratic time.
pub(super) struct Sizes {
    /// The sizes, in the order in which the lists and objects start.
    nested: Vec<Nested>,
}

#[derive(Clone, Copy, Default)]
struct Nested {
    /// The size in bytes of JSON.
    size: usize,
    /// Index of the first list or object that starts after this one ends.
    next: usize,
}

impl Sizes {
    pub(super) fn of(whole: &Value) -> Self {
        let mut sizes = Self { nested: Vec::new() };
        sizes.measure(whole);
        sizes
    }

    /// The size of the value's JSON, in bytes. `at` is the index of the next list or object, and
    /// moves past all those in `value`.
    pub(super) fn take(&self, value: &Value, at: &mut usize) -> usize {
        if !matches!(value, Value::Array(_) | Value::Object(_)) {
            return json_size(value);
        }
        let nested = self.nested.get(*at).copied().unwrap_or_default();
        *at = nested.next;
        nested.size
    }

    fn measure(&mut self, value: &Value) -> usize {
        let at = self.nested.len();
        let inner: usize = match value {
            Value::Array(list) => {
                self.nested.push(Nested::default());
                list.iter().map(|value| self.measure(value) + 1).sum()
            }
            Value::Object(map) => {
                self.nested.push(Nested::default());
                let field = |(name, value)| json_size(name) + self.measure(value) + 2;
                map.iter().map(field).sum()
            }
            scalar => return json_size(scalar),
        };
        // Each value was counted with a comma, which is one too many. The two brackets make up for
        // that and add one.
        let size = if inner == 0 { 2 } else { inner + 1 };
        let next = self.nested.len();
        self.nested[at] = Nested { size, next };
        size
    }
}

/// The size in bytes, or 0 if `value` cannot be written as JSON.
fn json_size(value: &(impl serde::Serialize + ?Sized)) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sizes_match_serialized_text() {
        let value = json!([
            null, true, 1.5, -7, u64::MAX, {}, [], [[]], "€\n\"",
            {"a\n": {"b": [1, {"ü": []}]}, "c": [{}, "x"]}
        ]);
        let sizes = Sizes::of(&value);
        let mut at = 0;
        assert_eq!(sizes.take(&value, &mut at), value.to_string().len());
        assert_eq!(at, sizes.nested.len());
        at = 1;
        for inner in value.as_array().unwrap() {
            assert_eq!(sizes.take(inner, &mut at), inner.to_string().len());
        }
        assert_eq!(at, sizes.nested.len());
    }
}
