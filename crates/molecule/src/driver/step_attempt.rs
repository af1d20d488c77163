//! One attempt at a claimed machine step: its program, its criteria and its check.
//!
//! An attempt never writes to the ledger, so several of them can run at the same time. It returns
//! what it has found ([`Found`]), and the drive decides about the step's end.

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

/// A claimed step, and the context for its programs.
pub(super) struct StepAttempt {
    pub(super) site: Site,
    pub(super) machine: Arc<Machine>,
    /// The molecule as it was before the claim. The outputs that the step refers to are loaded.
    pub(super) molecule: Arc<Molecule>,
    pub(super) cooked: Arc<CookedFormula>,
    pub(super) at: usize,
    pub(super) claimed: ClaimedStep,
    pub(super) stop: Stop,
}

/// The result of an attempt, for the drive to record.
pub(super) enum Found {
    /// The results of the criteria, from a `verify` step.
    Verified(Target, Vec<CriterionReport>),
    /// The program's result and the results of the step's own criteria, from any other step.
    Ran {
        output: Result<Value, StepError>,
        reports: Option<Vec<CriterionReport>>,
        accepted: Accepted,
    },
}

pub(super) enum Accepted {
    Yes,
    /// The check or a criterion failed.
    No(String),
    /// A program was not allowed to start.
    Refused(String),
}

impl StepAttempt {
    /// Runs the step's program, then its criteria, and then its check. We stop at the first
    /// failure.
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
            // A criterion has failed or couldn't be evaluated. That decides about the step, so
            // don't run the check.
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

    /// Evaluates the criteria for a `verify` step. These are the ones of the step that it names, or
    /// else its own.
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
        let output = verified.and_then(|step| step.output.value());
        let output = output.unwrap_or(&Value::Null);
        let reports = self.judge(name, &criteria, output).await;
        let target = Target::Step {
            mol: self.molecule.id.clone(),
            step: name.to_owned(),
            attempt: verified.map_or(0, |step| step.attempt),
        };
        Found::Verified(target, reports)
    }

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

/// Awaits `running`, and requests a stop after `limit`. If the run ends because of our stop, it has
/// timed out; if it ends because of the caller's, it was cancelled.
async fn limited(
    limit: Duration,
    stop: &Stop,
    running: impl Future<Output = Result<Value, StepError>>,
) -> Result<Value, StepError> {
    tokio::pin!(running);
    tokio::select! {
        // If several of these are ready, a result wins over a stop, and a stop over the limit.
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

    /// The error kind of a run that only ends when stopped.
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
