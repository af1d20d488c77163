//! A plan for tests.

use windlass::plan::{Catalog, Effects, InputReading, KindSpec, Plan, load_runbook};

/// A runbook shared with the tests of the resolver.
pub(super) const EXAMPLE: &str = include_str!("../../../plan/src/resolve/tests/api_contracts.yaml");

/// Loads the plan of a runbook. Its step kinds accept any input.
pub(super) fn load(text: &str) -> Plan {
    let kinds = ["search", "files", "command", "plugin:codeowners@1"];
    let catalog = Catalog::from_iter(kinds.map(|name| KindSpec {
        name: name.to_owned(),
        summary: String::new(),
        input_schema: true.into(),
        output_schema: serde_json::Value::from(true).into(),
        main: None,
        effects: Effects::default(),
        asks: Default::default(),
        worst_first: false,
        reads: InputReading::default(),
    }));
    let (plan, _) = load_runbook("rb.yaml", text.as_bytes(), &catalog).unwrap();
    plan
}
