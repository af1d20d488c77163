//! JSON values in a canonical form, so that equal values have equal text.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Maximum number of fields in an object. The file comes from the repository, so we don't trust it
/// to be reasonable.
pub(super) const MAX_FIELDS: usize = 1_000;

/// Maximum nesting depth. Serde's own limit doesn't apply here, because each level is a `RawValue`
/// that is parsed separately. Without this, a deeply nested value could overflow the stack.
const MAX_DEPTH: usize = 32;

/// A JSON value in canonical form: objects are sorted by key, and each string is escaped in only
/// one way.
///
/// Numbers keep their notation. We don't know which of them would survive a conversion to a float,
/// e.g. in fields that come from a newer version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tree {
    Object(Vec<(String, Tree)>),
    List(Vec<Tree>),
    Plain(String),
}

impl Tree {
    /// Parses `text`. An object with a duplicate key is rejected, because one of its values would
    /// be lost.
    pub(super) fn of(text: &RawValue) -> Result<Self, serde_json::Error> {
        Self::inside(text, 0)
    }

    fn inside(text: &RawValue, depth: usize) -> Result<Self, serde_json::Error> {
        if depth > MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(serde_json::Error::custom(message));
        }
        let text = text.get();
        match text.as_bytes().first() {
            Some(b'{') => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let mut fields: Vec<(String, Self)> = fields_in_order(&mut reader, MAX_FIELDS)?
                    .into_iter()
                    .map(|(key, value)| Ok((key, Self::inside(value, depth + 1)?)))
                    .collect::<Result<_, serde_json::Error>>()?;
                fields.sort_by(|a, b| a.0.cmp(&b.0));
                Ok(Self::Object(fields))
            }
            Some(b'[') => {
                let list: Vec<&RawValue> = serde_json::from_str(text)?;
                let list = list.into_iter().map(|value| Self::inside(value, depth + 1));
                Ok(Self::List(list.collect::<Result<_, _>>()?))
            }
            Some(b'"') => Ok(match serde_json::from_str::<String>(text) {
                Ok(plain) => Self::Plain(serde_json::to_string(&plain)?),
                // A lone surrogate such as `\ud800` is valid JSON, but can't be part of a Rust
                // string. Keep such a text as it is.
                Err(_) => Self::Plain(text.to_owned()),
            }),
            Some(_) => Ok(Self::Plain(text.to_owned())),
            None => Err(serde_json::Error::custom("a value is missing")),
        }
    }

    /// True for an empty object, an empty list or `null`. An empty string doesn't count.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Object(fields) => fields.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Plain(text) => text == "null",
        }
    }

    pub(super) fn fields_mut(&mut self) -> Option<&mut Vec<(String, Self)>> {
        match self {
            Self::Object(fields) => Some(fields),
            Self::List(_) | Self::Plain(_) => None,
        }
    }

    /// The field `key` of an object. Returns `None` for any other value.
    pub(super) fn field_mut(&mut self, key: &str) -> Option<&mut Self> {
        let fields = self.fields_mut()?;
        let field = fields.iter_mut().find(|(name, _)| name == key);
        field.map(|(_, value)| value)
    }

    /// Appends the value to `out` on a single line. If `blanks` is true, a space follows each colon
    /// and comma.
    pub(super) fn write(&self, blanks: bool, out: &mut String) {
        let comma = if blanks { ", " } else { "," };
        match self {
            Self::Plain(text) => out.push_str(text),
            Self::List(list) => {
                out.push('[');
                for (at, value) in list.iter().enumerate() {
                    out.push_str(if at > 0 { comma } else { "" });
                    value.write(blanks, out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (at, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if at > 0 { comma } else { "" });
                    push_key(key, blanks, out);
                    value.write(blanks, out);
                }
                out.push('}');
            }
        }
    }

    /// Appends the value to `out` on several lines, indented by `depth`.
    ///
    /// Only fields with a key accepted by `is_open` are expanded, and so are the elements of a list
    /// in such a field. All others stay on a single line.
    pub(super) fn write_open(
        &self,
        depth: usize,
        is_open: &dyn Fn(&str) -> bool,
        out: &mut String,
    ) {
        let indent = |depth: usize, out: &mut String| {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match self {
            Self::List(list) if !list.is_empty() => {
                out.push('[');
                for (at, value) in list.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    indent(depth + 1, out);
                    value.write_open(depth + 1, is_open, out);
                }
                indent(depth, out);
                out.push(']');
            }
            Self::Object(fields) if !fields.is_empty() => {
                out.push('{');
                for (at, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    indent(depth + 1, out);
                    push_key(key, true, out);
                    if is_open(key) {
                        value.write_open(depth + 1, is_open, out);
                    } else {
                        value.write(true, out);
                    }
                }
                indent(depth, out);
                out.push('}');
            }
            _ => self.write(true, out),
        }
    }
}

fn push_key(key: &str, blanks: bool, out: &mut String) {
    out.push_str(&serde_json::Value::from(key).to_string());
    out.push_str(if blanks { ": " } else { ":" });
}

/// Deserializes an object's fields in their original order, which a map would lose.
///
/// # Errors
/// Returns an error if the object has more than `most` fields or a duplicate key.
pub(crate) fn fields_in_order<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
    most: usize,
) -> Result<Vec<(String, V)>, D::Error> {
    struct InOrder<V> {
        most: usize,
        values: PhantomData<V>,
    }

    impl<'de, V: Deserialize<'de>> Visitor<'de> for InOrder<V> {
        type Value = Vec<(String, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let (mut fields, mut keys) = (Vec::new(), BTreeSet::new());
            while let Some(key) = map.next_key::<String>()? {
                if !keys.insert(key.clone()) {
                    let key: String = key.chars().take(60).collect();
                    return Err(M::Error::custom(format!("`{key}` is duplicated")));
                }
                if fields.len() == self.most {
                    let message = format!("more than {} fields in one object", self.most);
                    return Err(M::Error::custom(message));
                }
                fields.push((key, map.next_value()?));
            }
            Ok(fields)
        }
    }

    deserializer.deserialize_map(InOrder {
        most,
        values: PhantomData,
    })
}
