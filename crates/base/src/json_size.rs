//! Measures the size of a JSON value, as text or in memory.

use std::io;

use serde_json::Value;

/// Returns the size of `value` as compact JSON, in bytes, or `None` if it exceeds `limit`. We stop
/// serializing at the limit, so a huge value takes no longer than a large one.
#[must_use]
pub fn json_size_within(value: &Value, limit: usize) -> Option<usize> {
    // A writer that only counts, so that the text is never in memory.
    struct Room(usize);

    impl io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let left = self.0.checked_sub(bytes.len());
            self.0 = left.ok_or(io::ErrorKind::FileTooLarge)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut room = Room(limit);
    serde_json::to_writer(&mut room, value).ok()?;
    Some(limit - room.0)
}

/// Estimates the memory taken by `value`, in bytes.
///
/// A limit on the size of the JSON isn't enough, because small values take many times as much
/// memory. The estimate is the same on all machines with the same word size.
#[must_use]
pub fn memory_of(value: &Value) -> usize {
    /// Overhead of a string, list or map, in addition to its contents.
    const ALLOCATED: usize = 16;
    /// Overhead of a field, in addition to its name and value: an allocation for the name, a hash,
    /// and a slot in the table.
    const FIELD: usize = size_of::<String>() + ALLOCATED + 2 * size_of::<usize>();
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => ALLOCATED + text.len(),
        Value::Array(list) => ALLOCATED + list.iter().map(memory_of).sum::<usize>(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| FIELD + name.len() + memory_of(value);
            2 * ALLOCATED + fields.iter().map(field).sum::<usize>()
        }
    };
    size_of::<Value>() + inside
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_size_equals_its_text() {
        for value in [
            json!("x"),
            json!("\u{1}\"é"),
            json!([1, -2.5, true, null]),
            json!({"a": {"b": []}}),
        ] {
            let bytes = value.to_string().len();
            assert_eq!(json_size_within(&value, bytes), Some(bytes), "{value}");
            assert_eq!(json_size_within(&value, bytes - 1), None, "{value}");
        }
    }

    #[test]
    fn memory_of_counts_every_value() {
        let text = memory_of(&json!("x".repeat(1000)));
        assert!((1000..1200).contains(&text), "{text}");
        // A digit is just one byte of JSON, but a whole `Value` in memory.
        let one = memory_of(&json!(1));
        assert!(memory_of(&json!([1, 2, 3])) > 3 * one);
        assert!(memory_of(&json!({"a": 1})) > memory_of(&json!([1])) + 16);
    }
}
