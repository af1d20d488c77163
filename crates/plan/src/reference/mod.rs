//! References: `{ $ref: '#/steps/routes/output/files', $default: [] }`.
//!
//! We replace an object by a value from the run if its only keys are `$ref`, or `$ref` and
//! `$default`. Any other key makes the object a literal.
//!
//! The inserted values and defaults are never resolved again. Otherwise, a step could put a
//! reference in its output, and make the run read something that the author of the runbook did not
//! ask for.

use std::borrow::Cow;
use std::fmt;

use windlass_base::{counted, json_size_within};

use serde_json::{Map, Value};

use crate::Scope;
use crate::document::json_pointer;

const REF: &str = "$ref";
const DEFAULT: &str = "$default";

/// Maximum nesting of a template, which we resolve recursively. Documents are limited to far less,
/// so only generated templates should ever reach this.
const MAX_DEPTH: usize = 100;

/// The value that a reference starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The value of an input: `#/inputs/NAME…`.
    Input(String),
    /// The output of a step: `#/steps/ID/output…`.
    Output(String),
    /// The status of a step: `#/steps/ID/status`.
    Status(String),
    /// The current item in a step with `for_each`: `#/item…`.
    Item,
    /// The index of the current item, from 0: `#/index`.
    Index,
}

impl Target {
    /// The ID of the step that the target belongs to, if any.
    #[must_use]
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::Output(id) | Self::Status(id) => Some(id),
            Self::Input(_) | Self::Item | Self::Index => None,
        }
    }
}

/// A parsed reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The reference as written, e.g. `#/steps/routes/output/files`.
    pub text: String,
    /// The value that `path` starts from.
    pub target: Target,
    /// The rest of the pointer, e.g. `files`.
    pub path: Vec<String>,
    /// The value to use if `path` leads nowhere.
    pub default: Option<Value>,
}

/// Errors from parsing or resolving a reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefError {
    /// The `$ref` is not a string.
    #[error("`$ref` must be a string")]
    NotText,
    /// The text is not a JSON pointer after `#`, or starts with an unknown name.
    #[error("`{text}` is not a reference: {why}")]
    Malformed {
        /// The text, cut to 120 characters.
        text: String,
        /// The second half of the message.
        why: &'static str,
    },
    /// There is no value at this path, and no default either.
    #[error("`{text}` cannot be resolved: {why}")]
    Missing {
        /// The text as written.
        text: String,
        /// The missing part, in words.
        why: String,
    },
    /// The resolved values exceed the limit.
    #[error("with `{text}` its input is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The reference with which the limit was exceeded.
        text: String,
        /// The limit for the whole input, in bytes of compact JSON.
        limit: usize,
    },
    /// The template is nested too deeply.
    #[error("the value is nested more than {MAX_DEPTH} deep")]
    TooDeep,
}

/// True for any reference, including malformed ones.
#[must_use]
pub fn is_reference(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| {
        fields.contains_key(REF)
            && (fields.len() == 1 || (fields.len() == 2 && fields.contains_key(DEFAULT)))
    })
}

pub(crate) fn has_references(value: &Value) -> bool {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Object(_) if is_reference(value) => return true,
            Value::Object(fields) => todo.extend(fields.values()),
            Value::Array(items) => todo.extend(items),
            _ => {}
        }
    }
    false
}

/// True for an object with a `$ref` that is a literal because of another key.
///
/// That is probably a mistake.
pub(crate) fn is_spoiled(value: &Value) -> bool {
    let text = |fields: &Map<String, Value>| fields.get(REF)?.as_str().map(str::to_owned);
    !is_reference(value)
        && value
            .as_object()
            .and_then(text)
            .is_some_and(|text| text.starts_with("#/"))
}

