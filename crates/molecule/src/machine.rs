//! The programs of a molecule: machine steps, and the gates and criteria that run a program.
//!
//! All these programs are steps of one runbook derived from the formula, which needs trust like any
//! other. Trust is bound to the digest of its commands and of the repository files named in them. If
//! somebody edits such a file, the user has to trust the molecule again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use windlass_base::{Digest, Ident};
use windlass_engine::{
    ErrorKind, Held, NoObserver, RunContext, RunOptions, Slots, StepError, Stop,
};
use windlass_formula::{AcceptanceCriterion, CompareOp, CookedFormula, GateKind, LookAt};
use windlass_ledger::{
    ClaimedStep, Molecule, RunInput, StepProof, VERIFY, criteria_of, is_of_formulas, run_input_of,
};
use windlass_notebook::RunbookFile;
use windlass_plan::{Plan, PlanParts, PlannedStep, Scope, StepView, resolve_references};
use windlass_runs::{RunService, TrustService};
use windlass_site::{Error, Site};

/// Step kind that starts a program.
const COMMAND: &str = "command";
/// Maximum size of a step's input after references are resolved, in bytes.
const MAX_INPUT: usize = 8 << 20;

/// Returns the name of the runbook step that runs gate number `gate` of `step`.
pub(crate) fn gate_step(step: &str, gate: usize) -> String {
    format!("{step}.gate-{gate}")
}

/// Returns the name of the runbook step that runs criterion number `criterion` of `step`.
pub(crate) fn criterion_step(step: &str, criterion: usize) -> String {
    format!("{step}.accept-{criterion}")
}

/// Returns the name of the runbook step that runs the check of `step`.
pub(crate) fn check_step(step: &str) -> String {
    format!("{step}.check")
}

/// Returns a runbook with the programs of a bead's criteria.
pub(crate) fn runbook_of_criteria(
    bead: &str,
    criteria: &[AcceptanceCriterion],
) -> Result<RunbookFile, Error> {
    let id = Ident::parse(VERIFY).map_err(Error::internal)?;
    let mut parts = PlanParts::new(id);
    add_programs(&mut parts, bead, criteria)?;
    runbook_file(&format!("bead:{bead}"), parts)
}

/// Output expected from a gate's program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Prints {
    /// Output of an open gate. If `None`, exit code 0 is enough.
    pub(crate) open: Option<&'static str>,
    /// Output of a gate that will never open.
    pub(crate) never: Option<&'static str>,
}

/// Returns a gate's program and its expected output, or `None` if the gate runs no program.
pub(crate) fn gate_program(kind: &GateKind) -> Option<(Vec<String>, Prints)> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let success = Prints {
        open: Some("success"),
        never: None,
    };
    Some(match kind {
        GateKind::Command { command } => (command.clone(), Prints::default()),
        GateKind::GithubRun { await_id } => {
            let id = await_id.as_deref().unwrap_or_default();
            let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
            let mut argv = words(match is_number {
                true => "gh run view",
                false => "gh run list --limit 1",
            });
            if is_number {
                argv.push(id.to_owned());
                argv.extend(words("--json conclusion --jq .conclusion"));
            } else {
                if !id.is_empty() {
                    argv.extend(["--workflow".to_owned(), id.to_owned()]);
                }
                argv.extend(words("--json conclusion --jq .[0].conclusion"));
            }
            (argv, success)
        }
        GateKind::GithubPr { await_id } => {
            let mut argv = words("gh pr view");
            argv.extend(await_id.clone());
            argv.extend(words("--json state --jq .state"));
            let prints = Prints {
                open: Some("MERGED"),
                never: Some("CLOSED"),
            };
            (argv, prints)
        }
        _ => return None,
    })
}

fn command(id: &str, argv: &[String]) -> Result<PlannedStep, Error> {
    let id = Ident::parse(id).map_err(Error::internal)?;
    let mut step = PlannedStep::new(id, COMMAND);
    step.with = json!({ "argv": argv });
    Ok(step)
}

/// Adds a runbook step for each program among the criteria of `name`.
fn add_programs(
    parts: &mut PlanParts,
    name: &str,
    criteria: &[AcceptanceCriterion],
) -> Result<(), Error> {
    for (at, criterion) in criteria.iter().enumerate() {
        if let AcceptanceCriterion::Command(argv) = criterion {
            parts.steps.push(command(&criterion_step(name, at), argv)?);
        }
    }
    Ok(())
}

