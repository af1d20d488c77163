//! Parses a guest's output, which is JSON text of limited size.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use windlass_base::Cancel;

/// Maximum number of values in an output. The size limit is not enough, because a parsed value
/// takes several times the memory of its text.
const MAX_VALUES: u32 = 1_000_000;
/// Number of values between two checks for cancellation.
const LOOK_UP: u32 = 1_024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoOutput {
    #[error("its output has more than the limit of {MAX_VALUES} values")]
    TooMany,
    #[error("it was stopped while its output was read")]
    Stopped,
    #[error("its output is not JSON: {0}")]
    NoJson(String),
}

/// Parses `text`. We give up after [`MAX_VALUES`], or once `cancel` is triggered.
pub(crate) fn parse(text: &str, cancel: &Cancel) -> Result<Value, NoOutput> {
    let budget = Budget {
        left: Cell::new(MAX_VALUES),
        ended: Cell::new(None),
        cancel,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let value = One(&budget).deserialize(&mut json);
    let value = value.and_then(|value| json.end().map(|()| value));
    value.map_err(|error| {
        // The parser wraps our own error in one of its own. We want the original.
        let ended = budget.ended.take();
        ended.unwrap_or_else(|| NoOutput::NoJson(error.to_string()))
    })
}

struct Budget<'a> {
    left: Cell<u32>,
    ended: Cell<Option<NoOutput>>,
    cancel: &'a Cancel,
}

impl Budget<'_> {
    fn take<E: serde::de::Error>(&self) -> Result<(), E> {
        let left = self.left.get();
        let ended = match left {
            0 => NoOutput::TooMany,
            _ if left.is_multiple_of(LOOK_UP) && self.cancel.is_cancelled() => NoOutput::Stopped,
            _ => {
                self.left.set(left - 1);
                return Ok(());
            }
        };
        let error = E::custom(&ended);
        self.ended.set(Some(ended));
        Err(error)
    }
}

#[derive(Clone, Copy)]
struct One<'a>(&'a Budget<'a>);

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        self.0.take()?;
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for One<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).map(Value::Number);
        number.ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_equals_serde_json() {
        let text = r#"{"b":[null,true,-7,18446744073709551615,1.5,1e300,"t\u00e9"],"a":{},"a":1}"#;
        let read: Value = serde_json::from_str(text).unwrap();
        let parsed = parse(text, &Cancel::default()).unwrap();
        assert_eq!(parsed.to_string(), read.to_string());
        let deep = "[".repeat(10_000);
        for wrong in ["", "{", "[1,]", "1 2", "1e999", &deep] {
            let error = parse(wrong, &Cancel::default()).unwrap_err();
            assert!(matches!(error, NoOutput::NoJson(_)), "{wrong:.9}: {error}");
        }
    }

    #[test]
    fn parse_stops_at_limit_or_cancel() {
        // The end isn't valid JSON, but we stop before getting there.
        let zeros = format!("[{}", "0,".repeat(1_000_001));
        assert_eq!(parse(&zeros, &Cancel::default()), Err(NoOutput::TooMany));
        let most = format!("[{}0]", "0,".repeat(999_998));
        assert!(parse(&most, &Cancel::default()).is_ok());
        let cancel = Cancel::default();
        cancel.cancel();
        let some = format!("[{}", "0,".repeat(5_000));
        assert_eq!(parse(&some, &cancel), Err(NoOutput::Stopped));
    }
}