impl Reference {
    /// Parses the text of a reference.
    ///
    /// # Errors
    /// Returns an error if the text is not a JSON pointer after `#`, or starts with an unknown
    /// name.
    pub fn parse(text: &str, default: Option<Value>) -> Result<Self, RefError> {
        let malformed = |why| RefError::Malformed {
            text: text.chars().take(120).collect(),
            why,
        };
        let pointer = text
            .strip_prefix('#')
            .filter(|rest| rest.starts_with('/'))
            .ok_or_else(|| malformed("it must start with `#/`"))?;
        let tokens = json_pointer::tokens(pointer)
            .ok_or_else(|| malformed("`~` must be followed by `0` (for `~`) or `1` (for `/`)"))?;
        let words: Vec<_> = tokens.iter().map(String::as_str).collect();
        let (target, used) = match words.as_slice() {
            ["inputs", name, ..] => (Target::Input((*name).to_owned()), 2),
            ["inputs"] => return Err(malformed("write `#/inputs/NAME`")),
            ["steps", id, "output", ..] => (Target::Output((*id).to_owned()), 3),
            ["steps", id, "status"] => (Target::Status((*id).to_owned()), 3),
            ["steps", ..] => {
                return Err(malformed(
                    "write `#/steps/ID/output/…` or `#/steps/ID/status`",
                ));
            }
            ["item", ..] => (Target::Item, 1),
            ["index"] => (Target::Index, 1),
            _ => {
                return Err(malformed(
                    "it must start with `#/inputs/`, `#/steps/`, `#/item` or `#/index`",
                ));
            }
        };
        Ok(Self {
            text: text.to_owned(),
            target,
            path: tokens[used..].to_vec(),
            default,
        })
    }

    /// Parses a reference. Returns `None` if the value is a literal.
    ///
    /// # Errors
    /// Returns an error for a malformed reference.
    pub fn from_value(value: &Value) -> Option<Result<Self, RefError>> {
        let fields = value.as_object().filter(|_| is_reference(value))?;
        let default = fields.get(DEFAULT).cloned();
        Some(match fields.get(REF) {
            Some(Value::String(text)) => Self::parse(text, default),
            _ => Err(RefError::NotText),
        })
    }

    pub(crate) fn value(&self, scope: &dyn Scope) -> Result<Value, RefError> {
        let mut left = Left {
            limit: usize::MAX,
            bytes: usize::MAX,
        };
        self.value_within(scope, &mut left)
    }

    /// Resolves the reference if the compact JSON of its value fits into `left`.
    ///
    /// We measure the value before copying it, so that a large one does not cost any memory.
    fn value_within(&self, scope: &dyn Scope, left: &mut Left) -> Result<Value, RefError> {
        match (self.look_up(scope), &self.default) {
            (Ok(value), _) => {
                let size = json_size_within(&value, left.bytes);
                left.bytes -= size.ok_or_else(|| RefError::TooLarge {
                    text: self.text.clone(),
                    limit: left.limit,
                })?;
                Ok(value.into_owned())
            }
            (Err(_), Some(default)) => Ok(default.clone()),
            (Err(why), None) => Err(RefError::Missing {
                text: self.text.clone(),
                why,
            }),
        }
    }

    fn look_up<'a>(&self, scope: &'a dyn Scope) -> Result<Cow<'a, Value>, String> {
        let start = match &self.target {
            Target::Input(name) => scope
                .input(name)
                .ok_or_else(|| format!("input `{name}` was not given"))?,
            Target::Output(id) => {
                let step = scope
                    .step(id)
                    .ok_or_else(|| format!("there is no step `{id}`"))?;
                step.output.ok_or_else(|| {
                    format!("step `{id}` is `{}`, so it has no output", step.status)
                })?
            }
            Target::Status(id) => {
                let step = scope
                    .step(id)
                    .ok_or_else(|| format!("there is no step `{id}`"))?;
                return Ok(Cow::Owned(Value::String(step.status.to_owned())));
            }
            Target::Item => scope
                .item()
                .ok_or("there is an item only in a step with `for_each`")?,
            Target::Index => {
                let index = scope.index();
                let index = index.ok_or("there is an index only in a step with `for_each`")?;
                return Ok(Cow::Owned(Value::from(index)));
            }
        };
        walk(start, &self.path).map(Cow::Borrowed)
    }
}

