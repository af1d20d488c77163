//! Verification: criteria looked at, what was found kept as evidence, and a verdict.

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
use crate::acceptance::{Bench, CriterionReport, verdict};
use crate::bead_criteria::criteria_of_bead;
use crate::machine::{Machine, MolScope, check_step};
use crate::molecule_error::MoleculeError;
use crate::step_work::Completion;
use windlass_site::Error;

/// What a check ends with when nothing was found out.
const NOTHING_FOUND_OUT: i64 = 75;

/// What is verified.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Bead(String),
    Step {
        mol: String,
        step: String,
        attempt: u32,
    },
}

/// What was found when something was verified, as it stands in `evidence/*.json`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// The version of this form: 1.
    pub schema_version: u64,
    /// The bead whose work was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<String>,
    /// The molecule whose work was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mol_id: Option<String>,
    /// The step of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// Which attempt at the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Who looked.
    pub verified_by: String,
    /// What came of it.
    pub verdict: VerifyOutcome,
    /// Why.
    pub reasoning: String,
    /// Each criterion, and what was found.
    pub criteria: Vec<CriterionReport>,
    /// Where this stands, from the folder that `.beads` lies in.
    pub evidence: String,
}

impl Verification {
    /// The verdict as it is written.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.verdict.as_str()
    }

    fn count(&self, passed: bool) -> u32 {
        let wanted = self
            .criteria
            .iter()
            .filter(|report| report.passed == Some(passed));
        u32::try_from(wanted.count()).unwrap_or(u32::MAX)
    }

    /// What a step that verifies gives.
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
    let (failed, open) = (of(Some(false)), of(None));
    if !failed.is_empty() {
        failed.join("; ")
    } else if reports.is_empty() {
        "nothing says when it is done".to_owned()
    } else if !open.is_empty() {
        open.join("; ")
    } else {
        "all that was asked for holds".to_owned()
    }
}

impl Molecules<'_> {
    /// What looks whether work is done.
    #[must_use]
    pub fn verifier(&mut self) -> Verifier<'_> {
        Verifier {
            molecules: self.reborrowed(),
        }
    }
}

/// What looks whether work is done as it should be.
#[derive(Debug)]
pub struct Verifier<'a> {
    pub(crate) molecules: Molecules<'a>,
}

