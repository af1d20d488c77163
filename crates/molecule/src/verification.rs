//! Evaluates acceptance criteria, stores the evidence and reaches a verdict.
//!
//! Evidence is a file in `.beads/evidence`, which people may want to read or commit. We write an
//! event before and after storing it, so that a crash in between leaves a trace: a verification
//! that has started, but has no verdict.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use windlass_engine::Stop;
use windlass_formula::{AcceptanceCriterion, CookedStep};
use windlass_ledger::event::{VerifyOutcome, VerifyStarted, VerifyVerdict};
use windlass_ledger::{LedgerError, Molecule, StepProof, VerifyGives};
use windlass_plan::Status;
use windlass_store::write_shared;

use crate::Molecules;
use crate::acceptance::{CriteriaChecker, CriterionReport, verdict};
use crate::bead_criteria::criteria_of_bead;
use crate::machine::{Machine, MolScope, check_step, load_named};
use crate::molecule_error::MoleculeError;
use crate::step_work::Completion;
use windlass_site::Error;

/// The exit code by which a check program says that it couldn't decide (`EX_TEMPFAIL` in
/// `sysexits.h`). Such an attempt doesn't count as failed.
const INCONCLUSIVE_EXIT: i64 = 75;

#[derive(Debug, Clone)]
pub(crate) enum Target {
    Bead(String),
    Step {
        mol: String,
        step: String,
        attempt: u32,
    },
}

/// Result of a verification, as stored in `evidence/*.json`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Version of the format: 1.
    pub schema_version: u64,
    /// The verified bead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// The verified step's molecule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mol_id: Option<String>,
    /// The verified step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The verified attempt at the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The actor that ran the verification.
    pub verified_by: String,
    /// The verdict reached.
    pub verdict: VerifyOutcome,
    /// Reason for the verdict.
    pub reasoning: String,
    /// Results of the criteria.
    pub criteria: Vec<CriterionReport>,
    /// Path of this file, relative to the folder containing `.beads`.
    pub evidence: String,
}

impl Verification {
    /// Returns the verdict as it's written in files.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.verdict.as_str()
    }

    pub(crate) fn started(&self) -> VerifyStarted {
        VerifyStarted {
            bead_id: self.bead_id.clone(),
            mol_id: self.mol_id.clone(),
            step_id: self.step_id.clone(),
        }
    }

    pub(crate) fn given(&self) -> VerifyVerdict {
        VerifyVerdict {
            bead_id: self.bead_id.clone(),
            mol_id: self.mol_id.clone(),
            step_id: self.step_id.clone(),
            verdict: self.verdict,
            criteria_passed: self.count(true),
            criteria_failed: self.count(false),
            reasoning: self.reasoning.clone(),
            evidence: Some(self.evidence.clone()),
        }
    }

    fn count(&self, passed: bool) -> u32 {
        let wanted = self
            .criteria
            .iter()
            .filter(|report| report.passed == Some(passed));
        u32::try_from(wanted.count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn output(&self) -> Value {
        json!(VerifyGives {
            verdict: self.verdict,
            criteria_passed: self.count(true),
            criteria_failed: self.count(false),
            reasoning: self.reasoning.clone(),
            evidence: self.evidence.clone(),
        })
    }
}

fn reasoning(reports: &[CriterionReport]) -> String {
    let of = |wanted: Option<bool>| {
        let reports = reports.iter().filter(move |report| report.passed == wanted);
        reports
            .map(|report| report.found.as_str())
            .collect::<Vec<_>>()
    };
    // Only mention what decided the verdict. If something failed, criteria that couldn't be
    // evaluated don't matter.
    let (failed, open) = (of(Some(false)), of(None));
    if !failed.is_empty() {
        failed.join("; ")
    } else if reports.is_empty() {
        "no acceptance criteria".to_owned()
    } else if !open.is_empty() {
        open.join("; ")
    } else {
        "all criteria hold".to_owned()
    }
}

impl Molecules<'_> {
    /// Borrows the molecules to verify their steps.
    #[must_use]
    pub fn verifier(&mut self) -> Verifier<'_> {
        Verifier {
            molecules: self.reborrowed(),
        }
    }
}

/// Verifies steps and beads against their acceptance criteria.
#[derive(Debug)]
pub struct Verifier<'a> {
    pub(crate) molecules: Molecules<'a>,
}

