use std::collections::BTreeMap;

use serde_json::Value;
use windlass_base::Place;

use crate::quote::{cut, near};

/// Some JSON readers store all numbers as floats. Above 2^53, they'd silently round an integer.
const MAX_SAFE_INTEGER: u64 = 1 << 53;

windlass_base::word_enum! {
    /// Types of inputs.
    #[derive(Default)]
    InputType, "input type" {
        /// Text.
        #[default]
        String = "string",
        /// A whole number within 2^53.
        Integer = "integer",
        /// `true` or `false`.
        Boolean = "boolean",
        /// A list of strings.
        Array = "array",
    }
}

impl InputType {
    /// The type with an article, to complete "must be …" in messages.
    fn described(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Integer => "an integer within 2^53",
            Self::Boolean => "`true` or `false`",
            Self::Array => "a list of strings",
        }
    }

    /// Checks the type of `value`, and that an integer is within 2^53.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::String, Value::String(_)) | (Self::Boolean, Value::Bool(_)) => true,
            (Self::Integer, Value::Number(number)) => {
                let size = number
                    .as_u64()
                    .or_else(|| number.as_i64().map(i64::unsigned_abs));
                size.is_some_and(|size| size <= MAX_SAFE_INTEGER)
            }
            (Self::Array, Value::Array(items)) => items.iter().all(Value::is_string),
            _ => false,
        }
    }

    /// Parses a value from the command line. A list is either a JSON array or separated by commas.
    fn read(self, text: &str) -> Option<Value> {
        let value = match self {
            Self::String => Value::String(text.to_owned()),
            Self::Integer => Value::from(text.parse::<i64>().ok()?),
            Self::Boolean => Value::Bool(text.parse().ok()?),
            Self::Array if text.starts_with('[') => serde_json::from_str(text).ok()?,
            Self::Array => {
                let items = items_of(text).into_iter().map(str::trim);
                let items = items.filter(|item| !item.is_empty());
                items.map(|item| Value::String(item.to_owned())).collect()
            }
        };
        self.admits(&value).then_some(value)
    }
}

/// Splits `text` at commas. A comma in balanced braces doesn't count, so `src/{a,b}.rs` stays a
/// single glob.
fn items_of(text: &str) -> Vec<&str> {
    let (mut depth, mut parts, mut from) = (0_usize, Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    // If the braces aren't balanced, they probably don't mean anything.
    if depth > 0 {
        return text.split(',').collect();
    }
    parts.push(&text[from..]);
    parts
}

/// The declaration of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSpec {
    /// The name, which is unique in the plan.
    pub name: String,
    /// The type. Values of other types are errors.
    pub kind: InputType,
    /// The value to use if the caller doesn't give one.
    pub default: Option<Value>,
    /// A description for users, which may be empty.
    pub description: String,
    /// The allowed values. If it's empty, any value of the type will do.
    pub allowed: Vec<Value>,
    /// If true, the caller must give a value unless there's a `default`.
    pub required: bool,
    /// The position of the declaration. Generated plans have none.
    pub place: Option<Place>,
}

/// An input's value, as given by the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// A value from a command line, parsed according to the input's type.
    Text(String),
    /// A value from a program. It must already be of the right type.
    Json(Value),
}

/// Reasons to reject a given value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// No declared input has this name.
    #[error("there is no input `{name}`{}", hint(.near.as_deref(), .known))]
    Unknown {
        /// The name given by the caller.
        name: String,
        /// A similar known name to suggest.
        near: Option<String>,
        /// The names of all declared inputs, in backquotes.
        known: Vec<String>,
    },
    /// A required input has no value.
    #[error("input `{name}` is required: give it with `--input {name}=VALUE`{}", about(.description))]
    Missing {
        /// The input's name.
        name: String,
        /// Its description, which may be empty.
        description: String,
    },
    /// The value has the wrong type.
    #[error("input `{name}` must be {expected}, not `{found}`")]
    Type {
        /// The input's name.
        name: String,
        /// The expected type with an article, e.g. `a string`.
        expected: &'static str,
        /// The given value, shortened.
        found: String,
    },
    /// The value isn't among the allowed ones.
    #[error("input `{name}` must be one of {}, not `{found}`", .allowed.join(", "))]
    NotAllowed {
        /// The input's name.
        name: String,
        /// The allowed values in declared order, shortened and in backquotes.
        allowed: Vec<String>,
        /// The given value, shortened.
        found: String,
    },
}