/// Returns a runbook with all programs of a formula.
pub(crate) fn runbook_of(molecule: &str, cooked: &CookedFormula) -> Result<RunbookFile, Error> {
    let internal = |error: &dyn std::fmt::Display| Error::internal(error);
    let name = Ident::parse(&cooked.formula).or_else(|_| Ident::parse("formula"));
    let mut parts = PlanParts::new(name.map_err(|error| internal(&error))?);
    for step in &cooked.steps {
        if step.uses.as_deref() == Some(VERIFY) {
            add_programs(&mut parts, &step.id, &criteria_of(step))?;
        } else if let Some(uses) = step.uses.as_ref().filter(|uses| !is_of_formulas(uses)) {
            let id = Ident::parse(&step.id).map_err(|error| internal(&error))?;
            let mut planned = PlannedStep::new(id, uses);
            planned.with = step.with.clone().unwrap_or_default().into();
            parts.steps.push(planned);
        }
        for (at, gate) in step.gates.iter().enumerate() {
            if let Some((argv, _)) = gate_program(&gate.kind) {
                parts.steps.push(command(&gate_step(&step.id, at), &argv)?);
            }
        }
        add_programs(&mut parts, &step.id, &step.acceptance)?;
        if let Some(check) = &step.check {
            let argv = [format!("./{}", check.path.trim_start_matches("./"))];
            let mut planned = command(&check_step(&step.id), &argv)?;
            // The caller interprets the exit code, so none may fail the step.
            planned.with["ok_exit_codes"] = (0..=255).collect();
            parts.steps.push(planned);
        }
    }
    let mut made = runbook_file(&format!("mol:{molecule}"), parts)?;
    made.asks = asked_variables(cooked);
    made.asks.extend(asked_runs(cooked));
    if !made.asks.is_empty() {
        // Trust must also cover whatever enters the log without a program, namely environment
        // variables and packs of other repositories. So their texts are part of the digest.
        let digest = Digest::of_json(&("asks", &made.digest, &made.asks));
        made.digest = digest.map_err(|error| internal(&error))?;
    }
    Ok(made)
}

/// Returns the formula's conditions on environment variables, rendered from what we evaluate. We
/// don't use the display text, since it comes from the log and may differ.
pub(crate) fn asked_variables(cooked: &CookedFormula) -> Vec<String> {
    let conditions = cooked.steps.iter().flat_map(|step| {
        let gates = step.gates.iter().filter_map(|gate| match &gate.kind {
            GateKind::Condition { condition } => Some(condition),
            _ => None,
        });
        let run_if = step.run_if.iter().map(|one| &one.condition);
        run_if.chain(&step.must_hold).chain(gates)
    });
    let asks: BTreeSet<String> = conditions
        .filter_map(|one| match &one.looks_at {
            LookAt::Environment { name, op, value } => Some(asked_variable(name, *op, value)),
            _ => None,
        })
        .collect();
    asks.into_iter().collect()
}

/// Returns one line for each `run` step of a formula. Different steps have different lines.
fn asked_runs(cooked: &CookedFormula) -> Vec<String> {
    let inputs = cooked.steps.iter().filter_map(run_input_of);
    let lines: BTreeSet<String> = inputs
        .map(|input| {
            let RunInput {
                repository,
                runbook,
                inputs,
            } = input;
            let inputs = if inputs.is_empty() {
                String::new()
            } else {
                format!(" with {}", json!(inputs))
            };
            format!(
                "runs the runbook {} of the repository {}{inputs}",
                json!(runbook),
                json!(repository)
            )
        })
        .collect();
    lines.into_iter().collect()
}

/// Renders a condition on a variable. Two different conditions never have the same text, since the
/// text is part of a trust digest.
fn asked_variable(name: &str, op: CompareOp, value: &str) -> String {
    let is_plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let quoted = |text: &str| format!("'{}'", text.escape_debug());
    let name = match is_plain {
        true => name.to_owned(),
        false => quoted(name),
    };
    format!("env.{name} {} {}", op.as_str(), quoted(value))
}

fn runbook_file(name: &str, parts: PlanParts) -> Result<RunbookFile, Error> {
    let text: Vec<_> = parts
        .steps
        .iter()
        .map(|step| json!([step.id, step.uses, step.with]))
        .collect();
    let digest = Digest::of_json(&("molecule", text));
    let digest = digest.map_err(Error::internal)?;
    let plan = Plan::from_parts(parts).map_err(Error::document)?;
    Ok(RunbookFile::made(name, plan, digest))
}

