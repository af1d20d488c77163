use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{Diagnostic, Severity};
use windlass_plan::{Document, Findings, Schema};

use super::node_reader::NodeReader;
use super::{FormulaDoc, control_keys, document_mistakes};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(FormulaDoc).to_value());

/// The JSON Schema of formulas, for editors and validation.
#[must_use]
pub fn formula_schema() -> Value {
    SCHEMA.clone()
}

/// Reads a formula from a document.
///
/// If its format is wrong, we report all mismatches and return `None`. Unknown fields are warnings,
/// or errors with `strict`.
pub(crate) fn read_formula(
    document: &Document,
    strict: bool,
    found: &mut Findings,
) -> Option<FormulaDoc> {
    let root = document.root();
    if !root.value().is_object() {
        let message = "expected a table of fields";
        let help = "start it with `formula = \"NAME\"` and `[[steps]]`";
        found.push(
            Diagnostic::error("wrong-type", message)
                .at(root.place())
                .help(help),
        );
        return None;
    }
    if let Some(mistake) = document_mistakes::formula_is_a_table(root) {
        found.push(mistake);
        return None;
    }
    let mut fits = true;
    for mismatch in Schema::new(&SCHEMA).check(root.value(), false, found.room()) {
        if found.is_full() {
            found.count_error();
            fits = false;
            continue;
        }
        let mut finding = document_mistakes::finding(root, mismatch);
        // Even with `strict`, go on after a field that can be ignored. The author would otherwise
        // have to fix it before seeing any later errors.
        match finding.severity {
            Severity::Warning if strict => finding.severity = Severity::Error,
            Severity::Warning => finding.message += ": it is ignored",
            _ => fits = false,
        }
        found.push(finding);
    }
    control_keys::report(root, strict, found);
    if !fits {
        return None;
    }
    match FormulaDoc::deserialize(NodeReader(root)) {
        Ok(formula) => Some(formula),
        Err(error) => {
            let message = format!("not a formula: {error}");
            found.push(Diagnostic::error("unreadable", message).at(root.place()));
            None
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