fn hint(near: Option<&str>, known: &[String]) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; this runbook takes none".to_owned(),
        None => format!("; known inputs: {}", known.join(", ")),
    }
}

fn about(description: &str) -> String {
    if description.is_empty() {
        return String::new();
    }
    format!(" ({description})")
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}

impl InputSpec {
    /// Returns `value` if this input accepts it.
    ///
    /// # Errors
    /// Returns an error if `value` has the wrong type or isn't among the allowed values.
    pub fn check(&self, value: Value) -> Result<Value, InputError> {
        if !self.kind.admits(&value) {
            return Err(self.wrong_type(&value));
        }
        if !self.allowed.is_empty() && !self.allowed.contains(&value) {
            return Err(InputError::NotAllowed {
                name: self.name.clone(),
                allowed: self
                    .allowed
                    .iter()
                    .map(|value| format!("`{}`", shown(value)))
                    .collect(),
                found: shown(&value),
            });
        }
        Ok(value)
    }

    fn read(&self, given: Given) -> Result<Value, InputError> {
        match given {
            Given::Json(value) => self.check(value),
            Given::Text(text) => match self.kind.read(&text) {
                Some(value) => self.check(value),
                None => Err(self.wrong_type(&Value::String(text))),
            },
        }
    }

    fn wrong_type(&self, found: &Value) -> InputError {
        InputError::Type {
            name: self.name.clone(),
            expected: self.kind.described(),
            found: shown(found),
        }
    }
}

/// Determines the value of each input: the given value, or else the default. An input with neither
/// isn't part of the result.
///
/// # Errors
/// Returns all errors at once: those in the given values and the required inputs without a value,
/// in the order of `specs`, followed by unknown names.
pub fn bind_inputs(
    specs: &[InputSpec],
    given: BTreeMap<String, Given>,
) -> Result<BTreeMap<String, Value>, Vec<InputError>> {
    let (bound, errors) = bind(specs, given);
    if errors.is_empty() {
        Ok(bound)
    } else {
        Err(errors)
    }
}

/// Like [`bind_inputs`], but this accepts required inputs without a value.
///
/// Previews need it, since the user may not have decided on all values yet.
///
/// # Errors
/// Returns the errors of [`bind_inputs`], except for [`InputError::Missing`].
pub fn bind_known_inputs(
    specs: &[InputSpec],
    given: BTreeMap<String, Given>,
) -> Result<BTreeMap<String, Value>, Vec<InputError>> {
    let (bound, mut errors) = bind(specs, given);
    errors.retain(|error| !matches!(error, InputError::Missing { .. }));
    if errors.is_empty() {
        Ok(bound)
    } else {
        Err(errors)
    }
}

