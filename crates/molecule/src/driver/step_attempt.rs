//! One attempt at a claimed machine step, made up of its program, its criteria and its check. An
//! attempt writes nothing, so several can run at the same time.

use std::sync::Arc;

use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop};
use windlass_formula::{CookedFormula, CookedStep};
use windlass_ledger::event::VerifyOutcome;
use windlass_ledger::{ClaimedStep, Molecule, RunInput, VERIFY, criteria_of, run_input_of};
use windlass_site::Site;

use crate::acceptance::{CriteriaChecker, CriterionReport, verdict};
use crate::machine::{Machine, MolScope};
use crate::molecule_error::MoleculeError;
use crate::run_elsewhere::run_elsewhere;
use crate::verification::{Target, check};

/// A claimed step with everything its programs need.
pub(super) struct StepAttempt {
    pub(super) site: Site,
    pub(super) machine: Arc<Machine>,
    /// The molecule as it was before the claim.
    pub(super) molecule: Arc<Molecule>,
    pub(super) cooked: Arc<CookedFormula>,
    /// The step's index.
    pub(super) at: usize,
    pub(super) claimed: ClaimedStep,
    pub(super) stop: Stop,
}

/// Findings of an attempt.
pub(super) enum Found {
    /// Results of the criteria evaluated by a `verify` step.
    Verified(Target, Vec<CriterionReport>),
    /// The program's result, with the results of the step's own criteria.
    Ran {
        output: Result<Value, StepError>,
        reports: Option<Vec<CriterionReport>>,
        accepted: Accepted,
    },
}

/// Results of checking a machine step's output.
pub(super) enum Accepted {
    Yes,
    /// A criterion or the check doesn't hold, for the given reason.
    No(String),
    /// A program wasn't allowed to start, for the given reason.
    Refused(String),
}

impl StepAttempt {
    /// Runs the attempt's programs.
    pub(super) async fn run(self) -> Found {
        let Some(asked) = self.cooked.steps.get(self.at) else {
            let gone = StepError::new(ErrorKind::Internal, "the formula has no such step");
            return Found::ended(Err(gone));
        };
        if asked.uses.as_deref() == Some(VERIFY) {
            return self.verify(asked).await;
        }
        let output = match run_input_of(asked) {
            Some(input) => self.run_elsewhere(&input).await,
            None => self.output(asked).await,
        };
        let Ok(output) = output else {
            return Found::ended(output);
        };
        let reports = match asked.acceptance.is_empty() {
            true => None,
            false => Some(self.judge(&asked.id, &asked.acceptance, &output).await),
        };
        let is_undecided = |reports: &Vec<CriterionReport>| {
            verdict(reports) == VerifyOutcome::Fail || reports.iter().any(|one| one.refused)
        };
        let accepted = match &reports {
            // The criteria decide, so we don't need the check.
            Some(reports) if is_undecided(reports) => Accepted::Yes,
            _ => self.checked(asked).await,
        };
        Found::Ran {
            output: Ok(output),
            reports,
            accepted,
        }
    }

    async fn run_elsewhere(&self, input: &RunInput) -> Result<Value, StepError> {
        self.machine.check_runs(&self.site)?;
        let (allow, stop) = (self.machine.allows_all(), self.stop.clone());
        run_elsewhere(&self.site, input, allow, stop).await
    }

    async fn output(&self, asked: &CookedStep) -> Result<Value, StepError> {
        let timeout = asked.timeout.as_ref().and_then(|text| text.parse().ok());
        let scope = MolScope(&self.molecule);
        let stop = self.stop.clone();
        let running = (self.machine).start_claimed(&scope, &self.claimed, timeout, stop);
        running.await
    }

    async fn judge(
        &self,
        name: &str,
        criteria: &[windlass_formula::AcceptanceCriterion],
        output: &Value,
    ) -> Vec<CriterionReport> {
        let checker = CriteriaChecker::for_step(&self.site, &self.machine, &self.molecule, name);
        let scope = MolScope(&self.molecule);
        checker.judge(criteria, &scope, output, &self.stop).await
    }

    /// Evaluates the criteria named by a `verify` step, which are those of another step or its own.
    async fn verify(&self, asked: &CookedStep) -> Found {
        let of = asked.with.as_ref().and_then(|with| with.get("step"));
        let named = of.and_then(Value::as_str);
        let mut steps = self.cooked.steps.iter();
        let target = steps.find(|step| named == Some(step.id.as_str()));
        let criteria = match target {
            Some(step) => step.acceptance.clone(),
            None => criteria_of(asked),
        };
        let name = target.map_or(asked.id.as_str(), |step| step.id.as_str());
        let verified = self.molecule.find(name);
        let verified = verified.and_then(|at| self.molecule.step(at));
        let output = verified.map_or(&Value::Null, |step| &step.output);
        let reports = self.judge(name, &criteria, output).await;
        let target = Target::Step {
            mol: self.molecule.id.clone(),
            step: name.to_owned(),
            attempt: verified.map_or(0, |step| step.attempt),
        };
        Found::Verified(target, reports)
    }

    /// Runs the step's check, if it has one.
    async fn checked(&self, asked: &CookedStep) -> Accepted {
        if asked.check.is_none() {
            return Accepted::Yes;
        }
        match check(&self.machine, &self.molecule, asked, &self.stop).await {
            Ok(None) => Accepted::Yes,
            Ok(Some(why)) => Accepted::No(why),
            Err(error) => match error.get() {
                Some(MoleculeError::NotAccepted {
                    why, refused: true, ..
                }) => Accepted::Refused(why.clone()),
                Some(MoleculeError::NotAccepted { why, .. }) => Accepted::No(why.clone()),
                _ => Accepted::No(error.to_string()),
            },
        }
    }
}

impl Found {
    /// Returns the result of a program with unchecked output.
    pub(super) fn ended(output: Result<Value, StepError>) -> Self {
        Self::Ran {
            output,
            reports: None,
            accepted: Accepted::Yes,
        }
    }
}
