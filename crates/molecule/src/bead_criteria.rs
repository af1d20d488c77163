//! What says of a bead when it is done.

use serde_json::Value;
use windlass_formula::AcceptanceCriterion;
use windlass_ledger::LedgerError;
use windlass_ledger::bead::Bead;
use windlass_site::Error;

/// Where a bead says when it is done.
const ACCEPTANCE: &str = "acceptance";

/// What a bead itself says of when it is done: criteria in its metadata, as JSON or as a text that is JSON.
pub(crate) fn criteria_of_bead(bead: &Bead) -> Result<Vec<AcceptanceCriterion>, Error> {
    match bead.metadata.get(ACCEPTANCE) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim_start().starts_with(['{', '[']) => criteria_in(text),
        Some(value) => criteria_in(&value.to_string()),
    }
}

/// The criteria that stand in a text, as JSON: one, or a list of them.
///
/// # Errors
/// When it is none.
pub fn criteria_in(text: &str) -> Result<Vec<AcceptanceCriterion>, Error> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| LedgerError::Invalid(format!("criteria are JSON: {error}")))?;
    let list = match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    let one = |value: Value| match value {
        Value::String(text) => Ok(AcceptanceCriterion::Prose(text)),
        other => serde_json::from_value(other).map_err(|error| {
            let message = format!(
                "a criterion is a text, or has one of `command`, `file`, `grep`, `schema`: {error}"
            );
            LedgerError::Invalid(message).into()
        }),
    };
    list.into_iter().map(one).collect()
}