/// The outputs of a molecule's completed steps, used to resolve references.
pub(crate) struct MolScope<'a>(pub(crate) &'a Molecule);

impl Scope for MolScope<'_> {
    fn input(&self, _: &str) -> Option<&Value> {
        None
    }

    fn step(&self, id: &str) -> Option<StepView<'_>> {
        let step = self.0.step(self.0.find(id)?)?;
        let status = step.shown();
        let is_done = status == windlass_plan::Status::Completed;
        Some(StepView {
            status: status.as_str(),
            output: Some(&step.output).filter(|_| is_done),
        })
    }
}

/// Runs a molecule's programs, if they're permitted to start.
pub(crate) struct Machine {
    runs: RunService,
    runbook: RunbookFile,
    allow: bool,
}

impl Machine {
    /// Returns a machine for `molecule`. With `allow`, the programs need no trust.
    pub(crate) fn new(
        runs: &RunService,
        molecule: &str,
        cooked: &CookedFormula,
        allow: bool,
    ) -> Result<Self, Error> {
        Self::of(runs, runbook_of(molecule, cooked)?, allow)
    }

    /// Returns a machine for the programs of a bead's criteria.
    pub(crate) fn for_bead(
        runs: &RunService,
        bead: &str,
        criteria: &[AcceptanceCriterion],
        allow: bool,
    ) -> Result<Self, Error> {
        Self::of(runs, runbook_of_criteria(bead, criteria)?, allow)
    }

    fn of(runs: &RunService, runbook: RunbookFile, allow: bool) -> Result<Self, Error> {
        // Building the registry reports all errors in the runbook before a step is claimed.
        runs.registry_for(&runbook, allow, BTreeMap::new())?;
        Ok(Self {
            runs: runs.clone(),
            runbook,
            allow,
        })
    }

    /// True if programs need no trust.
    pub(crate) fn allows_all(&self) -> bool {
        self.allow
    }

    /// Checks that the molecule may run runbooks of other repositories, whose packs enter the log.
    pub(crate) fn check_runs(&self, site: &Site) -> Result<(), StepError> {
        let is_trusted = || TrustService::new(site).is_runbook_trusted(&self.runbook);
        match self.allow || is_trusted().unwrap_or(false) {
            true => Ok(()),
            false => Err(StepError::new(ErrorKind::Refused, "not trusted")),
        }
    }

    /// Runs the step `id` and returns its output.
    pub(crate) async fn start(
        &self,
        scope: &dyn Scope,
        id: &str,
        timeout: Option<Duration>,
        stop: Stop,
    ) -> Result<Value, StepError> {
        self.start_with(scope, id, timeout, stop, BTreeMap::new())
            .await
    }

    /// Runs a claimed step. Its program receives the claim in environment variables, so that it can
    /// prove the claim to other commands.
    pub(crate) async fn start_claimed(
        &self,
        scope: &dyn Scope,
        claimed: &ClaimedStep,
        timeout: Option<Duration>,
        stop: Stop,
    ) -> Result<Value, StepError> {
        let given = [
            ("WINDLASS_MOLECULE", claimed.proof.mol.clone()),
            ("WINDLASS_STEP", claimed.proof.step.clone()),
            ("WINDLASS_ATTEMPT", claimed.attempt.to_string()),
            ("WINDLASS_TOKEN", claimed.proof.token.clone()),
            ("WINDLASS_FENCE", claimed.fence.to_string()),
            ("WINDLASS_IDEMPOTENCY_KEY", idempotency_key(claimed)),
        ];
        let given = given.map(|(name, value)| (name.to_owned(), OsString::from(value)));
        let id = &claimed.proof.step;
        self.start_with(scope, id, timeout, stop, given.into())
            .await
    }