impl Verifier<'_> {
    /// Keeps what was found, and tells it by events.
    pub(crate) fn record(
        &mut self,
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
        let verification = Verification {
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
        };
        let text = windlass_packs::redacted_json(&verification);
        let text = text.map_err(Error::internal)?;
        let value: Value = serde_json::from_str(&text).map_err(Error::internal)?;
        let mut text = serde_json::to_vec_pretty(&value).map_err(Error::internal)?;
        text.push(b'\n');
        let told = &verification;
        // It also finds out whether a link stands where the evidence should.
        let started = self.molecules.session.decide(|draft| {
            draft.emit(VerifyStarted {
                bead_id: told.bead_id.clone(),
                mol_id: told.mol_id.clone(),
                step_id: told.step_id.clone(),
            })
        })?;
        let file = self.molecules.session.places().in_root(&told.evidence);
        write_shared(&file, &text)?;
        self.molecules.session.decide_redacted(|draft| {
            let verdict = VerifyVerdict {
                bead_id: told.bead_id.clone(),
                mol_id: told.mol_id.clone(),
                step_id: told.step_id.clone(),
                verdict: told.verdict,
                criteria_passed: told.count(true),
                criteria_failed: told.count(false),
                reasoning: told.reasoning.clone(),
                evidence: Some(told.evidence.clone()),
            };
            draft.emit_caused_by(verdict, Some(&started))
        })?;
        Ok(verification)
    }

    /// A file for what is found now: what was found before stays, since events name it.
    fn new_evidence(&self, name: &str) -> String {
        let places = self.molecules.session.places();
        let numbered = (2..).map(|number| format!(".beads/evidence/{name}.{number}.json"));
        let mut names = std::iter::once(format!(".beads/evidence/{name}.json")).chain(numbered);
        let is_free = |file: &String| !places.in_root(file).is_there();
        names.find(is_free).unwrap_or_default()
    }

    /// Looks whether a step of a molecule was done as its `acceptance` asks.
    ///
    /// # Errors
    /// When there is no such step, or what was found cannot be written.
    pub async fn step(
        &mut self,
        mol: &str,
        step: &str,
        allow: bool,
        stop: &Stop,
    ) -> Result<Verification, Error> {
        let molecule = self.molecules.get(Some(mol), None)?;
        let found = molecule
            .find(step)
            .ok_or_else(|| LedgerError::no_step(&molecule, step))?;
        let cooked = self.molecules.formula_of(mol)?;
        let (found, asked) = (
            &molecule.steps[found.index()],
            cooked.steps.get(found.index()),
        );
        let asked = asked.ok_or_else(|| LedgerError::no_step(&molecule, step))?;
        let machine = Machine::new(self.molecules.service.runs(), mol, &cooked, allow)?;
        let (output, attempt) = (&found.output, found.attempt);
        let judged = self.judge(&machine, &molecule, asked, output, attempt, stop);
        Ok(judged.await?.0)
    }

    /// Looks whether an attempt at a step gave what its `acceptance` asks for, and keeps what was found; and says whether a
    /// program was not allowed to start.
    pub(crate) async fn judge(
        &mut self,
        machine: &Machine,
        molecule: &Molecule,
        asked: &CookedStep,
        output: &Value,
        attempt: u32,
        stop: &Stop,
    ) -> Result<(Verification, bool), Error> {
        let bench = Bench::of(self.molecules.service.site(), machine, molecule, &asked.id);
        let scope = MolScope(molecule);
        let reports = bench.judge(&asked.acceptance, &scope, output, stop).await;
        let refused = reports.iter().any(|report| report.refused);
        let target = Target::Step {
            mol: molecule.id.clone(),
            step: asked.id.clone(),
            attempt,
        };
        Ok((self.record(&target, reports)?, refused))
    }

    /// Looks whether the work on a bead was done as `criteria` ask; as the bead itself does, if there are none.
    ///
    /// # Errors
    /// When there is no such bead, or what was found cannot be written.
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
            false => "`--allow-commands` lets it start".to_owned(),
        };
        let bench = Bench {
            site: self.molecules.service.site(),
            machine: &machine,
            name: bead,
            trust,
        };
        let nothing: BTreeMap<String, Value> = BTreeMap::new();
        let reports = bench.judge(criteria, &nothing, &Value::Null, stop).await;
        self.record(&Target::Bead(bead.to_owned()), reports)
    }

    /// Whether a step asks for something that a program can look at before it counts as done.
    ///
    /// # Errors
    /// When there is no such step.
    pub fn is_checked(&self, proof: &StepProof) -> Result<bool, Error> {
        let id = self.molecules.id(Some(&proof.mol))?;
        let cooked = self.molecules.formula_of(&id)?;
        let mut steps = cooked.steps.iter();
        let step = steps.find(|step| step.id == proof.step);
        Ok(step.is_some_and(|step| step.check.is_some() || !step.acceptance.is_empty()))
    }

    /// As [`crate::StepWork::complete`], for a step that is looked at first: what it asks for has to hold.
    ///
    /// # Errors
    /// [`MoleculeError::NotAccepted`] when something does not hold, or a program may not be started: the step is still one's
    /// own then.
    pub async fn complete(
        &mut self,
        proof: &StepProof,
        output: Value,
        claim_next: bool,
        allow: bool,
        stop: &Stop,
    ) -> Result<Completion, Error> {
        let molecule = self.molecules.get(Some(&proof.mol), None)?;
        let at = molecule
            .find(&proof.step)
            .ok_or_else(|| LedgerError::no_step(&molecule, &proof.step))?;
        let step = &molecule.steps[at.index()];
        // Whoever has no claim starts nothing; completing says why.
        let is_held = step.shown() == Status::InProgress
            && step.token.as_deref() == Some(proof.token.as_str());
        let cooked = self.molecules.formula_of(&proof.mol)?;
        if let Some(asked) = cooked.steps.get(at.index()).filter(|_| is_held) {
            let machine = Machine::new(self.molecules.service.runs(), &proof.mol, &cooked, allow)?;
            if !asked.acceptance.is_empty() {
                let attempt = step.attempt;
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
        self.molecules.steps().complete(proof, output, claim_next)
    }
}

/// Why the check of a step says that it is not done; nothing if it is.
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
            Some(NOTHING_FOUND_OUT) => {
                let why = "its check could not find out whether it is done; ask again".to_owned();
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

/// A name that is one of a file everywhere.
fn file_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    plain.collect()
}
