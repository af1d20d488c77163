use std::ops::Deref;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A JSON Schema that is built on first use.
///
/// Most runs never need the schema of an output.
#[derive(Debug, Clone)]
pub struct LazySchema {
    made: OnceLock<Value>,
    make: fn() -> Value,
}

impl LazySchema {
    /// Creates a schema from a function that is called at most once.
    #[must_use]
    pub fn new(make: fn() -> Value) -> Self {
        Self {
            made: OnceLock::new(),
            make,
        }
    }
}

impl Deref for LazySchema {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.made.get_or_init(self.make)
    }
}

impl From<Value> for LazySchema {
    fn from(schema: Value) -> Self {
        Self {
            made: OnceLock::from(schema),
            make: Value::default,
        }
    }
}

impl Serialize for LazySchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LazySchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}
