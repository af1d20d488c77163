//! The programs of a molecule: machine steps, and the programs of gates and criteria.
//!
//! All these programs are steps of one runbook, which we derive from the formula and which needs
//! trust like any other. The trust is bound to a digest of the commands and of the repository files
//! they name. So if such a file is edited, the user has to trust the molecule again.
//!
//! The runbook is never run as a whole. [`Machine`] picks a single step, resolves the references in
//! its input, and runs it as a plan of its own.

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
use windlass_formula::{
    AcceptanceCriterion, CompareOp, CookedFormula, CookedStep, GateKind, LookAt,
};
use windlass_ledger::{
    ClaimedStep, Molecule, RunInput, StepProof, VERIFY, World, criteria_of, is_of_formulas,
    run_input_of,
};
use windlass_notebook::RunbookFile;
use windlass_plan::{Plan, PlanParts, PlannedStep, Scope, StepView, resolve_references};
use windlass_runs::{RunService, TrustService};
use windlass_site::{Error, Site};

pub(crate) const COMMAND: &str = "command";
/// Maximum size of a step's input after references are resolved, in bytes.
const MAX_INPUT: usize = 8 << 20;

pub(crate) fn gate_step(step: &str, gate: usize) -> String {
    format!("{step}.gate-{gate}")
}

pub(crate) fn criterion_step(step: &str, criterion: usize) -> String {
    format!("{step}.accept-{criterion}")
}

pub(crate) fn check_step(step: &str) -> String {
    format!("{step}.check")
}

pub(crate) fn runbook_of_criteria(
    bead: &str,
    criteria: &[AcceptanceCriterion],
) -> Result<RunbookFile, Error> {
    let id = Ident::parse(VERIFY).map_err(Error::internal)?;
    let mut parts = PlanParts::new(id);
    add_programs(&mut parts, bead, criteria)?;
    runbook_file(&format!("bead:{bead}"), parts)
}

/// Meaning of the output of a gate's program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Prints {
    /// The output that opens the gate. With `None`, exit code 0 opens it.
    pub(crate) open: Option<&'static str>,
    /// The output that closes the gate for good.
    pub(crate) never: Option<&'static str>,
}

/// Returns the program of a gate, or `None` for a gate that opens without a program. Gates on
/// GitHub use the `gh` tool, so they need its login on this machine.
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
            // A number is the ID of a run, and anything else is the name of a workflow. Unless
            // there's an ID, the newest run counts.
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
            // The caller interprets the exit code, so none of them may fail the step.
            planned.with["ok_exit_codes"] = (0..=255).collect();
            parts.steps.push(planned);
        }
    }
    let mut made = runbook_file(&format!("mol:{molecule}"), parts)?;
    made.asks = asked_variables(cooked);
    made.asks.extend(asked_runs(cooked));
    if !made.asks.is_empty() {
        // Environment variables and packs of other repositories enter the log even though no
        // program of ours runs. The user should know about them before trusting the molecule, so
        // the digest includes their description.
        let digest = Digest::of_json(&("asks", &made.digest, &made.asks));
        made.digest = digest.map_err(|error| internal(&error))?;
    }
    Ok(made)
}

/// Describes the conditions on environment variables. We render them from what will be evaluated,
/// because their display text comes from the log and could be misleading.
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

/// Describes the `run` steps. The values are in JSON, so that no two different steps give the same
/// line.
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

/// Renders a condition on a variable. The text becomes part of a trust digest, so any two different
/// conditions must give different texts.
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

/// The outputs of a molecule's completed steps, which references are resolved against. A molecule
/// has no inputs at this point, since its variables have been substituted at pouring.
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
            output: step.output.value().filter(|_| is_done),
        })
    }
}

/// Loads the outputs that `asked` may refer to, including its own.
///
/// # Errors
/// Returns an error if an output cannot be loaded.
pub(crate) fn load_named(
    molecule: &mut Molecule,
    asked: &CookedStep,
    world: &dyn World,
) -> Result<(), Error> {
    // This also finds a step name inside a longer word. Loading one output too many does no harm.
    let text = serde_json::to_string(asked).map_err(Error::internal)?;
    Ok(molecule.load_outputs(world, |step| text.contains(&step.id))?)
}

pub(crate) struct Machine {
    runs: RunService,
    runbook: RunbookFile,
    allow: bool,
}

impl Machine {
    /// Creates the machine for a molecule. With `allow`, its programs do not need trust.
    pub(crate) fn new(
        runs: &RunService,
        molecule: &str,
        cooked: &CookedFormula,
        allow: bool,
    ) -> Result<Self, Error> {
        Self::of(runs, runbook_of(molecule, cooked)?, allow)
    }

    /// Like [`new`](Self::new), for the programs of a bead's criteria.
    pub(crate) fn for_bead(
        runs: &RunService,
        bead: &str,
        criteria: &[AcceptanceCriterion],
        allow: bool,
    ) -> Result<Self, Error> {
        Self::of(runs, runbook_of_criteria(bead, criteria)?, allow)
    }

    fn of(runs: &RunService, runbook: RunbookFile, allow: bool) -> Result<Self, Error> {
        // Building the registry finds all errors in the runbook. Do so now, before the caller
        // claims a step.
        runs.registry_for(&runbook, allow, BTreeMap::new())?;
        Ok(Self {
            runs: runs.clone(),
            runbook,
            allow,
        })
    }

    pub(crate) fn allows_all(&self) -> bool {
        self.allow
    }

    /// Checks that the user trusts the molecule to run runbooks of other repositories. The trust of
    /// those repositories is not enough, because their packs enter our log.
    pub(crate) fn check_runs(&self, site: &Site) -> Result<(), StepError> {
        let is_trusted = || TrustService::new(site).is_runbook_trusted(&self.runbook);
        match self.allow || is_trusted().unwrap_or(false) {
            true => Ok(()),
            false => Err(StepError::new(ErrorKind::Refused, "not trusted")),
        }
    }

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

    /// Runs a claimed step.
    ///
    /// The program gets the claim in environment variables, so that it can, for example, call
    /// `windlass mol complete` itself. Gates and criteria run without a claim.
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
        // The molecule decides when a step is ready. In this plan, the step is alone.
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

/// Returns the idempotency key of a claimed step.
///
/// A program can pass it on, e.g. to a payment service, so that a retry does not do the same work
/// twice. It is the same for all attempts, but changes if the work is pushed back, since the work
/// is then meant to be done again.
fn idempotency_key(claimed: &ClaimedStep) -> String {
    let StepProof { mol, step, .. } = &claimed.proof;
    format!("{mol}/{step}/{}", claimed.generation)
}

pub(crate) fn partial_output(error: &StepError) -> Value {
    match error.seen.as_slice() {
        [] => Value::Null,
        [one] => one.clone(),
        several => several.to_vec().into(),
    }
}

#[cfg(test)]
mod tests {
    use windlass_formula::{CookOptions, FormulaRef, FormulaText, NoFormulas, cook_formula};

    use super::*;

    /// A formula with one step. All of its conditions share the same misleading display text about
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