fn bind(
    specs: &[InputSpec],
    mut given: BTreeMap<String, Given>,
) -> (BTreeMap<String, Value>, Vec<InputError>) {
    let mut bound = BTreeMap::new();
    let mut errors = Vec::new();
    for spec in specs {
        let value = match given.remove(&spec.name) {
            Some(given) => spec.read(given).map(Some),
            None if spec.default.is_some() => Ok(spec.default.clone()),
            None if spec.required => Err(InputError::Missing {
                name: spec.name.clone(),
                description: spec.description.clone(),
            }),
            None => Ok(None),
        };
        match value {
            Ok(value) => bound.extend(value.map(|value| (spec.name.clone(), value))),
            Err(error) => errors.push(error),
        }
    }
    // We've removed the names that are declared.
    for name in given.into_keys() {
        let names = specs.iter().map(|spec| spec.name.as_str());
        errors.push(InputError::Unknown {
            near: near(&name, names.clone()).map(str::to_owned),
            known: names.map(|name| format!("`{name}`")).collect(),
            name,
        });
    }
    (bound, errors)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(name: &str, kind: InputType) -> InputSpec {
        InputSpec {
            name: name.to_owned(),
            kind,
            default: None,
            description: String::new(),
            allowed: Vec::new(),
            required: false,
            place: None,
        }
    }

    fn bind(specs: &[InputSpec], given: &[(&str, &str)]) -> Result<String, Vec<String>> {
        let given = given
            .iter()
            .map(|(name, text)| ((*name).to_owned(), Given::Text((*text).to_owned())));
        bind_inputs(specs, given.collect())
            .map(|bound| json!(bound).to_string())
            .map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn input_text_parsed_by_type() {
        let specs = [
            spec("a", InputType::Array),
            spec("b", InputType::Boolean),
            spec("i", InputType::Integer),
            spec("s", InputType::String),
        ];
        assert_eq!(
            bind(
                &specs,
                &[("a", "x, y"), ("b", "true"), ("i", "-3"), ("s", "5")]
            )
            .unwrap(),
            r#"{"a":["x","y"],"b":true,"i":-3,"s":"5"}"#
        );
        assert_eq!(
            bind(&specs, &[("a", r#"["x,y"]"#)]).unwrap(),
            r#"{"a":["x,y"]}"#
        );
        // 2^53 + 1 is the first integer that a float can't represent.
        assert_eq!(
            bind(
                &specs,
                &[("a", "[1]"), ("b", "yes"), ("i", "9007199254740993")]
            )
            .unwrap_err(),
            [
                "input `a` must be a list of strings, not `[1]`",
                "input `b` must be `true` or `false`, not `yes`",
                "input `i` must be an integer within 2^53, not `9007199254740993`",
            ]
        );
    }

    #[test]
    fn array_text_glob_braces_kept() {
        for (text, items) in [
            ("src/{a,b}.rs, c", &["src/{a,b}.rs", "c"][..]),
            ("{a,{b,c}},d,", &["{a,{b,c}}", "d"]),
            // After an unbalanced brace, commas still separate items.
            ("{a,b", &["{a", "b"]),
            ("a},b", &["a}", "b"]),
            ("", &[]),
        ] {
            let bound = bind(&[spec("a", InputType::Array)], &[("a", text)]).unwrap();
            assert_eq!(bound, json!({ "a": items }).to_string(), "{text}");
        }
    }

    #[test]
    fn bind_all_errors_reported() {
        let mut needed = spec("crate", InputType::String);
        needed.required = true;
        needed.description = "the crate to look at".to_owned();
        let mut mode = spec("mode", InputType::String);
        mode.allowed = vec![json!("fast"), json!("deep")];
        mode.default = Some(json!("fast"));
        let specs = [needed, mode];
        assert_eq!(
            bind(&specs, &[("mode", "slow"), ("modes", "x"), ("zzz", "x")]).unwrap_err(),
            [
                "input `crate` is required: give it with `--input crate=VALUE` (the crate to look at)",
                "input `mode` must be one of `fast`, `deep`, not `slow`",
                "there is no input `modes`; did you mean `mode`?",
                "there is no input `zzz`; known inputs: `crate`, `mode`",
            ]
        );
        assert_eq!(
            bind(&specs, &[("crate", "x")]).unwrap(),
            r#"{"crate":"x","mode":"fast"}"#
        );
        assert_eq!(
            bind(&[], &[("x", "y")]).unwrap_err(),
            ["there is no input `x`; this runbook takes none"]
        );
    }
}
