//! The `verify` step kind, which checks work against acceptance criteria.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_formula::{AcceptanceCriterion, CookedStep};
use windlass_plan::{Catalog, Effects, InputReading, KindSpec, LazySchema};

use super::run_kind::{self, RUN};
use crate::event::VerifyOutcome;

/// Value of `uses` in a formula.
pub const VERIFY: &str = "verify";

/// Input of a `verify` step.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct VerifyInput {
    /// The step whose `acceptance` criteria are checked, together with its output.
    step: Option<String>,
    /// Criteria to check if no step is named.
    criteria: Vec<AcceptanceCriterion>,
}

/// Output of a `verify` step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyGives {
    /// Verdict: `PASS`, or `NEEDS_HUMAN` if no program can decide. The step fails on `FAIL`.
    pub verdict: VerifyOutcome,
    /// Number of criteria that hold.
    pub criteria_passed: u32,
    /// Number of criteria that don't hold.
    pub criteria_failed: u32,
    /// Reasoning behind the verdict.
    pub reasoning: String,
    /// Path of the evidence file.
    pub evidence: String,
}

static KIND: LazyLock<KindSpec> = LazyLock::new(|| KindSpec {
    name: VERIFY.to_owned(),
    summary: "check that work meets its acceptance criteria".to_owned(),
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

/// Adds the step kinds that only formulas may use.
#[must_use]
pub fn for_formulas(mut catalog: Catalog) -> Catalog {
    catalog.insert_built_in(VERIFY, &KIND);
    catalog.insert_built_in(RUN, &run_kind::KIND);
    catalog
}

/// Returns the criteria in a `verify` step's own input. The list is empty if the input names a step
/// instead, or if it's invalid.
#[must_use]
pub fn criteria_of(step: &CookedStep) -> Vec<AcceptanceCriterion> {
    let with = step.with.clone().unwrap_or_default();
    let input: Result<VerifyInput, _> = serde_json::from_value(with.into());
    input.map(|input| input.criteria).unwrap_or_default()
}
