use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// Maximum number of fields of an object. The file is untrusted input, so we limit its size.
pub(super) const MAX_FIELDS: usize = 1_000;

/// Maximum nesting depth. `RawValue` itself has no limit, so without ours, a deeply nested value
/// would overflow the stack.
const MAX_DEPTH: usize = 32;

/// A JSON value in canonical form. Objects are sorted by key, and each string has only one possible
/// escaping. Numbers are kept as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tree {
    Object(Vec<(String, Tree)>),
    List(Vec<Tree>),
    /// Any other value, as JSON.
    Plain(String),
}

impl Tree {
    /// Parses `text`. Fails if an object has a duplicate key, because we would lose one of the
    /// values.
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
                // A lone surrogate is valid JSON, but it can't be stored in a Rust string. Keep the
                // text as written, so that we don't lose it.
                Err(_) => Self::Plain(text.to_owned()),
            }),
            Some(_) => Ok(Self::Plain(text.to_owned())),
            None => Err(serde_json::Error::custom("a value is missing")),
        }
    }

    /// Returns true for an empty object, an empty list or `null`.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Object(fields) => fields.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Plain(text) => text == "null",
        }
    }

    /// Returns an object's fields, or `None` for any other value.
    pub(super) fn fields_mut(&mut self) -> Option<&mut Vec<(String, Self)>> {
        match self {
            Self::Object(fields) => Some(fields),
            Self::List(_) | Self::Plain(_) => None,
        }
    }

    /// Returns the object's field `key`.
    pub(super) fn field_mut(&mut self, key: &str) -> Option<&mut Self> {
        let fields = self.fields_mut()?;
        let field = fields.iter_mut().find(|(name, _)| name == key);
        field.map(|(_, value)| value)
    }

    /// Appends the value to `out` on a single line. If `blanks` is true, each colon and comma is
    /// followed by a space.
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

    /// Appends the value to `out` on multiple lines, indented by `depth`. Only fields whose key is
    /// accepted by `is_open` are expanded. Expanding a list also expands its elements.
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

/// Deserializes an object's fields in the order they're written in.
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
