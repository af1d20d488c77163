use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;
use windlass_base::{Diagnostic, Severity};
use windlass_plan::{Document, Findings, Schema};

use super::node_reader::NodeReader;
use super::{FormulaDoc, document_mistakes};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(FormulaDoc).to_value());

/// The JSON Schema of formulas, for editors and for checking.
#[must_use]
pub fn formula_schema() -> Value {
    SCHEMA.clone()
}

/// The formula in a document; nothing where it does not fit the format, which is reported. Fields that are not known
/// are warned of, or errors if it is `strict`.
pub(crate) fn read_formula(
    document: &Document,
    strict: bool,
    found: &mut Findings,
) -> Option<FormulaDoc> {
    let root = document.root();
    if !root.value().is_object() {
        let message = "a formula is a table of fields";
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
        let finding = document_mistakes::finding(root, mismatch, strict);
        fits &= finding.severity == Severity::Warning;
        found.push(finding);
    }
    if !fits {
        return None;
    }
    match FormulaDoc::deserialize(NodeReader(root)) {
        Ok(formula) => Some(formula),
        Err(error) => {
            let message = format!("this is not a formula: {error}");
            found.push(Diagnostic::error("unreadable", message).at(root.place()));
            None
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
