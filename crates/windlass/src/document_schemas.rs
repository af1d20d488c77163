use serde_json::Value;
use windlass_base::printed_schema;
use windlass_context::RebuiltPack;
use windlass_formula::{CookedFormula, formula_schema};
use windlass_memory::{Recollection, memory_check_schema};
use windlass_molecule::Verification;
use windlass_notebook::{Anchor, SharedAnchorsDocument, SuggestionPage, transaction_schema};
use windlass_plan::Runbook;
use windlass_vcontext::Version;

/// Returns the JSON Schemas of all documents and step kinds, sorted by name.
///
/// A step kind has two schemas: `step-NAME.input` for its `with`, and `step-NAME.output` for the
/// output.
#[must_use]
pub fn schemas() -> Vec<(String, Value)> {
    let mut schemas = vec![
        (
            "anchor".to_owned(),
            schemars::schema_for!(Anchor).to_value(),
        ),
        ("pack".to_owned(), windlass_packs::pack_schema()),
        (
            "shared-anchors".to_owned(),
            schemars::schema_for!(SharedAnchorsDocument).to_value(),
        ),
        ("transaction".to_owned(), transaction_schema()),
        ("suggestions".to_owned(), printed_schema::<SuggestionPage>()),
        ("memory-recall".to_owned(), printed_schema::<Recollection>()),
        ("memory-check".to_owned(), memory_check_schema()),
        ("pack-rebuild".to_owned(), printed_schema::<RebuiltPack>()),
        (
            "pack-diff".to_owned(),
            printed_schema::<windlass_packs::context::PackDiff>(),
        ),
        ("runbook".to_owned(), Runbook::json_schema()),
        ("formula".to_owned(), formula_schema()),
        (
            "cooked-formula".to_owned(),
            printed_schema::<CookedFormula>(),
        ),
        ("evidence".to_owned(), printed_schema::<Verification>()),
        (
            "vcontext-core".to_owned(),
            windlass_vcontext::document_schema(Version::first()),
        ),
        (
            "vcontext-extension-playbooks".to_owned(),
            windlass_vcontext::playbook_schema(),
        ),
        (
            "xbrief-core".to_owned(),
            windlass_vcontext::document_schema(Version::newest()),
        ),
    ];
    schemas.extend(windlass_packs::context::schemas());
    schemas.extend(windlass_ledger::schemas());
    for kind in windlass_steps::catalog().iter() {
        schemas.push((
            format!("step-{}.input", kind.name),
            kind.input_schema.clone(),
        ));
        schemas.push((
            format!("step-{}.output", kind.name),
            (*kind.output_schema).clone(),
        ));
    }
    schemas.sort_by(|a, b| a.0.cmp(&b.0));
    schemas
}
