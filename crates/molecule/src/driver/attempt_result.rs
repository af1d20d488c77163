//! Records an attempt's result in the ledger.
//!
//! The attempt ran without access to the ledger, so the claim may have ended in the meantime. We
//! never record a result for a claim that has ended, because another attempt may be running by now.

use windlass_engine::{ErrorKind, StepError};
use windlass_ledger::event::{MolStepFailed, VerifyOutcome};
use windlass_ledger::{Draft, LedgerError, StepProof};
use windlass_site::Error;

use super::drive_text::{failure_text, not_started};
use super::running_steps::HeldStep;
use super::step_attempt::{Accepted, Found};
use super::worker_stats::add;
use super::{Drive, Driver};
use crate::acceptance::CriterionReport;
use crate::fan_out::ChildMolecules;
use crate::machine::partial_output;
use crate::verification::{Target, Verification};

enum StepEnd {
    Complete(serde_json::Value),
    Fail(MolStepFailed),
    /// Gives the step back, so that another drive may run it. The flag is true if a program was not
    /// allowed to start.
    PutBack(String, bool),
}

impl Driver<'_> {
    /// Records an attempt's result, unless its claim has ended.
    pub(super) async fn finish(
        &mut self,
        held: &HeldStep,
        found: Found,
        drive: &mut Drive,
    ) -> Result<(), Error> {
        let proof = &held.claimed.proof;
        drive.running.remove(&proof.step);
        if held.is_lost {
            drive.did(&proof.step, "stopped: its claim ended while it ran");
            return Ok(());
        }
        let mut what = None;
        let end = match found {
            Found::Verified(target, reports) => {
                let verified = self.verified(proof, &target, reports);
                let (end, words) = verified.await?;
                what = words;
                end
            }
            Found::Ran {
                output,
                reports,
                accepted,
            } => {
                let ran = self.ran(held, output, reports, accepted);
                ran.await?
            }
        };
        let ended = self.end(proof, end, what, drive);
        match ended.await {
            // Another machine has ended our claim, and we only notice it now.
            Err(error) if error.is(|error| matches!(error, LedgerError::Rejected(_))) => {
                add(&self.options.stats.lost);
                drive.did(&proof.step, format!("not recorded: {error}"));
                Ok(())
            }
            done => done,
        }
    }

    /// Decides how a `verify` step ends, and what the report says about it. The step only fails if
    /// one of the criteria does; an undecided one doesn't count.
    async fn verified(
        &mut self,
        proof: &StepProof,
        target: &Target,
        reports: Vec<CriterionReport>,
    ) -> Result<(StepEnd, Option<String>), Error> {
        if reports.iter().any(|report| report.refused) {
            let error = StepError::new(ErrorKind::Refused, "not trusted");
            let end = StepEnd::PutBack(not_started(&proof.mol, &error), true);
            return Ok((end, None));
        }
        let recorded = self.record_verdict(target, reports);
        let verification = recorded.await?;
        let (word, why) = (verification.word(), &verification.reasoning);
        let what = format!("{word}: {why}");
        let output = verification.output();
        let end = match verification.verdict {
            VerifyOutcome::Fail => StepEnd::Fail(MolStepFailed {
                reason: verification.reasoning.clone(),
                output,
                ..MolStepFailed::default()
            }),
            _ => StepEnd::Complete(output),
        };
        Ok((end, Some(what)))
    }

    /// Like [`crate::verification::Verifier::record`], but uses [`Self::record`] so that it
    /// survives an outage.
    async fn record_verdict(
        &mut self,
        target: &Target,
        reports: Vec<CriterionReport>,
    ) -> Result<Verification, Error> {
        let found = self.molecules.verifier().conclude(target, reports)?;
        let work = |draft: &mut Draft<'_>| draft.emit(found.started());
        let started = self.record(work).await?;
        self.molecules.verifier().store(&found)?;
        let work = |draft: &mut Draft<'_>| draft.emit_caused_by(found.given(), Some(&started));
        self.record(work).await?;
        Ok(found)
    }

    async fn ran(
        &mut self,
        held: &HeldStep,
        output: Result<serde_json::Value, StepError>,
        reports: Option<Vec<CriterionReport>>,
        accepted: Accepted,
    ) -> Result<StepEnd, Error> {
        let proof = &held.claimed.proof;
        let output = match output {
            Ok(output) => output,
            // If the program wasn't allowed to start or was stopped by the user, that isn't the
            // step's fault and mustn't use up an attempt.
            Err(error) if matches!(error.kind, ErrorKind::Refused | ErrorKind::Cancelled) => {
                let is_refused = error.kind == ErrorKind::Refused;
                return Ok(StepEnd::PutBack(
                    not_started(&proof.mol, &error),
                    is_refused,
                ));
            }
            Err(error) => {
                return Ok(StepEnd::Fail(MolStepFailed {
                    reason: error.to_string(),
                    for_good: error.kind == ErrorKind::Invalid,
                    output: partial_output(&error),
                    ..MolStepFailed::default()
                }));
            }
        };
        let mut accepted = accepted;
        if let Some(reports) = reports {
            let is_refused = reports.iter().any(|report| report.refused);
            let target = Target::Step {
                mol: proof.mol.clone(),
                step: proof.step.clone(),
                attempt: held.claimed.attempt,
            };
            let recorded = self.record_verdict(&target, reports);
            let found = recorded.await?;
            if found.verdict == VerifyOutcome::Fail {
                accepted = Accepted::No(found.reasoning);
            } else if is_refused {
                accepted = Accepted::Refused(found.reasoning);
            }
        }
        Ok(match accepted {
            Accepted::Yes => StepEnd::Complete(output),
            Accepted::Refused(why) => StepEnd::PutBack(why, true),
            Accepted::No(reason) => StepEnd::Fail(MolStepFailed {
                reason,
                output,
                ..MolStepFailed::default()
            }),
        })
    }

    async fn end(
        &mut self,
        proof: &StepProof,
        end: StepEnd,
        what: Option<String>,
        drive: &mut Drive,
    ) -> Result<(), Error> {
        let stats = self.options.stats;
        let world = self.molecules.session.world();
        match end {
            StepEnd::Complete(output) => {
                let children =
                    ChildMolecules::of(&self.molecules, &proof.mol, &proof.step, &output)?;
                let work = |draft: &mut Draft<'_>| {
                    let children = children.with_ids(draft);
                    draft.complete(proof, output.clone(), children, &world)
                };
                let is_done = self.record(work).await?;
                add(if is_done {
                    &stats.completed
                } else {
                    &stats.failed
                });
                let usual = if is_done { "completed" } else { "failed" };
                drive.did(&proof.step, what.unwrap_or_else(|| usual.to_owned()));
            }
            StepEnd::Fail(failed) => {
                let work = |draft: &mut Draft<'_>| draft.fail(proof, failed.clone(), &world);
                let again = self.record(work).await?;
                add(&stats.failed);
                let usual = || failure_text(again, &failed.reason);
                drive.did(&proof.step, what.unwrap_or_else(usual));
            }
            // Don't claim this step again in the same drive, since the result would be the same.
            // Another drive may try.
            StepEnd::PutBack(why, is_refused) => {
                drive.refused |= is_refused;
                let work = |draft: &mut Draft<'_>| draft.release(proof, Some(&why));
                self.record(work).await?;
                add(&stats.released);
                drive.why.insert(proof.step.clone(), why);
            }
        }
        Ok(())
    }
}