impl Verifier<'_> {
    /// Stores the results as evidence, with an event before and after that.
    pub(crate) fn record(
        &mut self,
        target: &Target,
        criteria: Vec<CriterionReport>,
    ) -> Result<Verification, Error> {
        let found = self.conclude(target, criteria)?;
        let session = &mut *self.molecules.session;
        let started = session.decide(|draft| draft.emit(found.started()))?;
        self.store(&found)?;
        let session = &mut *self.molecules.session;
        session.decide_redacted(|draft| draft.emit_caused_by(found.given(), Some(&started)))?;
        Ok(found)
    }

    /// Reaches a verdict without writing anything. A drive uses this, since it writes the events in
    /// its own way (with retries during an outage).
    pub(crate) fn conclude(
        &self,
        target: &Target,
        criteria: Vec<CriterionReport>,
    ) -> Result<Verification, Error> {
        let (bead_id, mol_id, step_id, attempt, name) = match target.clone() {
            Target::Bead(bead) => (Some(bead.clone()), None, None, None, bead),
            Target::Step { mol, step, attempt } => {
                let name = format!("{mol}-{step}-{attempt}");
                (None, Some(mol), Some(step), Some(attempt), name)
            }
        };
        Ok(Verification {
            schema_version: 1,
            bead_id,
            mol_id,
            step_id,
            attempt,
            verified_by: self.molecules.session.actor()?.to_owned(),
            verdict: verdict(&criteria),
            reasoning: reasoning(&criteria),
            evidence: self.new_evidence(&file_name(&name)),
            criteria,
        })
    }

    /// Stores the evidence. The caller must have written the event [`Verification::started`]
    /// before, since that also checks that the evidence folder isn't a symbolic link.
    pub(crate) fn store(&self, verification: &Verification) -> Result<(), Error> {
        let text = windlass_packs::redacted_json(verification).map_err(Error::internal)?;
        let value: Value = serde_json::from_str(&text).map_err(Error::internal)?;
        let mut text = serde_json::to_vec_pretty(&value).map_err(Error::internal)?;
        text.push(b'\n');
        let places = self.molecules.session.places();
        write_shared(&places.in_root(&verification.evidence), &text)?;
        Ok(())
    }

    /// Finds an unused path for the evidence. We never overwrite existing evidence, since events
    /// refer to it.
    fn new_evidence(&self, name: &str) -> String {
        let places = self.molecules.session.places();
        let numbered = (2..).map(|number| format!(".beads/evidence/{name}.{number}.json"));
        let mut names = std::iter::once(format!(".beads/evidence/{name}.json")).chain(numbered);
        let is_free = |file: &String| !places.in_root(file).is_there();
        names.find(is_free).unwrap_or_default()
    }

    /// Verifies a step against its `acceptance` criteria. With `allow`, programs don't need trust.
    ///
    /// # Errors
    /// Returns an error if the step doesn't exist or the evidence can't be written.
    pub async fn step(
        &mut self,
        mol: &str,
        step: &str,
        allow: bool,
        stop: &Stop,
    ) -> Result<Verification, Error> {
        let mut molecule = self.molecules.get(Some(mol), None)?;
        let found = molecule
            .find(step)
            .ok_or_else(|| LedgerError::no_step(&molecule, step))?;
        let cooked = self.molecules.formula_of(mol)?;
        let asked = cooked.steps.get(found.index());
        let asked = asked.ok_or_else(|| LedgerError::no_step(&molecule, step))?;
        load_named(&mut molecule, asked, &self.molecules.session.world())?;
        let found = &molecule.steps[found.index()];
        let machine = Machine::new(self.molecules.service.runs(), mol, &cooked, allow)?;
        let output = found.output.value().unwrap_or(&Value::Null);
        let attempt = found.attempt;
        let judged = self.judge(&machine, &molecule, asked, output, attempt, stop);
        Ok(judged.await?.0)
    }

    /// Verifies an attempt at a step, and stores the evidence. The flag is true if a program wasn't
    /// allowed to start.
    pub(crate) async fn judge(
        &mut self,
        machine: &Machine,
        molecule: &Molecule,
        asked: &CookedStep,
        output: &Value,
        attempt: u32,
        stop: &Stop,
    ) -> Result<(Verification, bool), Error> {
        let checker =
            CriteriaChecker::for_step(self.molecules.service.site(), machine, molecule, &asked.id);
        let scope = MolScope(molecule);
        let reports = checker.judge(&asked.acceptance, &scope, output, stop).await;
        let refused = reports.iter().any(|report| report.refused);
        let target = Target::Step {
            mol: molecule.id.clone(),
            step: asked.id.clone(),
            attempt,
        };
        Ok((self.record(&target, reports)?, refused))
    }

    /// Verifies the work on a bead against `criteria`, or against the bead's own criteria if there
    /// are none.
    ///
    /// # Errors
    /// Returns an error if the bead doesn't exist or the evidence can't be written.
    pub async fn bead(
        &mut self,
        bead: &str,
        criteria: &[AcceptanceCriterion],
        allow: bool,
        stop: &Stop,
    ) -> Result<Verification, Error> {
        let own = criteria_of_bead(&self.molecules.session.beads().get(bead, None)?.bead)?;
        let (criteria, is_own) = match criteria {
            [] => (own.as_slice(), true),
            given => (given, given == own),
        };
        let machine = Machine::for_bead(self.molecules.service.runs(), bead, criteria, allow)?;
        let trust = match is_own {
            true => format!("`windlass trust bead:{bead}`, or `--allow-commands`"),
            // `windlass trust` only covers the bead's own criteria.
            false => "allow it with `--allow-commands`".to_owned(),
        };
        let checker = CriteriaChecker {
            site: self.molecules.service.site(),
            machine: &machine,
            name: bead,
            trust,
        };
        let nothing: BTreeMap<String, Value> = BTreeMap::new();
        let reports = checker.judge(criteria, &nothing, &Value::Null, stop).await;
        self.record(&Target::Bead(bead.to_owned()), reports)
    }

    /// Returns true if the step declares acceptance criteria or a check program.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist or was burned.
    pub fn is_checked(&self, proof: &StepProof) -> Result<bool, Error> {
        let id = self.molecules.id(Some(&proof.mol))?;
        let cooked = self.molecules.formula_of(&id)?;
        let mut steps = cooked.steps.iter();
        let step = steps.find(|step| step.id == proof.step);
        Ok(step.is_some_and(|step| step.check.is_some() || !step.acceptance.is_empty()))
    }

    /// Like [`crate::StepWork::complete`], but evaluates the step's criteria and its check first.
    ///
    /// The two differ in what happens to the claim. If a criterion doesn't hold, the agent can go
    /// on working and try again; a failed check, on the other hand, fails the attempt.
    ///
    /// # Errors
    /// Returns [`MoleculeError::NotAccepted`] if a criterion doesn't hold, the check is
    /// inconclusive, or a program may not start. In all these cases, the claim is still valid.
    pub async fn complete(
        &mut self,
        proof: &StepProof,
        output: Value,
        claim_next: bool,
        allow: bool,
        stop: &Stop,
    ) -> Result<Completion, Error> {
        let mut molecule = self.molecules.get(Some(&proof.mol), None)?;
        let at = molecule
            .find(&proof.step)
            .ok_or_else(|| LedgerError::no_step(&molecule, &proof.step))?;
        let step = &molecule.steps[at.index()];
        // Without a valid claim, no program may start. We don't report that here, since completing
        // the step below fails with the right error.
        let is_held = step.shown() == Status::InProgress
            && step.token.as_deref() == Some(proof.token.as_str());
        let cooked = self.molecules.formula_of(&proof.mol)?;
        if let Some(asked) = cooked.steps.get(at.index()).filter(|_| is_held) {
            load_named(&mut molecule, asked, &self.molecules.session.world())?;
            let machine = Machine::new(self.molecules.service.runs(), &proof.mol, &cooked, allow)?;
            if !asked.acceptance.is_empty() {
                let attempt = molecule.steps[at.index()].attempt;
                let judged = self.judge(&machine, &molecule, asked, &output, attempt, stop);
                let (found, refused) = judged.await?;
                let has_failed = found.verdict == VerifyOutcome::Fail;
                if refused || has_failed {
                    return Err(MoleculeError::NotAccepted {
                        step: proof.step.clone(),
                        why: found.reasoning,
                        refused: !has_failed,
                    }
                    .into());
                }
            }
            if asked.check.is_some()
                && let Some(why) = check(&machine, &molecule, asked, stop).await?
            {
                let failed = self.molecules.steps().fail(proof, &why, false, output)?;
                return Ok(Completion {
                    mol_id: failed.mol_id,
                    step_id: failed.step_id,
                    reason: Some(why),
                    ..Completion::default()
                });
            }
        }
        self.molecules.steps().complete(proof, &output, claim_next)
    }
}

