//! Events about molecules.

use serde::Deserialize as _;
use windlass_formula::CookedFormula;
use windlass_plan::StepIndex;

use super::apply_bond::open_bond;
use super::{Refusal, State};
use crate::event::{EventLine, MolBurned, MolChanged, MolCompleted, MolCreated, MolSquashed};
use crate::hook::HookKind;
use crate::id;
use crate::molecule::{Closing, MolPlan, MolState, Molecule, PutAway, USUAL_LEASE_MS};

type Applied = Result<(), Refusal>;

impl State {
    pub(super) fn create_molecule(&mut self, event: &EventLine<'_>, data: MolCreated) -> Applied {
        if let Some(why) = id::bead_id_problem(&data.mol_id) {
            let reason = format!("the id `{}` cannot be used: {why}", data.mol_id);
            return Err(Refusal::new(reason));
        }
        if let Some(known) = self.molecules.get(&data.mol_id) {
            let reason = format!("there is a molecule `{}` already", data.mol_id);
            return Err(Refusal::new(reason).won_by(&known.made_by));
        }
        if data.state == MolState::Solid {
            return Err(Refusal::new("a molecule that is solid is not poured yet"));
        }
        let cooked = CookedFormula::deserialize(&data.cooked)
            .map_err(|error| Refusal::new(format!("its steps cannot be read: {error}")))?;
        let at = event.timestamp.to_millis();
        let time = self.time(event);
        let mut head = Molecule::head(data.mol_id.clone(), at);
        (head.time, head.touched, head.changed) = (time, time.moment(), time.order);
        head.title = data.title.unwrap_or_else(|| cooked.title.clone());
        head.formula = data.formula;
        head.bead_id = data.bead_id;
        head.state = data.state;
        head.created_by = event.actor.to_string();
        head.formula_digest = cooked.digest.to_string();
        head.concurrency = data.concurrency.filter(|limit| *limit > 0);
        head.lease_ms = data.lease_ms.unwrap_or(USUAL_LEASE_MS);
        head.ttl_ms = data.ttl_ms.filter(|_| data.state == MolState::Vapor);
        head.squash.clone_from(&cooked.squash);
        head.from = data.from;
        head.made_by = event.event_id.to_string();
        for bond in &data.after {
            self.check_bond(&data.mol_id, &bond.mol_id)?;
        }
        let bonds = data.after.into_iter();
        head.bonds = bonds
            .map(|bond| open_bond(bond.mol_id, bond.kind))
            .collect();
        let molecule = Molecule::new(head, &cooked)?;
        let plan = MolPlan {
            id: data.mol_id,
            cooked: data.cooked,
        };
        self.molecules.insert(molecule, ());
        self.plans.insert(plan, ());
        Ok(())
    }

    /// Does something to a molecule that is not put away.
    pub(super) fn with_molecule(
        &mut self,
        event: &EventLine<'_>,
        id: &str,
        work: impl FnOnce(&mut Molecule) -> Applied,
    ) -> Applied {
        let time = self.time(event);
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
        let has_ended = molecule.outcome.is_some();
        if has_ended {
            self.take_molecule_off_hooks(id);
        }
        Ok(())
    }

    /// Does something to a step.
    pub(super) fn with_step(
        &mut self,
        event: &EventLine<'_>,
        mol: &str,
        step: &str,
        work: impl FnOnce(&mut Molecule, StepIndex) -> Applied,
    ) -> Applied {
        self.with_molecule(event, mol, |molecule| {
            let missing = || Refusal::new(format!("`{}` has no step `{step}`", molecule.id));
            let at = molecule.find(step).ok_or_else(missing)?;
            work(molecule, at)?;
            let by = event.event_id.clone().into_owned();
            if let Some(step) = molecule.steps.get_mut(at.index()) {
                step.by = by;
            }
            Ok(())
        })
    }

    pub(super) fn change_molecule(&mut self, event: &EventLine<'_>, data: &MolChanged) -> Applied {
        self.with_molecule(event, &data.mol_id, |molecule| {
            if let Some(limit) = data.concurrency {
                molecule.concurrency = Some(limit).filter(|limit| *limit > 0);
            }
            molecule.lease_ms = data.lease_ms.unwrap_or(molecule.lease_ms);
            Ok(())
        })
    }

    pub(super) fn complete_molecule(
        &mut self,
        event: &EventLine<'_>,
        data: MolCompleted,
    ) -> Applied {
        self.with_molecule(event, &data.mol_id, |molecule| {
            let open = molecule.steps.iter().find(|step| !step.has_ended());
            if molecule.outcome.is_none() {
                let step = open.map_or("", |step| step.id.as_str());
                let by = open.map(|step| step.by.clone()).unwrap_or_default();
                let reason = format!("`{}` is not done: `{step}` is not", molecule.id);
                return Err(Refusal::new(reason).won_by(&by));
            }
            molecule.summary = Some(data.summary).filter(|summary| !summary.is_empty());
            Ok(())
        })
    }

    pub(super) fn squash_molecule(&mut self, event: &EventLine<'_>, data: MolSquashed) -> Applied {
        self.put_away(event, &data.mol_id, PutAway::Squashed, data.summary)
    }

    pub(super) fn burn_molecule(&mut self, event: &EventLine<'_>, data: MolBurned) -> Applied {
        self.put_away(event, &data.mol_id, PutAway::Burned, data.reason)?;
        // Nothing of it is kept but that it was there.
        if let Some((molecule, ())) = self.molecules.get_mut(&data.mol_id) {
            molecule.forget_steps();
        }
        let plan = MolPlan {
            id: data.mol_id,
            cooked: serde_json::Value::Null,
        };
        self.plans.insert(plan, ());
        Ok(())
    }

    fn put_away(
        &mut self,
        event: &EventLine<'_>,
        id: &str,
        how: PutAway,
        reason: String,
    ) -> Applied {
        self.with_molecule(event, id, |molecule| {
            molecule.closing = Some(Closing {
                how,
                at: event.timestamp.to_millis(),
                actor: event.actor.to_string(),
                reason,
                by: event.event_id.to_string(),
            });
            Ok(())
        })?;
        self.take_molecule_off_hooks(id);
        Ok(())
    }

    /// What is done is on nobody's hook.
    fn take_molecule_off_hooks(&mut self, id: &str) {
        self.small
            .hooks
            .retain(|_, hook| hook.kind != HookKind::Mol || hook.reference != id);
    }
}
