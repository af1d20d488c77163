//! Records an attempt's result in the ledger.

use windlass_engine::{ErrorKind, StepError};
use windlass_ledger::event::{MolStepFailed, VerifyOutcome};
use windlass_ledger::{Draft, LedgerError, StepProof};
use windlass_site::Error;

use super::drive_text::{failure_text, not_started};
use super::running_steps::{HeldStep, RunningSteps};
use super::step_attempt::{Accepted, Found};
use super::worker_stats::add;
use super::{Drive, DriveOptions, Driver};
use crate::acceptance::CriterionReport;
use crate::fan_out::ChildMolecules;
use crate::machine::partial_output;
use crate::verification::{Target, Verification};

/// Ways for a claimed step to end.
enum StepEnd {
    Complete(serde_json::Value),
    Fail(MolStepFailed),
    /// Another drive may run the step. The flag is true if a program wasn't allowed to start.
    PutBack(String, bool),
}

impl Driver<'_> {
    /// Records an attempt's result. If its claim has ended, we drop the result, since the step
    /// belongs to another claim.
    pub(super) async fn finish(
        &mut self,
        held: &HeldStep,
        found: Found,
        drive: &mut Drive,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
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
                let verified = self.verified(proof, &target, reports, running, options);
                let (end, words) = verified.await?;
                what = words;
                end
            }
            Found::Ran {
                output,
                reports,
                accepted,
            } => {
                let ran = self.ran(held, output, reports, accepted, running, options);
                ran.await?
            }
        };
        let ended = self.end(proof, end, what, drive, running, options);
        match ended.await {
            Err(error) if error.is(|error| matches!(error, LedgerError::Rejected(_))) => {
                add(&options.stats.lost);
                drive.did(&proof.step, format!("not recorded: {error}"));
                Ok(())
            }
            done => done,
        }
    }

    /// Returns the end of a `verify` step, which is completed unless a criterion fails, and its words for the report.
    async fn verified(
        &mut self,
        proof: &StepProof,
        target: &Target,
        reports: Vec<CriterionReport>,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
    ) -> Result<(StepEnd, Option<String>), Error> {
        if reports.iter().any(|report| report.refused) {
            let error = StepError::new(ErrorKind::Refused, "not trusted");
            let end = StepEnd::PutBack(not_started(&proof.mol, &error), true);
            return Ok((end, None));
        }
        let recorded = self.record_verdict(target, reports, running, options);
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

    /// Records a verification like [`crate::verification::Verifier::record`], with each event as in [`Self::record`].
    async fn record_verdict(
        &mut self,
        target: &Target,
        reports: Vec<CriterionReport>,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
    ) -> Result<Verification, Error> {
        let found = self.molecules.verifier().conclude(target, reports)?;
        let work = |draft: &mut Draft<'_>| draft.emit(found.started());
        let started = self.record(running, options, work).await?;
        self.molecules.verifier().store(&found)?;
        let work = |draft: &mut Draft<'_>| draft.emit_caused_by(found.given(), Some(&started));
        self.record(running, options, work).await?;
        Ok(found)
    }

    /// Returns the end of a step that ran a program.
    async fn ran(
        &mut self,
        held: &HeldStep,
        output: Result<serde_json::Value, StepError>,
        reports: Option<Vec<CriterionReport>>,
        accepted: Accepted,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
    ) -> Result<StepEnd, Error> {
        let proof = &held.claimed.proof;
        let output = match output {
            Ok(output) => output,
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
            let recorded = self.record_verdict(&target, reports, running, options);
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

    /// Writes the end of a step. `what` replaces the report's usual wording.
    async fn end(
        &mut self,
        proof: &StepProof,
        end: StepEnd,
        what: Option<String>,
        drive: &mut Drive,
        running: &mut RunningSteps,
        options: DriveOptions<'_>,
    ) -> Result<(), Error> {
        let stats = options.stats;
        let world = self.molecules.session.world();
        match end {
            StepEnd::Complete(output) => {
                let children =
                    ChildMolecules::of(&self.molecules, &proof.mol, &proof.step, &output)?;
                let work = |draft: &mut Draft<'_>| {
                    let children = children.with_ids(draft);
                    draft.complete(proof, output.clone(), children, &world)
                };
                let is_done = self.record(running, options, work).await?;
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
                let again = self.record(running, options, work).await?;
                add(&stats.failed);
                let usual = || failure_text(again, &failed.reason);
                drive.did(&proof.step, what.unwrap_or_else(usual));
            }
            // This drive couldn't run the step, so it doesn't claim it again.
            StepEnd::PutBack(why, is_refused) => {
                drive.refused |= is_refused;
                let work = |draft: &mut Draft<'_>| draft.release(proof, Some(&why));
                self.record(running, options, work).await?;
                add(&stats.released);
                drive.why.insert(proof.step.clone(), why);
            }
        }
        Ok(())
    }
}