/// Runs the step's check program. Returns the reason if the check fails, and an error if it doesn't
/// reach a conclusion.
pub(crate) async fn check(
    machine: &Machine,
    molecule: &Molecule,
    asked: &CookedStep,
    stop: &Stop,
) -> Result<Option<String>, Error> {
    let timeout = asked
        .check
        .as_ref()
        .and_then(|check| check.timeout.as_ref());
    let timeout = timeout.and_then(|text| text.parse().ok());
    let not_accepted = |why: String, refused| -> Error {
        MoleculeError::NotAccepted {
            step: asked.id.clone(),
            why,
            refused,
        }
        .into()
    };
    let scope = MolScope(molecule);
    match machine
        .start(&scope, &check_step(&asked.id), timeout, stop.clone())
        .await
    {
        Ok(output) => match output["exit_code"].as_i64() {
            Some(0) => Ok(None),
            Some(INCONCLUSIVE_EXIT) => {
                let why = "its check was inconclusive; try again".to_owned();
                Err(not_accepted(why, false))
            }
            code => Ok(Some(format!("its check ended with {}", code.unwrap_or(-1)))),
        },
        Err(error) => {
            let refused = error.kind == windlass_engine::ErrorKind::Refused;
            Err(not_accepted(error.to_string(), refused))
        }
    }
}

fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    plain.collect()
}
