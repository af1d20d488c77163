//! Acceptance criteria in a bead's metadata.

use serde_json::Value;
use windlass_formula::AcceptanceCriterion;
use windlass_ledger::LedgerError;
use windlass_ledger::bead::Bead;
use windlass_site::Error;

const ACCEPTANCE: &str = "acceptance";

/// Reads the criteria from the metadata of `bead`. They're either JSON, or a string that contains
/// JSON.
pub(crate) fn criteria_of_bead(bead: &Bead) -> Result<Vec<AcceptanceCriterion>, Error> {
    match bead.metadata.get(ACCEPTANCE) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim_start().starts_with(['{', '[']) => criteria_in(text),
        Some(value) => criteria_in(&value.to_string()),
    }
}

/// Parses a single criterion or a list of them. A plain JSON string is prose, which a person has to
/// judge.
///
/// # Errors
/// Returns an error if `text` isn't valid JSON, or an item isn't a criterion.
pub fn criteria_in(text: &str) -> Result<Vec<AcceptanceCriterion>, Error> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| LedgerError::Invalid(format!("criteria must be JSON: {error}")))?;
    let list = match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    let one = |value: Value| match value {
        Value::String(text) => Ok(AcceptanceCriterion::Prose(text)),
        other => serde_json::from_value(other).map_err(|error| {
            let message = format!(
                "a criterion must be a string, or have one of `command`, `file`, `grep`, `schema`: \
                 {error}"
            );
            LedgerError::Invalid(message).into()
        }),
    };
    list.into_iter().map(one).collect()
}
