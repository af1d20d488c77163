//! Explains a runbook before it runs.

use std::collections::BTreeMap;

use serde::Serialize;
use windlass_notebook::RunbookFile;
use windlass_plan::{Catalog, Given, StepExplanation, bind_known_inputs, explain};
use windlass_repo::Snapshot;
use windlass_site::Error;

use crate::run_error::RunError;
use crate::run_service::RunService;

/// How a plan would run, see [`RunService::explain`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The explanations, in plan order.
    pub steps: Vec<StepExplanation>,
}

impl RunService {
    /// Explains how `runbook` would run with `inputs`: when each step runs, which files it reads,
    /// and if it may start programs. Nothing is run, so inputs may be missing.
    ///
    /// # Errors
    /// Returns an error if an input does not match its declaration, or if the trust list cannot be
    /// read.
    pub fn explain(
        &self,
        runbook: &RunbookFile,
        inputs: BTreeMap<String, Given>,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<Explanation, Error> {
        let plan = &runbook.plan;
        let inputs = bind_known_inputs(plan.inputs(), inputs).map_err(RunError::Inputs)?;
        let permission = self.trust().permission(runbook, snapshot, catalog, false)?;
        let mut steps = explain(plan, catalog, &inputs);
        if !permission.covers(runbook) {
            let runs = |step: &StepExplanation| {
                let kind = catalog.get(&step.uses);
                kind.is_some_and(|kind| kind.effects.runs_processes)
            };
            for step in steps.iter_mut().filter(|step| runs(step)) {
                step.refused = Some(format!(
                    "the runbook is not trusted to start programs: review them with `windlass trust {} --dry-run`",
                    runbook.call.as_deref().unwrap_or(&runbook.file)
                ));
            }
        }
        for step in &mut steps {
            let asks = catalog.get(&step.uses).map(|kind| &kind.asks);
            if asks.is_some_and(|asks| !asks.is_empty()) {
                let lacks = self.plugins().not_granted(&step.uses)?;
                step.refused = lacks.map(|lacks| format!("{}: {}", lacks.why(), lacks.help()));
            }
        }
        Ok(Explanation { steps })
    }
}
