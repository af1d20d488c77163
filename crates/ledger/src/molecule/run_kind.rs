//! The `run` step kind, which runs a runbook of another repository.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_formula::CookedStep;
use windlass_plan::{Effects, InputReading, KindSpec, LazySchema};

use super::VERIFY;

/// Value of `uses` in a formula.
pub const RUN: &str = "run";

/// Input of a `run` step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunInput {
    /// Folder of the repository, on the machine running the step. A relative path begins at the
    /// root of the ledger's repository.
    #[schemars(length(min = 1))]
    pub repository: String,
    /// The runbook's name in that repository.
    #[schemars(length(min = 1))]
    pub runbook: String,
    /// The runbook's inputs, as written on a command line.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
}

/// Output of a `run` step.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct RunGives {
    /// Outcome: `done`; `failed`, `stale` and `refused` fail the step.
    pub ending: String,
    /// The pack as Markdown, within the runbook's budget.
    pub markdown: String,
    /// The pack, within the runbook's budget.
    pub pack: Value,
}

pub(super) static KIND: LazyLock<KindSpec> = LazyLock::new(|| KindSpec {
    name: RUN.to_owned(),
    summary: "run a runbook of another repository and return its pack".to_owned(),
    input_schema: schemars::schema_for!(RunInput).to_value(),
    output_schema: LazySchema::new(windlass_base::printed_schema::<RunGives>),
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

/// True for the step kinds that only formulas have. The driver of molecules performs these.
#[must_use]
pub fn is_of_formulas(uses: &str) -> bool {
    [VERIFY, RUN].contains(&uses)
}

/// Parses a `run` step's input. Returns `None` for a step of another kind, or if the input is
/// invalid.
#[must_use]
pub fn run_input_of(step: &CookedStep) -> Option<RunInput> {
    (step.uses.as_deref() == Some(RUN)).then_some(())?;
    let with = step.with.clone().unwrap_or_default();
    serde_json::from_value(with.into()).ok()
}
