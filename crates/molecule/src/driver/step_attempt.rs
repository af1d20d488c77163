//! One attempt at a claimed machine step, made up of its program, its criteria and its check. An
//! attempt writes nothing, so several can run at the same time.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop, StopLevel};
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
            Some(input) => self.run_elsewhere(&input, asked).await,
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

    async fn run_elsewhere(
        &self,
        input: &RunInput,
        asked: &CookedStep,
    ) -> Result<Value, StepError> {
        self.machine.check_runs(&self.site)?;
        let (allow, stop) = (self.machine.allows_all(), self.stop.clone());
        let running = run_elsewhere(&self.site, input, allow, stop);
        match timeout_of(asked) {
            Some(limit) => limited(limit, &self.stop, running).await,
            None => running.await,
        }
    }

    async fn output(&self, asked: &CookedStep) -> Result<Value, StepError> {
        let timeout = timeout_of(asked);
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

fn timeout_of(asked: &CookedStep) -> Option<Duration> {
    asked.timeout.as_ref().and_then(|text| text.parse().ok())
}

/// Awaits `running`, which ends soon after `stop`, and requests the stop after `limit`.
async fn limited(
    limit: Duration,
    stop: &Stop,
    running: impl Future<Output = Result<Value, StepError>>,
) -> Result<Value, StepError> {
    tokio::pin!(running);
    tokio::select! {
        // A result or a stop at the limit counts.
        biased;
        done = &mut running => return done,
        _ = stop.beyond(StopLevel::Drain) => return running.await,
        () = tokio::time::sleep(limit) => stop.request(StopLevel::Cancel),
    }
    match running.await {
        Err(error) if error.kind == ErrorKind::Cancelled => {
            let why = format!("took longer than its limit of {limit:?}");
            Err(StepError::new(ErrorKind::TimedOut, why))
        }
        done => done,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kind of the error of a run that ends only when it is stopped.
    fn ended(limit: Duration, is_stopped: bool) -> Option<ErrorKind> {
        let stop = Stop::default();
        if is_stopped {
            stop.request(StopLevel::Cancel);
        }
        let running = async {
            stop.beyond(StopLevel::Drain).await;
            tokio::task::yield_now().await;
            Err(StepError::new(ErrorKind::Cancelled, "it was stopped"))
        };
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().build().unwrap();
        let done = runtime.block_on(limited(limit, &stop, running));
        done.err().map(|error| error.kind)
    }

    #[test]
    fn run_beyond_its_limit_times_out() {
        assert_eq!(ended(Duration::ZERO, false), Some(ErrorKind::TimedOut));
    }

    #[test]
    fn run_stopped_at_its_limit_is_cancelled() {
        assert_eq!(ended(Duration::ZERO, true), Some(ErrorKind::Cancelled));
    }
}
