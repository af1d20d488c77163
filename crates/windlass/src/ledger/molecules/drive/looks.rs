//! Whether what the machine did is as it should be.

use serde_json::Value;
use windlass_engine::{ErrorKind, StepError, Stop};
use windlass_formula::CookedStep;
use windlass_ledger::StepProof;
use windlass_ledger::event::{MolStepFailed, VerifyOutcome};

use super::super::super::secrets::REPLACED;
use super::super::accept::{Bench, verdict};
use super::super::machine::MolScope;
use super::super::verify::{Target, check, judge};
use super::super::verify_kind::criteria_of;
use super::words::not_started;
use super::{Drive, Wanted};
use crate::Error;
use crate::MoleculeError;
use crate::ledger::LedgerDesk;

/// Whether what a step gave is what it asks for.
pub(super) enum Accepted {
    Yes,
    No(String),
    /// Nobody allowed the programs that would say it.
    Refused(String),
}

impl LedgerDesk {
    /// Does a step that verifies: completed unless something does not hold.
    pub(super) async fn drive_verification(
        &mut self,
        wanted: &Wanted<'_>,
        asked: &CookedStep,
        proof: StepProof<'_>,
        drive: &mut Drive,
        stop: &Stop,
    ) -> Result<bool, Error> {
        let (molecule, world) = (wanted.molecule, self.world());
        let of = asked.with.as_ref().and_then(|with| with.get("step"));
        let named = of.and_then(Value::as_str);
        let target = wanted
            .cooked
            .steps
            .iter()
            .find(|step| named == Some(step.id.as_str()));
        let criteria = match target {
            Some(step) => step.acceptance.clone(),
            None => criteria_of(asked),
        };
        let name = target.map_or(asked.id.as_str(), |step| step.id.as_str());
        let output = molecule.find(name).and_then(|at| molecule.step(at));
        let output = output.map(|step| step.output.clone()).unwrap_or_default();
        let bench = Bench {
            workspace: wanted.workspace,
            machine: wanted.machine,
            name,
            trust: &format!(
                "`windlass trust mol:{}`, or `--allow-commands`",
                molecule.id
            ),
        };
        let reports = bench
            .judge(&criteria, &MolScope(molecule), &output, stop)
            .await;
        if reports.iter().any(|report| report.refused) {
            let error = StepError::new(ErrorKind::Refused, "not trusted");
            let why = not_started(molecule, &error);
            self.decide_with(REPLACED, |draft| draft.release(proof, Some(&why)))?;
            drive.refused = true;
            drive.why.insert(asked.id.clone(), why);
            return Ok(true);
        }
        let found = verdict(&reports);
        let target = Target::Step {
            mol: molecule.id.clone(),
            step: name.to_owned(),
            attempt: molecule
                .find(name)
                .and_then(|at| molecule.step(at))
                .map_or(0, |s| s.attempt),
        };
        let verification = self.record_verification(&target, reports)?;
        if found == VerifyOutcome::Fail {
            let failed = MolStepFailed {
                reason: verification.reasoning.clone(),
                output: verification.output(),
                ..MolStepFailed::default()
            };
            self.decide_with(REPLACED, |draft| draft.fail(proof, failed, &world))?;
            drive.did(&asked.id, format!("FAIL: {}", verification.reasoning));
        } else {
            self.decide_with(REPLACED, |draft| {
                draft.complete(proof, verification.output(), Vec::new(), &world)
            })?;
            drive.did(
                &asked.id,
                format!("{}: {}", verification.word(), verification.reasoning),
            );
        }
        Ok(true)
    }

    /// Whether what a step of the machine gave is what it asks for.
    pub(super) async fn accepted(
        &mut self,
        wanted: &Wanted<'_>,
        asked: &CookedStep,
        output: &Value,
        stop: &Stop,
    ) -> Result<Accepted, Error> {
        let Wanted {
            workspace,
            machine,
            molecule,
            ..
        } = *wanted;
        if !asked.acceptance.is_empty() {
            let reports = judge(workspace, machine, molecule, asked, output, stop).await;
            let is_refused = reports.iter().any(|report| report.refused);
            let attempt = self.mol_step(&molecule.id, &asked.id)?.attempt;
            let target = Target::Step {
                mol: molecule.id.clone(),
                step: asked.id.clone(),
                attempt,
            };
            let found = self.record_verification(&target, reports)?;
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
                None => Err(error),
            },
        }
    }
}
