//! Inputs a gate requests from its approver.

use std::collections::BTreeMap;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_plan::quote::{cut, listed, near};

/// Types of input values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputType {
    /// Any text.
    #[default]
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// An input that a gate asks a person for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateInput {
    /// The type of the value.
    #[serde(default, rename = "type")]
    pub kind: InputType,
    /// A description for the person.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// True if the gate stays closed without a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Default value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Allowed values. Any value is allowed if this is empty.
    #[serde(default, rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// The regular expression that the value must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

impl InputType {
    /// Describes the expected type, e.g. "a whole number". Returns `None` if `value` already has
    /// it.
    pub(crate) fn misfit(self, value: &str) -> Option<&'static str> {
        match self {
            Self::String => None,
            Self::Integer => value.parse::<i64>().is_err().then_some("a whole number"),
            Self::Number => {
                // `parse` also accepts `inf` and `NaN`, which JSON has no numbers for.
                let finite = value.parse::<f64>().is_ok_and(f64::is_finite);
                (!finite).then_some("a number")
            }
            Self::Boolean => (!matches!(value, "true" | "false")).then_some("`true` or `false`"),
        }
    }

    fn value(self, text: &str) -> Value {
        let parsed = match self {
            Self::String => None,
            Self::Integer => text.parse::<i64>().ok().map(Value::from),
            Self::Number => text.parse::<f64>().ok().map(Value::from),
            Self::Boolean => text.parse::<bool>().ok().map(Value::from),
        };
        parsed.unwrap_or_else(|| Value::String(text.to_owned()))
    }
}

impl GateInput {
    fn problem(&self, value: &str) -> Option<String> {
        let shown = cut(value);
        if let Some(expected) = self.kind.misfit(value) {
            return Some(format!("is `{shown}`, not {expected}"));
        }
        if !self.allowed.is_empty() && !self.allowed.iter().any(|allowed| allowed == value) {
            let words = self.allowed.iter().map(String::as_str);
            return Some(format!("is `{shown}`; allowed values: {}", listed(words)));
        }
        let pattern = self.pattern.as_deref()?;
        // The pattern was checked with the formula. If it's invalid nevertheless, reject the value
        // rather than let anything through.
        let matches = Regex::new(pattern).is_ok_and(|regex| regex.is_match(value));
        (!matches).then(|| format!("is `{shown}`, which does not match `{}`", cut(pattern)))
    }
}

/// Converts a person's answers to values of the declared types.
///
/// An input without an answer gets its default. If it has no default and isn't required, it's
/// simply absent from the result.
///
/// # Errors
/// Returns one description for each unknown, missing or invalid value.
pub fn answers(
    asked: &BTreeMap<String, GateInput>,
    given: &BTreeMap<String, String>,
) -> Result<Map<String, Value>, Vec<String>> {
    let mut wrong = Vec::new();
    for name in given.keys().filter(|name| !asked.contains_key(*name)) {
        let names = || asked.keys().map(String::as_str);
        wrong.push(match near(name, names()) {
            Some(near) => format!("unknown input `{}`; did you mean `{near}`?", cut(name)),
            None => format!(
                "unknown input `{}`; known inputs: {}",
                cut(name),
                listed(names())
            ),
        });
    }
    let mut answers = Map::new();
    for (name, input) in asked {
        let Some(value) = given.get(name).or(input.default.as_ref()) else {
            if input.required {
                let about = match input.description.as_str() {
                    "" => String::new(),
                    about => format!(" ({})", cut(about)),
                };
                wrong.push(format!("`{}` needs a value{about}", cut(name)));
            }
            continue;
        };
        match input.problem(value) {
            Some(problem) => wrong.push(format!("`{}` {problem}", cut(name))),
            None => {
                answers.insert(name.clone(), input.kind.value(value));
            }
        }
    }
    if wrong.is_empty() {
        Ok(answers)
    } else {
        Err(wrong)
    }
}
