//! Applies molecule events.

use serde::Deserialize as _;
use serde_json::value::{RawValue, to_raw_value};
use windlass_formula::CookedFormula;

use super::step_fold::StepFold;
use super::{Applied, HookTable, Refusal, Table};
use crate::event::{EventLine, MolBurned, MolChanged, MolCompleted, MolCreated, MolSquashed};
use crate::hook::HookKind;
use crate::id;
use crate::log_clock::EventTime;
use crate::molecule::{Bond, Closing, MolPlan, MolState, Molecule, PutAway, USUAL_LEASE_MS};

pub(super) struct MolFold<'a> {
    pub(super) molecules: &'a mut Table<Molecule>,
    pub(super) plans: &'a mut Table<MolPlan>,
    pub(super) hooks: &'a mut HookTable,
    pub(super) event: &'a EventLine<'a>,
    pub(super) time: EventTime,
}

impl MolFold<'_> {
    pub(super) fn create(&mut self, data: MolCreated) -> Applied {
        if let Some(why) = id::bead_id_problem(&data.mol_id) {
            let reason = format!("id `{}` is invalid: {why}", data.mol_id);
            return Err(Refusal::new(reason));
        }
        if let Some(known) = self.molecules.get(&data.mol_id) {
            let reason = format!("there is a molecule `{}` already", data.mol_id);
            return Err(Refusal::new(reason).won_by(&known.made_by));
        }
        if data.state == MolState::Solid {
            return Err(Refusal::new("a solid molecule cannot be poured"));
        }
        let invalid = |error| Refusal::new(format!("invalid steps: {error}"));
        let cooked = CookedFormula::deserialize(&data.cooked).map_err(invalid)?;
        let plan = MolPlan {
            id: data.mol_id.clone(),
            cooked: to_raw_value(&data.cooked).map_err(invalid)?,
        };
        // A new molecule can't be part of a cycle, but this also checks that the others exist.
        for bond in &data.after {
            self.molecules.check_bond(&data.mol_id, &bond.mol_id)?;
        }
        let (at, time) = (self.event.timestamp.to_millis(), self.time);
        let bonds = data.after.into_iter();
        let head = Molecule {
            id: data.mol_id,
            title: data.title.unwrap_or_else(|| cooked.title.clone()),
            formula: data.formula,
            bead_id: data.bead_id,
            state: data.state,
            created_at: at,
            created_by: self.event.actor.to_string(),
            formula_digest: cooked.digest.to_string(),
            concurrency: data.concurrency.filter(|limit| *limit > 0),
            lease_ms: data.lease_ms.unwrap_or(USUAL_LEASE_MS),
            ttl_ms: data.ttl_ms.filter(|_| data.state == MolState::Vapor),
            squash: cooked.squash.clone(),
            // Only vapor molecules expire.
            from: data.from,
            bonds: bonds
                .map(|bond| Bond::open(bond.mol_id, bond.kind))
                .collect(),
            touched_at: at,
            made_by: self.event.event_id.to_string(),
            touched: time.moment(),
            changed: time.order,
            time,
            ..Molecule::default()
        };
        let molecule = Molecule::new(head, &cooked)?;
        self.molecules.insert(molecule, ());
        self.plans.insert(plan, ());
        Ok(())
    }

    /// Lets `work` change a molecule, unless the molecule is closed. In that case, we reject the
    /// event.
    pub(super) fn with_molecule(
        &mut self,
        id: &str,
        work: impl FnOnce(&mut Molecule) -> Applied,
    ) -> Applied {
        let time = self.time;
        let Some((molecule, ())) = self.molecules.get_mut(id) else {
            return Err(Refusal::new(format!("there is no molecule `{id}`")));
        };
        if let Some(closing) = &molecule.closing {
            let how = match closing.how {
                PutAway::Squashed => "squashed",
                PutAway::Burned => "burned",
            };
            let reason = format!("`{id}` was {how} by {} at {}", closing.actor, closing.at);
            return Err(Refusal::new(reason).won_by(&closing.by));
        }
        molecule.time = time;
        work(molecule)?;
        molecule.touch(time);
        // There's nothing left to work on, so take the molecule off all hooks.
        if molecule.outcome.is_some() {
            self.hooks.let_go(HookKind::Mol, id);
        }
        Ok(())
    }

    /// Lets `work` change a step, and records that the event gave the step its current status.
    pub(super) fn with_step(
        &mut self,
        mol: &str,
        step: &str,
        work: impl FnOnce(&mut StepFold<'_>) -> Applied,
    ) -> Applied {
        let event = self.event;
        self.with_molecule(mol, |molecule| {
            let mut step = StepFold::of(molecule, step, event)?;
            work(&mut step)?;
            step.step().by = event.event_id.clone().into_owned();
            Ok(())
        })
    }

    /// Lets `work` change the claim of a step. The step's status stays the same, so the event that
    /// made the claim remains the one behind it.
    pub(super) fn with_claim(
        &mut self,
        mol: &str,
        step: &str,
        token: &str,
        work: impl FnOnce(&mut StepFold<'_>),
    ) -> Applied {
        let event = self.event;
        self.with_molecule(mol, |molecule| {
            let mut step = StepFold::of(molecule, step, event)?;
            step.check_held(Some(token))?;
            work(&mut step);
            Ok(())
        })
    }

    pub(super) fn change(&mut self, data: &MolChanged) -> Applied {
        self.with_molecule(&data.mol_id, |molecule| {
            if let Some(limit) = data.concurrency {
                molecule.concurrency = Some(limit).filter(|limit| *limit > 0);
            }
            molecule.lease_ms = data.lease_ms.unwrap_or(molecule.lease_ms);
            Ok(())
        })
    }

    pub(super) fn complete(&mut self, data: MolCompleted) -> Applied {
        self.with_molecule(&data.mol_id, |molecule| {
            let open = molecule.steps.iter().find(|step| !step.has_ended());
            if molecule.outcome.is_none() {
                let step = open.map_or("", |step| step.id.as_str());
                let by = open.map(|step| step.by.clone()).unwrap_or_default();
                let reason = format!("`{}` is not done: step `{step}` is open", molecule.id);
                return Err(Refusal::new(reason).won_by(&by));
            }
            molecule.summary = Some(data.summary).filter(|summary| !summary.is_empty());
            Ok(())
        })
    }

    pub(super) fn squash(&mut self, data: MolSquashed) -> Applied {
        self.put_away(&data.mol_id, PutAway::Squashed, data.summary)
    }

    pub(super) fn burn(&mut self, data: MolBurned) -> Applied {
        self.put_away(&data.mol_id, PutAway::Burned, data.reason)?;
        // A burned molecule leaves only its own record, without the steps and the formula.
        if let Some((molecule, ())) = self.molecules.get_mut(&data.mol_id) {
            molecule.forget_steps();
        }
        let plan = MolPlan {
            id: data.mol_id,
            cooked: RawValue::NULL.to_owned(),
        };
        self.plans.insert(plan, ());
        Ok(())
    }

    fn put_away(&mut self, id: &str, how: PutAway, reason: String) -> Applied {
        let event = self.event;
        self.with_molecule(id, |molecule| {
            molecule.closing = Some(Closing {
                how,
                at: event.timestamp.to_millis(),
                actor: event.actor.to_string(),
                reason,
                by: event.event_id.to_string(),
            });
            Ok(())
        })?;
        self.hooks.let_go(HookKind::Mol, id);
        Ok(())
    }
}