    /// Runs a step with additional environment variables. Each run sees the files as they are when it starts.
    async fn start_with(
        &self,
        scope: &dyn Scope,
        id: &str,
        timeout: Option<Duration>,
        stop: Stop,
        given: BTreeMap<String, OsString>,
    ) -> Result<Value, StepError> {
        let registry = self
            .runs
            .registry_for(&self.runbook, self.allow, given)
            .map_err(|error| StepError::new(ErrorKind::Failed, error.to_string()))?;
        let wrong = |message: String| StepError::new(ErrorKind::Invalid, message);
        let planned = self
            .runbook
            .plan
            .find(id)
            .and_then(|at| self.runbook.plan.step(at));
        let planned = planned.ok_or_else(|| wrong(format!("there is no program `{id}`")))?;
        let mut step = planned.clone();
        step.with = resolve_references(&step.with, scope, MAX_INPUT)
            .map_err(|error| wrong(error.to_string()))?;
        step.needs.clear();
        step.timeout = timeout;
        let mut parts = PlanParts::new(self.runbook.plan.id().clone());
        parts.steps.push(step);
        let plan = Plan::from_parts(parts).map_err(|found| wrong(found.to_string()))?;
        let context = RunContext {
            observer: Arc::new(NoObserver),
            stop,
            slots: Slots::new(NonZeroUsize::MIN),
            held: Held::default(),
            depth: 0,
            prefix: String::new(),
            earlier: None,
        };
        let options = RunOptions::with_jobs(NonZeroUsize::MIN);
        let inputs = BTreeMap::new();
        let mut result = windlass_engine::run(&plan, &inputs, &registry, &options, context).await;
        let Some(result) = result.steps.pop() else {
            return Err(StepError::new(ErrorKind::Internal, "no step was run"));
        };
        match (result.output, result.error) {
            (Some(output), None) => Ok(Value::clone(&output)),
            (_, Some(error)) => Err(error),
            (None, None) => Err(StepError::new(
                ErrorKind::Cancelled,
                result.reason.unwrap_or_else(|| "it was stopped".to_owned()),
            )),
        }
    }
}

/// Returns the same key for every attempt at the same work. A push-back makes new work.
fn idempotency_key(claimed: &ClaimedStep) -> String {
    let StepProof { mol, step, .. } = &claimed.proof;
    format!("{mol}/{step}/{}", claimed.generation)
}

/// Returns the step's output from before it failed.
pub(crate) fn partial_output(error: &StepError) -> Value {
    match error.seen.as_slice() {
        [] => Value::Null,
        [one] => one.clone(),
        several => several.to_vec().into(),
    }
}

#[cfg(test)]
mod tests {
    use windlass_formula::{CookOptions, FormulaLookup, FormulaRef, FormulaText, cook_formula};

    use super::*;

    /// Returns a formula with one step, whose conditions all have a misleading display text about
    /// `CI`.
    fn formula(conditions: &[(&str, CompareOp, &str)]) -> CookedFormula {
        let conditions = conditions.iter().map(|(name, op, value)| {
            let looks_at = json!({ "what": "environment", "name": name, "op": op, "value": value });
            let condition = json!({ "text": "env.CI == 'true'", "looks_at": looks_at });
            json!({ "holds": true, "condition": condition })
        });
        let conditions: Vec<Value> = conditions.collect();
        let text = FormulaText {
            file: "x.formula.toml".to_owned(),
            bytes: b"formula = 'x'\n[[steps]]\nid = 'a'\ntitle = 'A'\n".to_vec(),
        };
        let reference = FormulaRef::Text(text);
        let (mut cooked, _) =
            cook_formula(&NoFormulas, reference, &CookOptions::default()).unwrap();
        cooked.steps[0].run_if = serde_json::from_value(conditions.into()).unwrap();
        cooked
    }

    #[derive(Debug)]
    struct NoFormulas;

    impl FormulaLookup for NoFormulas {
        fn formula(&self, _: &str) -> Result<Option<FormulaText>, String> {
            Ok(None)
        }
    }

    #[test]
    fn asked_variables_as_evaluated() {
        use CompareOp::{Equal, Greater};
        let cooked = formula(&[
            ("CI", Equal, "true"),
            ("CI", Equal, "true"),
            ("KEY", Greater, "a"),
            ("KEY", Greater, "b"),
            ("KEY > 'a' or X", Equal, "it's"),
        ]);
        let asked = [
            r"env.'KEY > \'a\' or X' == 'it\'s'",
            "env.CI == 'true'",
            "env.KEY > 'a'",
            "env.KEY > 'b'",
        ];
        assert_eq!(asked_variables(&cooked), asked);
        let digest = |cooked: &CookedFormula| runbook_of("m", cooked).unwrap().digest;
        let other = formula(&[("CI", Equal, "true")]);
        assert_ne!(digest(&cooked), digest(&other));
    }
}
