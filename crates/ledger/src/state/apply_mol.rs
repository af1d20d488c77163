//! Events about molecules.

use std::collections::BTreeSet;

use serde::Deserialize as _;
use windlass_plan::formula::CookedFormula;
use windlass_plan::{Event, Status, StepIndex};

use super::{Refusal, State};
use crate::event::{
    BondKind, EventLine, MolBondMet, MolBonded, MolBurned, MolChanged, MolCompleted, MolCreated,
    MolGateClosed, MolGateOpened, MolPushedBack, MolSquashed, MolStepCompleted,
    MolStepConditionHeld, MolStepFailed, MolStepHeartbeat, MolStepLeaseExpired, MolStepReleased,
    MolStepRetryDue, MolStepSkipped, MolStepStarted,
};
use crate::hook::HookKind;
use crate::id;
use crate::molecule::{
    Bond, Closing, Doer, MolPlan, MolState, MolStep, Molecule, PutAway, USUAL_LEASE_MS,
};

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
        let mut head = Molecule::head(data.mol_id.clone(), at);
        head.title = data.title.unwrap_or_else(|| cooked.title.clone());
        head.formula = data.formula;
        head.bead_id = data.bead_id;
        head.state = data.state;
        head.created_by = event.actor.to_string();
        head.formula_digest = cooked.digest.to_string();
        head.concurrency = data.concurrency.filter(|limit| *limit > 0);
        head.lease_ms = data.lease_ms.unwrap_or(USUAL_LEASE_MS);
        head.ttl_ms = data.ttl_ms.filter(|_| data.state == MolState::Vapor);
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
    fn with_molecule(
        &mut self,
        event: &EventLine<'_>,
        id: &str,
        work: impl FnOnce(&mut Molecule) -> Applied,
    ) -> Applied {
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
        work(molecule)?;
        molecule.touched_at = event.timestamp.to_millis().max(molecule.touched_at);
        let has_ended = molecule.outcome.is_some();
        if has_ended {
            self.take_molecule_off_hooks(id);
        }
        Ok(())
    }

    /// Does something to a step.
    fn with_step(
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

    pub(super) fn start_step(&mut self, event: &EventLine<'_>, data: MolStepStarted) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let step = &molecule.steps[at.index()];
            check_startable(molecule, step)?;
            let usual = event
                .timestamp
                .micros()
                .saturating_add(lease_micros(molecule.lease_ms));
            molecule.tell(Event::Started { step: at }, event.timestamp)?;
            let step = &mut molecule.steps[at.index()];
            step.started_at = Some(event.timestamp.to_millis());
            step.holder = Some(data.assignee.unwrap_or_else(|| event.actor.to_string()));
            step.token = Some(data.token.unwrap_or_else(|| event.event_id.to_string()));
            let usual = crate::Stamp::from_micros(usual).to_millis();
            step.lease_until = Some(data.lease_until.unwrap_or(usual));
            step.note = None;
            Ok(())
        })
    }

    pub(super) fn prolong_step(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepHeartbeat,
    ) -> Applied {
        self.with_molecule(event, &data.mol_id, |molecule| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            // What brought it to where it stands is still the claim.
            let until = &mut molecule.steps[at.index()].lease_until;
            *until = (*until).max(Some(data.lease_until));
            Ok(())
        })
    }

    pub(super) fn expire_lease(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepLeaseExpired,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, _| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            let step = &molecule.steps[at.index()];
            if let Some(until) = step.lease_until.filter(|until| *until >= event.timestamp) {
                let reason = format!("the lease of `{}` holds until {until}", data.step_id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            let holder = step.holder.clone().unwrap_or_default();
            give_back(molecule, at, event)?;
            let step = &mut molecule.steps[at.index()];
            step.expired += 1;
            step.note = Some(format!("{holder} was not heard of in time"));
            Ok(())
        })
    }

    pub(super) fn release_step(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepReleased,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, _| {
            let at = running(molecule, &data.step_id, Some(&data.token), &event.actor)?;
            give_back(molecule, at, event)?;
            molecule.steps[at.index()].note.clone_from(&data.reason);
            Ok(())
        })
    }

    pub(super) fn complete_step(
        &mut self,
        event: &EventLine<'_>,
        data: MolStepCompleted,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let step = &molecule.steps[at.index()];
            if step.doer == Doer::Nobody && step.is_startable() {
                // What only contains others is done when they are: nobody claims it.
                molecule.tell(Event::Started { step: at }, event.timestamp)?;
            } else {
                let token = data.token.as_deref();
                running(molecule, &data.step_id, token, &event.actor)?;
            }
            let attempt = molecule.steps[at.index()].attempt;
            end(molecule, at, event, data.output, None);
            molecule.tell(Event::Completed { step: at, attempt }, event.timestamp)
        })
    }

    pub(super) fn fail_step(&mut self, event: &EventLine<'_>, data: MolStepFailed) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, _| {
            let token = data.token.as_deref();
            let at = running(molecule, &data.step_id, token, &event.actor)?;
            let attempt = molecule.steps[at.index()].attempt;
            end(molecule, at, event, data.output, Some(data.reason));
            let failed = Event::Failed {
                step: at,
                attempt,
                retryable: !data.for_good,
            };
            molecule.tell(failed, event.timestamp)?;
            let step = &mut molecule.steps[at.index()];
            if step.status != Status::Failed {
                step.ended_at = None;
            }
            Ok(())
        })
    }

    pub(super) fn retry_step(&mut self, event: &EventLine<'_>, data: &MolStepRetryDue) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let by = molecule.steps[at.index()].by.clone();
            let told = molecule.tell(Event::RetryDue { step: at }, event.timestamp);
            told.map_err(|refusal| refusal.won_by(&by))
        })
    }

    pub(super) fn skip_step(&mut self, event: &EventLine<'_>, data: MolStepSkipped) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let by = molecule.steps[at.index()].by.clone();
            let told = molecule.tell(Event::Skipped { step: at }, event.timestamp);
            told.map_err(|refusal| refusal.won_by(&by))?;
            let step = &mut molecule.steps[at.index()];
            step.ended_at = Some(event.timestamp.to_millis());
            step.lease_until = None;
            step.note = Some(data.reason);
            Ok(())
        })
    }

    pub(super) fn hold_condition(
        &mut self,
        event: &EventLine<'_>,
        data: &MolStepConditionHeld,
    ) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let step = &mut molecule.steps[at.index()];
            if step.status != Status::Ready || !step.is_undecided() {
                let reason = format!("no condition of `{}` is open", step.id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            step.decided = true;
            Ok(())
        })
    }

    pub(super) fn push_back(&mut self, event: &EventLine<'_>, data: &MolPushedBack) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let by = molecule.steps[at.index()].by.clone();
            let told = molecule.tell(Event::PushedBack { step: at }, event.timestamp);
            told.map_err(|refusal| refusal.won_by(&by))?;
            let from = data.from_step.as_deref();
            let from = from.map_or(String::new(), |from| format!(" from `{from}`"));
            let note = format!("pushed back{from}: {}", data.reason);
            molecule.steps[at.index()].note = Some(note);
            Ok(())
        })
    }

    pub(super) fn open_gate(&mut self, event: &EventLine<'_>, data: MolGateOpened) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            let number = waiting_gate(molecule, at, data.gate)?;
            let gate = &mut molecule.steps[at.index()].gates[number];
            gate.opened_at = Some(event.timestamp.to_millis());
            gate.opened_by = Some(event.actor.to_string());
            gate.inputs = data.inputs;
            Ok(())
        })
    }

    pub(super) fn close_gate(&mut self, event: &EventLine<'_>, data: MolGateClosed) -> Applied {
        self.with_step(event, &data.mol_id, &data.step_id, |molecule, at| {
            waiting_gate(molecule, at, data.gate)?;
            molecule.tell(Event::Started { step: at }, event.timestamp)?;
            let attempt = molecule.steps[at.index()].attempt;
            end(
                molecule,
                at,
                event,
                serde_json::Value::Null,
                Some(data.reason),
            );
            let failed = Event::Failed {
                step: at,
                attempt,
                retryable: false,
            };
            molecule.tell(failed, event.timestamp)
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

    pub(super) fn bond_molecule(&mut self, event: &EventLine<'_>, data: MolBonded) -> Applied {
        self.check_bond(&data.mol_id, &data.after)?;
        self.with_molecule(event, &data.mol_id, |molecule| {
            let id = &molecule.id;
            if molecule.bonds.iter().any(|bond| bond.mol_id == data.after) {
                let reason = format!("`{id}` comes after `{}` already", data.after);
                return Err(Refusal::new(reason).won_by(&molecule.made_by));
            }
            let begun = molecule.steps.iter().find(|step| step.attempt > 0);
            if let Some(step) = begun.filter(|_| data.kind != BondKind::Parallel) {
                let reason = format!("`{id}` was begun already, with `{}`", step.id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            molecule.bonds.push(open_bond(data.after, data.kind));
            Ok(())
        })
    }

    /// That there is something to come after, and that neither waits for the other in the end.
    fn check_bond(&self, id: &str, after: &str) -> Applied {
        if !self.molecules.contains(after) {
            return Err(Refusal::new(format!("there is no molecule `{after}`")));
        }
        let (mut open, mut seen) = (vec![after.to_owned()], BTreeSet::new());
        while let Some(next) = open.pop() {
            if next == id {
                let reason = format!("`{id}` and `{after}` would wait for each other");
                return Err(Refusal::new(reason));
            }
            if seen.insert(next.clone())
                && let Some(molecule) = self.molecule(&next)
            {
                open.extend(molecule.bonds.iter().map(|bond| bond.mol_id.clone()));
            }
        }
        Ok(())
    }

    pub(super) fn meet_bond(&mut self, event: &EventLine<'_>, data: &MolBondMet) -> Applied {
        self.with_molecule(event, &data.mol_id, |molecule| {
            let at = event.timestamp.to_millis();
            let mut bonds = molecule.bonds.iter_mut();
            let bond = bonds.find(|bond| bond.mol_id == data.after && bond.met_at.is_none());
            let Some(bond) = bond else {
                let reason = format!("`{}` does not wait for `{}`", data.mol_id, data.after);
                return Err(Refusal::new(reason).won_by(&molecule.made_by));
            };
            bond.met_at = Some(at);
            if !molecule.is_waiting() {
                // What could have begun before is reached only now.
                for step in &mut molecule.steps {
                    step.reached_at = step.reached_at.map(|_| at);
                }
            }
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

fn open_bond(mol_id: String, kind: BondKind) -> Bond {
    Bond {
        mol_id,
        kind,
        met_at: None,
    }
}

fn lease_micros(millis: u64) -> i64 {
    i64::try_from(millis)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000)
}

/// The event that brought a step to where it stands.
fn last_of<'a>(molecule: &'a Molecule, step: &'a MolStep) -> &'a str {
    match step.by.as_str() {
        "" => &molecule.made_by,
        by => by,
    }
}

/// That the step may be claimed.
fn check_startable(molecule: &Molecule, step: &MolStep) -> Applied {
    let name = format!("`{}` of `{}`", step.id, molecule.id);
    let refuse = |reason: String| Err(Refusal::new(reason).won_by(last_of(molecule, step)));
    let holder = step.holder.as_deref().unwrap_or("somebody");
    match step.status {
        Status::Ready if step.doer == Doer::Nobody => {
            refuse(format!("{name} is done when those that it contains are"))
        }
        Status::Ready if molecule.is_waiting() => {
            let mut bonds = molecule.open_bonds();
            let after = bonds.next().map_or("", |bond| bond.mol_id.as_str());
            refuse(format!("{name} cannot be begun: it comes after `{after}`"))
        }
        Status::Ready if !step.is_startable() => {
            let why = molecule.reason(step).unwrap_or_default();
            refuse(format!("{name} cannot be begun: {why}"))
        }
        Status::Ready if molecule.room() == 0 => {
            let limit = molecule.concurrency.unwrap_or_default();
            let at_work = molecule.steps.iter();
            let mut at_work = at_work.filter(|step| step.status == Status::InProgress);
            let by = at_work.next_back().map(|step| step.by.clone());
            let counted = windlass_base::counted(limit as usize, "step");
            let reason = format!(
                "{counted} of `{}` may be in progress at once, and as many are",
                molecule.id
            );
            Err(Refusal::new(reason).won_by(&by.unwrap_or_default()))
        }
        Status::Ready => Ok(()),
        Status::InProgress => {
            let until = step.lease_until;
            let until = until.map_or(String::new(), |until| format!(" until {until}"));
            refuse(format!("{holder} has {name}{until}"))
        }
        Status::Completed => refuse(format!("{name} is completed, by {holder}")),
        status => {
            let why = molecule.reason(step);
            let why = why.map_or(String::new(), |why| format!(": {why}"));
            refuse(format!("{name} is {}{why}", status.as_str()))
        }
    }
}

/// The step, which is in progress by the claim that `token` proves; or by `actor`, if none is shown.
fn running(
    molecule: &Molecule,
    step: &str,
    token: Option<&str>,
    actor: &str,
) -> Result<StepIndex, Refusal> {
    let missing = || Refusal::new(format!("`{}` has no step `{step}`", molecule.id));
    let at = molecule.find(step).ok_or_else(missing)?;
    let step = &molecule.steps[at.index()];
    let holder = step.holder.as_deref().unwrap_or("nobody");
    let name = format!("`{}` of `{}`", step.id, molecule.id);
    let refuse = |reason: String| Err(Refusal::new(reason).won_by(last_of(molecule, step)));
    if step.status != Status::InProgress {
        let why = match (step.status, &step.note) {
            (Status::Completed, _) => format!(", by {holder}"),
            (_, Some(note)) => format!(": {note}"),
            _ => String::new(),
        };
        let now = step.shown().as_str();
        return refuse(format!(
            "{name} is not in progress by this claim: it is {now}{why}"
        ));
    }
    match token {
        Some(token) if step.token.as_deref() != Some(token) => refuse(format!(
            "the claim `{token}` of {name} is over: {holder} has it now"
        )),
        None if holder != actor => refuse(format!("{holder} has {name}, not {actor}")),
        _ => Ok(at),
    }
}

fn give_back(molecule: &mut Molecule, at: StepIndex, event: &EventLine<'_>) -> Applied {
    let attempt = molecule.steps[at.index()].attempt;
    molecule.tell(Event::Released { step: at, attempt }, event.timestamp)?;
    let step = &mut molecule.steps[at.index()];
    (step.holder, step.token, step.lease_until) = (None, None, None);
    step.started_at = None;
    Ok(())
}

fn end(
    molecule: &mut Molecule,
    at: StepIndex,
    event: &EventLine<'_>,
    output: serde_json::Value,
    note: Option<String>,
) {
    let step = &mut molecule.steps[at.index()];
    step.ended_at = Some(event.timestamp.to_millis());
    step.started_at = step.started_at.or(step.ended_at);
    step.lease_until = None;
    step.output = output;
    step.note = note;
}

/// The number of a gate that a step waits for.
fn waiting_gate(molecule: &Molecule, at: StepIndex, gate: u32) -> Result<usize, Refusal> {
    let step = &molecule.steps[at.index()];
    let name = format!("gate {gate} of `{}` in `{}`", step.id, molecule.id);
    let number = gate as usize;
    let refuse = |reason: String| Err(Refusal::new(reason).won_by(last_of(molecule, step)));
    match step.gates.get(number) {
        None => Err(Refusal::new(format!("there is no {name}"))),
        Some(gate) if gate.opened_at.is_some() => {
            let by = gate.opened_by.as_deref().unwrap_or("somebody");
            refuse(format!("{name} was opened already, by {by}"))
        }
        Some(_) if step.status != Status::Ready || step.is_undecided() => refuse(format!(
            "{name} is not waited for: the step is {}",
            step.shown().as_str()
        )),
        Some(_) => Ok(number),
    }
}