fn walk<'a>(start: &'a Value, path: &[String]) -> Result<&'a Value, String> {
    let mut value = start;
    for token in path {
        value = match value {
            Value::Object(fields) => fields
                .get(token)
                .ok_or_else(|| format!("there is no field `{token}`"))?,
            Value::Array(items) => json_pointer::index(token)
                .ok_or_else(|| format!("`{token}` is not an index of a list"))
                .and_then(|at| {
                    let items_there = counted(items.len(), "item");
                    items
                        .get(at)
                        .ok_or_else(|| format!("the list has {items_there}, none at {at}"))
                })?,
            _ => {
                return Err(format!(
                    "`{token}` is looked up in a value that is neither list nor mapping"
                ));
            }
        };
    }
    Ok(value)
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A reference in a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// JSON pointer to the object with the `$ref`.
    pub at: String,
    /// The parsed reference, or the error of a malformed one.
    pub reference: Result<Reference, RefError>,
}

/// Lists the references in a template, in order.
#[must_use]
pub fn find_references(template: &Value) -> Vec<Found> {
    let mut found = Vec::new();
    visit(template, &mut |at, value| {
        if let Some(reference) = Reference::from_value(value) {
            let at = at.to_owned();
            found.push(Found { at, reference });
        }
    });
    found
}

/// Calls `see` with each list or mapping and its JSON pointer, starting with `template` itself. We
/// do not look inside references.
pub(crate) fn visit<'a>(template: &'a Value, see: &mut dyn FnMut(&str, &'a Value)) {
    let mut todo = vec![(String::new(), template)];
    while let Some((at, value)) = todo.pop() {
        see(&at, value);
        if is_reference(value) {
            continue;
        }
        let inside = |token: &str| {
            let mut inside = at.clone();
            json_pointer::push(&mut inside, token);
            inside
        };
        // Other values can't contain references, so don't build pointers to them.
        let worthwhile = |value: &Value| value.is_object() || value.is_array();
        match value {
            Value::Object(fields) => todo.extend(
                fields
                    .iter()
                    .rev()
                    .filter(|(_, value)| worthwhile(value))
                    .map(|(name, value)| (inside(name), value)),
            ),
            Value::Array(items) => todo.extend(
                items
                    .iter()
                    .enumerate()
                    .rev()
                    .filter(|(_, value)| worthwhile(value))
                    .map(|(index, value)| (inside(&index.to_string()), value)),
            ),
            _ => {}
        }
    }
}

struct Left {
    limit: usize,
    bytes: usize,
}

/// Replaces every reference in the template with its value.
///
/// The values may have a total of `max_bytes` bytes of compact JSON. Literal parts do not count,
/// because the size of documents is limited separately.
///
/// # Errors
/// Returns an error for the first reference that is malformed, cannot be resolved, or exceeds the
/// limit.
pub fn resolve_references(
    template: &Value,
    scope: &dyn Scope,
    max_bytes: usize,
) -> Result<Value, RefError> {
    let mut left = Left {
        limit: max_bytes,
        bytes: max_bytes,
    };
    resolve_at(template, scope, &mut left, 0)
}

fn resolve_at(
    template: &Value,
    scope: &dyn Scope,
    left: &mut Left,
    depth: usize,
) -> Result<Value, RefError> {
    if depth > MAX_DEPTH {
        return Err(RefError::TooDeep);
    }
    if let Some(reference) = Reference::from_value(template) {
        return reference?.value_within(scope, left);
    }
    Ok(match template {
        Value::Array(items) => {
            let items = items
                .iter()
                .map(|item| resolve_at(item, scope, left, depth + 1));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let mut resolved = Map::with_capacity(fields.len());
            for (name, value) in fields {
                resolved.insert(name.clone(), resolve_at(value, scope, left, depth + 1)?);
            }
            Value::Object(resolved)
        }
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests;
