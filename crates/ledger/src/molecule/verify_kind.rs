//! `verify` as a kind of step.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_formula::{AcceptanceCriterion, CookedStep};
use windlass_plan::{Catalog, Effects, InputReading, KindSpec, LazySchema};

use crate::event::VerifyOutcome;

/// The kind of step that verifies.
pub const VERIFY: &str = "verify";

/// What `with` of a step that verifies takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct VerifyInput {
    /// The step whose `acceptance` is looked at, with what it gave.
    step: Option<String>,
    /// Criteria of its own, where no step is named.
    criteria: Vec<AcceptanceCriterion>,
}

/// What a step that verifies gives.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyGives {
    /// What came of it: `PASS`, or `NEEDS_HUMAN` where no program can tell. With `FAIL` the step has failed.
    pub verdict: VerifyOutcome,
    /// How many criteria hold.
    pub criteria_passed: u32,
    /// How many do not.
    pub criteria_failed: u32,
    /// Why.
    pub reasoning: String,
    /// The file with what was found.
    pub evidence: String,
}

static KIND: LazyLock<KindSpec> = LazyLock::new(|| KindSpec {
    name: VERIFY.to_owned(),
    summary: "look whether work is done as it should be".to_owned(),
    input_schema: schemars::schema_for!(VerifyInput).to_value(),
    output_schema: LazySchema::new(windlass_base::printed_schema::<VerifyGives>),
    main: None,
    effects: Effects {
        reads_files: true,
        runs_processes: true,
        nested: false,
        reproducible: false,
    },
    asks: std::collections::BTreeSet::new(),
    worst_first: false,
    reads: InputReading::default(),
});

/// `catalog`, and what only formulas may use.
#[must_use]
pub fn for_formulas(mut catalog: Catalog) -> Catalog {
    catalog.insert_built_in(VERIFY, &KIND);
    catalog
}

/// The criteria that stand in the input of a step that verifies.
#[must_use]
pub fn criteria_of(step: &CookedStep) -> Vec<AcceptanceCriterion> {
    let with = step.with.clone().unwrap_or_default();
    let input: Result<VerifyInput, _> = serde_json::from_value(with.into());
    input.map(|input| input.criteria).unwrap_or_default()
}
