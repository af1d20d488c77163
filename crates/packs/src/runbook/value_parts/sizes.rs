//! Measures the JSON of a value and of everything nested in it.

use serde_json::Value;

/// Sizes of the lists and objects in a value. We measure each once, since measuring them again at
/// every level would take quadratic time.
pub(super) struct Sizes {
    /// Lists and objects in the order of their starts.
    nested: Vec<Nested>,
}

/// The size of a list or object.
#[derive(Clone, Copy, Default)]
struct Nested {
    /// Size of its JSON, in bytes.
    size: usize,
    /// Index of the first list or object after it.
    next: usize,
}

impl Sizes {
    pub(super) fn of(whole: &Value) -> Self {
        let mut sizes = Self { nested: Vec::new() };
        sizes.measure(whole);
        sizes
    }

    /// Returns the size of the JSON of `value`, in bytes. `at` is the index of the next list or
    /// object, and moves past those in `value`.
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
        // The brackets and commas. There is one comma fewer than there are values.
        let size = if inner == 0 { 2 } else { inner + 1 };
        let next = self.nested.len();
        self.nested[at] = Nested { size, next };
        size
    }
}

/// Returns the size of the JSON of `value`, in bytes, or 0 if it can't be written as JSON.
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
