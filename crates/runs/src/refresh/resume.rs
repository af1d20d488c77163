//! Runs a part of a runbook, or resumes a recorded run.
//!
//! For example, take a plan in which `b` needs `a`, and `c` needs `b`. A run of only `b` consists
//! of the steps `a` and `b`. A run from `b` consists of all three steps, but `a` reuses its output
//! from the newest run if that is still valid. A resumed run reuses every output of the earlier run
//! that is still valid.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;
use windlass_base::{NextAction, did_you_mean};
use windlass_notebook::RunbookFile;
use windlass_plan::{Given, Plan, StepIndex};

use windlass_site::Error;

use crate::records::{RecordedRunbook, RunId, RunRecord, RunRecords};
use crate::refresh_request::Part;
use crate::run_error::RunError;
use crate::run_service::RunService;

/// Data needed to resume a recorded run.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// Name or file of the runbook as it was given to the recorded run.
    pub runbook: String,
    /// Base folder for relative paths.
    pub start: PathBuf,
    /// The recorded inputs, or the new ones where the user gave some.
    pub inputs: BTreeMap<String, Given>,
    /// Always a [`Part::Resume`], possibly limited to some steps.
    pub part: Part,
}

/// A [`Part`] of a runbook, with its steps looked up.
pub(crate) struct ResolvedPart {
    /// The requested steps and the steps that they need, or `None` for the whole runbook.
    pub(crate) only: Option<BTreeSet<StepIndex>>,
    /// The record whose outputs may be reused.
    pub(crate) earlier: Option<RunRecord>,
    /// Steps that run again even if their outputs are still valid.
    pub(crate) rerun: BTreeSet<String>,
}

impl RunService {
    /// Prepares a request to resume the run `id`.
    ///
    /// Inputs in `given` override the recorded ones. If the run was limited to some steps, it stays
    /// limited unless `whole` is set.
    ///
    /// # Errors
    /// Returns an error if the record cannot be read, or if a needed input was not recorded because
    /// its value contains a secret.
    pub fn resumption(
        &self,
        id: &RunId,
        given: BTreeMap<String, Given>,
        start: PathBuf,
        whole: bool,
    ) -> Result<Resumption, Error> {
        let head = self.records.run_record(id)?.head;
        let missing = head
            .withheld
            .iter()
            .filter(|name| !given.contains_key(*name));
        let missing: Vec<String> = missing.cloned().collect();
        if !missing.is_empty() {
            return Err(RunError::WithheldInputs(missing).into());
        }
        let recorded = head.inputs.into_iter().map(|(name, value)| {
            let given = match value {
                Value::String(text) => Given::Text(text),
                other => Given::Json(other),
            };
            (name, given)
        });
        let mut inputs: BTreeMap<String, Given> = recorded.collect();
        inputs.extend(given);
        let (runbook, start) = match head.runbook.call {
            Some(call) => (call, self.site.repo().root().to_owned()),
            None => (head.runbook.file, start),
        };
        let only = if whole { Vec::new() } else { head.only };
        let run = id.clone();
        Ok(Resumption {
            runbook,
            start,
            inputs,
            part: Part::Resume { run, only },
        })
    }
}

/// Suggests resuming the newest run, for packs of runs that the user has stopped.
#[must_use]
pub fn resume_call() -> NextAction {
    NextAction::new("runs resume", "run the steps that have no output yet").positional("last")
}

pub(super) fn resolve_part(
    records: &RunRecords,
    part: &Part,
    runbook: &RunbookFile,
) -> Result<ResolvedPart, Error> {
    let plan = &*runbook.plan;
    let mut resolved = ResolvedPart {
        only: None,
        earlier: None,
        rerun: BTreeSet::new(),
    };
    match part {
        Part::Whole => {}
        Part::Only(steps) => resolved.only = Some(with_needs(plan, steps)?),
        Part::From(step) => {
            let begin = find(plan, step)?;
            let rerun = reachable(vec![begin], |at| plan.dependents(at));
            let ids = rerun.into_iter().filter_map(|at| plan.step(at));
            resolved.rerun = ids.map(|step| step.id.to_string()).collect();
            resolved.earlier = Some(records.newest_of(&RecordedRunbook::of(runbook))?);
        }
        // If the recorded run was limited to some steps, the user didn't ask for the others, and
        // they may start programs. So don't run them now either.
        Part::Resume { run, only } => {
            if !only.is_empty() {
                resolved.only = Some(with_needs(plan, only)?);
            }
            resolved.earlier = Some(records.run_record(run)?);
        }
    }
    Ok(resolved)
}

fn with_needs(plan: &Plan, steps: &[String]) -> Result<BTreeSet<StepIndex>, Error> {
    let asked = steps.iter().map(|step| find(plan, step));
    let asked = asked.collect::<Result<Vec<_>, _>>()?;
    let needs = |at: StepIndex| plan.step(at).map_or(&[][..], |step| &step.needs);
    Ok(reachable(asked, |at| needs(at).to_vec()))
}

fn find(plan: &Plan, step: &str) -> Result<StepIndex, Error> {
    plan.find(step).ok_or_else(|| {
        let known = plan.steps().iter().map(|step| step.id.as_str());
        RunError::NoSuchStep {
            name: step.to_owned(),
            similar: did_you_mean(step, known.clone()).map(str::to_owned),
            known: known.map(str::to_owned).collect(),
        }
        .into()
    })
}

fn reachable(
    from: Vec<StepIndex>,
    next: impl Fn(StepIndex) -> Vec<StepIndex>,
) -> BTreeSet<StepIndex> {
    let (mut seen, mut open) = (BTreeSet::new(), from);
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            open.extend(next(at));
        }
    }
    seen
}
