//! Verification by the machine: `verify` steps, and the criteria of machine steps.

use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop};
use windlass_formula::CookedStep;
use windlass_ledger::event::{MolStepFailed, VerifyOutcome};
use windlass_ledger::{StepProof, criteria_of};

use super::drive_text::not_started;
use super::{Drive, DriveContext, Driver};
use crate::acceptance::CriteriaChecker;
use crate::machine::MolScope;
use crate::molecule_error::MoleculeError;
use crate::verification::{Target, check};
use windlass_site::Error;

/// Result of checking the output of a machine step.
pub(super) enum Accepted {
    Yes,
    No(String),
    /// A program of the criteria was not allowed to start, for the given reason.
    Refused(String),
}

impl Driver<'_> {
    /// Runs a `verify` step. The step is completed unless a criterion fails.
    pub(super) async fn drive_verification(
        &mut self,
        context: &DriveContext<'_>,
        asked: &CookedStep,
        proof: &StepProof,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let (molecule, world) = (context.molecule, self.molecules.session.world());
        let of = asked.with.as_ref().and_then(|with| with.get("step"));
        let named = of.and_then(Value::as_str);
        let target = context
            .cooked
            .steps
            .iter()
            .find(|step| named == Some(step.id.as_str()));
        let criteria = match target {
            Some(step) => step.acceptance.clone(),
            None => criteria_of(asked),
        };
        let name = target.map_or(asked.id.as_str(), |step| step.id.as_str());
        let verified = molecule.find(name).and_then(|at| molecule.step(at));
        let output = verified.map_or(&Value::Null, |step| &step.output);
        let site = self.molecules.service.site();
        let checker = CriteriaChecker::for_step(site, context.machine, molecule, name);
        let scope = MolScope(molecule);
        let reports = checker.judge(&criteria, &scope, output, stop).await;
        if reports.iter().any(|report| report.refused) {
            let error = StepError::new(ErrorKind::Refused, "not trusted");
            let why = not_started(molecule, &error);
            drive.refused = true;
            return self.put_back(proof, why, drive);
        }
        let target = Target::Step {
            mol: molecule.id.clone(),
            step: name.to_owned(),
            attempt: verified.map_or(0, |step| step.attempt),
        };
        let verification = self.molecules.verifier().record(&target, reports)?;
        if verification.verdict == VerifyOutcome::Fail {
            let failed = MolStepFailed {
                reason: verification.reasoning.clone(),
                output: verification.output(),
                ..MolStepFailed::default()
            };
            self.decide(|draft| draft.fail(proof, failed.clone(), &world))?;
            drive.did(&asked.id, format!("FAIL: {}", verification.reasoning));
        } else {
            self.decide(|draft| draft.complete(proof, verification.output(), Vec::new(), &world))?;
            drive.did(
                &asked.id,
                format!("{}: {}", verification.word(), verification.reasoning),
            );
        }
        Ok(true)
    }

    /// Evaluates the criteria and the check of a machine step.
    pub(super) async fn accepted(
        &mut self,
        context: &DriveContext<'_>,
        asked: &CookedStep,
        output: &Value,
        stop: &Stop,
    ) -> Result<Accepted, Error> {
        let DriveContext {
            machine, molecule, ..
        } = *context;
        if !asked.acceptance.is_empty() {
            let attempt = self.molecules.step(&molecule.id, &asked.id)?.attempt;
            let mut verifier = self.molecules.verifier();
            let judged = verifier.judge(machine, molecule, asked, output, attempt, stop);
            let (found, is_refused) = judged.await?;
            if found.verdict == VerifyOutcome::Fail {
                return Ok(Accepted::No(found.reasoning));
            }
            if is_refused {
                return Ok(Accepted::Refused(found.reasoning));
            }
        }
        if asked.check.is_none() {
            return Ok(Accepted::Yes);
        }
        match check(machine, molecule, asked, stop).await {
            Ok(None) => Ok(Accepted::Yes),
            Ok(Some(why)) => Ok(Accepted::No(why)),
            Err(error) => match error.get() {
                Some(MoleculeError::NotAccepted { why, refused, .. }) => Ok(match refused {
                    true => Accepted::Refused(why.clone()),
                    false => Accepted::No(why.clone()),
                }),
                _ => Err(error),
            },
        }
    }
}
