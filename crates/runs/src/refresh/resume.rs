//! Runs a part of a runbook, or resumes a recorded run.
//!
//! Take a plan in which `b` needs `a`, and `c` needs `b`. A run of only `b` has the steps `a` and
//! `b`. A run from `b` has all three, but `a` reuses its output of the newest run if it's still
//! valid. A resumed run reuses every output of that run that is still valid.

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

/// A request to resume a recorded run.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// The recorded runbook's name or file.
    pub runbook: String,
    /// The base folder for relative paths.
    pub start: PathBuf,
    /// The recorded inputs, overridden by the given ones.
    pub inputs: BTreeMap<String, Given>,
    /// The part of the runbook to run.
    pub part: Part,
}

/// Part of a runbook, with resolved step ids.
pub(crate) struct ResolvedPart {
    /// Requested steps and the steps they need, or `None` for all steps.
    pub(crate) only: Option<BTreeSet<StepIndex>>,
    /// A record with reusable outputs.
    pub(crate) earlier: Option<RunRecord>,
    /// Ids of the steps that run again in any case.
    pub(crate) rerun: BTreeSet<String>,
}

impl RunService {
    /// Returns the request that resumes the run `id`. The `given` inputs override those of the
    /// record. A run limited to some steps stays limited to them, unless `whole` is true.
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

/// Returns the next action after a stop: resuming the newest run.
#[must_use]
pub fn resume_call() -> NextAction {
    NextAction::new("runs resume", "run the steps that have no output yet").positional("last")
}

/// Determines which steps of `runbook` to run, and which recorded outputs they may reuse.
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
        // Don't run any steps beyond those requested in the recorded run, because they may start
        // programs.
        Part::Resume { run, only } => {
            if !only.is_empty() {
                resolved.only = Some(with_needs(plan, only)?);
            }
            resolved.earlier = Some(records.run_record(run)?);
        }
    }
    Ok(resolved)
}

/// Returns the steps with these ids and all steps they need.
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

/// Returns `from` and everything reachable from it through `next`.
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
