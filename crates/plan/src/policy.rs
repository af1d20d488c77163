use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use windlass_base::{Limit, ResponseMode};

use crate::{OrRef, PolicyDoc, Reference};

windlass_base::word_enum! {
    /// Modes for treating stale evidence in a run.
    #[derive(Default)]
    FreshnessMode, "freshness mode" {
        /// The run fails. This includes a failed section of evidence, regardless of `on_failure`.
        Strict = "strict",
        /// Moved evidence is shown at its new location, with the repair.
        #[default]
        Repair = "repair",
        /// Stale evidence is shown as stale.
        Report = "report",
    }
}

/// Output limits and the treatment of stale evidence, with all references resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The output budget. Without one, the caller's default applies.
    pub limit: Option<Limit>,
    /// The treatment of stale evidence, `repair` by default.
    pub freshness: FreshnessMode,
    /// The share of the budget for context around the evidence itself, in thousandths. 200 by
    /// default.
    pub noise_permille: u16,
    /// The maximum number of items in a section, 10 by default.
    pub max_items_per_section: u32,
    /// The amount of metadata in the pack. Without it, the caller's default applies.
    pub response_mode: Option<ResponseMode>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            limit: None,
            freshness: FreshnessMode::default(),
            noise_permille: 200,
            max_items_per_section: 10,
            response_mode: None,
        }
    }
}

/// The value of a reference in the policy can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{field}`: {why}")]
pub struct PolicyError {
    /// The field, as named in documents.
    pub field: &'static str,
    /// The second half of the message.
    pub why: String,
}

impl PolicyDoc {
    /// Resolves the policy for a run with the given inputs.
    ///
    /// If the budget sets both limits, `max_chars` takes precedence.
    ///
    /// # Errors
    /// Returns an error if a reference lacks a value, or if the value is invalid for its field.
    pub fn bind(&self, inputs: &BTreeMap<String, Value>) -> Result<Policy, PolicyError> {
        let mut policy = Policy::default();
        if let Some(freshness) = bound("freshness", self.freshness.as_ref(), inputs)? {
            policy.freshness = freshness;
        }
        if let Some(share) = bound("noise_budget", self.noise_budget.as_ref(), inputs)? {
            policy.noise_permille = permille(share)?;
        }
        let items = bound(
            "max_items_per_section",
            self.max_items_per_section.as_ref(),
            inputs,
        )?;
        if let Some(items) = items {
            policy.max_items_per_section = at_least_one("max_items_per_section", items)?;
        }
        policy.response_mode = bound("response_mode", self.response_mode.as_ref(), inputs)?;
        if let Some(budget) = &self.budget {
            let chars = bound("max_chars", budget.max_chars.as_ref(), inputs)?;
            let tokens = bound("max_tokens", budget.max_tokens.as_ref(), inputs)?;
            policy.limit = match (chars, tokens) {
                (Some(chars), _) => Some(Limit::Chars(at_least_one("max_chars", chars)? as usize)),
                (None, Some(tokens)) => {
                    Some(Limit::Tokens(at_least_one("max_tokens", tokens)? as usize))
                }
                (None, None) => None,
            };
        }
        Ok(policy)
    }
}

/// Resolves a field's reference. We try to read a text as a number first, since an input of type
/// `string` is often used for one.
fn bound<T: Clone + DeserializeOwned>(
    field: &'static str,
    value: Option<&OrRef<T>>,
    inputs: &BTreeMap<String, Value>,
) -> Result<Option<T>, PolicyError> {
    let reference = match value {
        None => return Ok(None),
        Some(OrRef::Value(value)) => return Ok(Some(value.clone())),
        Some(OrRef::Ref(reference)) => reference,
    };
    let error = |why: String| PolicyError { field, why };
    let found = Reference::parse(&reference.pointer, reference.default.clone())
        .and_then(|reference| reference.value(inputs))
        .map_err(|why| error(why.to_string()))?;
    let number = found.as_str().and_then(|text| text.parse::<f64>().ok());
    let as_number = number.and_then(|number| T::deserialize(Value::from(number)).ok());
    match as_number.map_or_else(|| T::deserialize(&found), Ok) {
        Ok(value) => Ok(Some(value)),
        Err(_) => Err(error(format!(
            "`{}` leads to {found}, which does not fit",
            reference.pointer
        ))),
    }
}

fn at_least_one(field: &'static str, number: u32) -> Result<u32, PolicyError> {
    if number == 0 {
        let why = "it must be at least 1".to_owned();
        return Err(PolicyError { field, why });
    }
    Ok(number)
}

fn permille(share: f64) -> Result<u16, PolicyError> {
    if !(0.0..=1.0).contains(&share) {
        return Err(PolicyError {
            field: "noise_budget",
            why: format!("{share} is not between 0 and 1"),
        });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 1000"
    )]
    let permille = (share * 1000.0).round() as u16;
    Ok(permille)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bind(policy: Value, inputs: Value) -> Result<Policy, String> {
        let policy: PolicyDoc = serde_json::from_value(policy).unwrap();
        let inputs: BTreeMap<String, Value> = serde_json::from_value(inputs).unwrap();
        policy.bind(&inputs).map_err(|error| error.to_string())
    }

    #[test]
    fn policy_absent_fields_default() {
        let policy = bind(json!({}), json!({})).unwrap();
        assert_eq!(policy, Policy::default());
        assert_eq!(policy.noise_permille, 200);
    }

    #[test]
    fn policy_references_resolved() {
        let policy = json!({
            "budget": { "max_tokens": { "$ref": "#/inputs/size" } },
            "freshness": { "$ref": "#/inputs/mode" },
            "noise_budget": { "$ref": "#/inputs/noise", "$default": 0.5 },
        });
        let bound = bind(policy.clone(), json!({ "size": 7, "mode": "strict" })).unwrap();
        assert_eq!(bound.limit, Some(Limit::Tokens(7)));
        assert_eq!(bound.freshness, FreshnessMode::Strict);
        assert_eq!(bound.noise_permille, 500);
        let noise = json!({ "size": 7, "mode": "strict", "noise": "0.25" });
        assert_eq!(bind(policy.clone(), noise).unwrap().noise_permille, 250);
        for (inputs, want) in [
            (
                json!({ "mode": "x", "size": 7 }),
                "policy `freshness`: `#/inputs/mode` leads to \"x\", which does not fit",
            ),
            (
                json!({ "mode": "strict" }),
                "policy `max_tokens`: `#/inputs/size` cannot be resolved: input `size` was not given",
            ),
            (
                json!({ "mode": "strict", "size": 0 }),
                "policy `max_tokens`: it must be at least 1",
            ),
            (
                json!({ "mode": "strict", "size": 1, "noise": "2" }),
                "policy `noise_budget`: 2 is not between 0 and 1",
            ),
        ] {
            assert_eq!(bind(policy.clone(), inputs), Err(want.to_owned()));
        }
    }
}
