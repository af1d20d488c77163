//! Finds the caller's own claim, so that users do not have to type its token.

use serde_json::Value;
use windlass_ledger::{EventFilter, StepProof};
use windlass_plan::Status;
use windlass_site::Error;

use crate::{MoleculeError, NotClaimed, StepWork};

impl StepWork<'_> {
    /// Returns the proof of the caller's only claim.
    ///
    /// `mol` and `step` restrict the search. If the caller gives a molecule, a step and a token,
    /// these are returned without a check.
    ///
    /// # Errors
    /// Returns an error if the caller does not have an actor name, the claim is missing or
    /// ambiguous, or `mol` or `step` does not exist.
    pub fn own_claim(
        &mut self,
        mol: Option<&str>,
        step: Option<&str>,
        token: Option<String>,
    ) -> Result<StepProof, Error> {
        let token = match (mol, step, token) {
            (Some(mol), Some(step), Some(token)) => {
                let (mol, step) = (mol.to_owned(), step.to_owned());
                return Ok(StepProof { mol, step, token });
            }
            (_, _, token) => token,
        };
        let mut claimed = self.molecules.current_steps(None)?;
        claimed.retain(|claim| {
            mol.is_none_or(|mol| mol == claim.mol_id)
                && step.is_none_or(|step| step == claim.step_id)
        });
        let names: Vec<String> = claimed
            .iter()
            .map(|claim| format!("`{} {}`", claim.mol_id, claim.step_id))
            .collect();
        match claimed.pop() {
            Some(only) if claimed.is_empty() => Ok(StepProof {
                mol: only.mol_id,
                step: only.step_id,
                token: token.or(only.token).unwrap_or_default(),
            }),
            Some(_) => Err(MoleculeError::SeveralClaims(names).into()),
            None => Err(self.no_claim(mol, step)?.into()),
        }
    }

    fn no_claim(&mut self, mol: Option<&str>, step: Option<&str>) -> Result<MoleculeError, Error> {
        let actor = self.molecules.session.actor()?.to_owned();
        // Without a step, we guess which one the caller meant: if there's a single step in
        // progress, it's most likely that one.
        let meant = match (mol, step) {
            (Some(mol), Some(step)) => Some((mol.to_owned(), step.to_owned())),
            _ => self.only_step_in_progress(mol)?,
        };
        let Some((mol, step)) = meant else {
            return Ok(MoleculeError::NoClaim { actor });
        };
        let found = self.molecules.step(&mol, &step)?;
        let is_held = found.status == Status::InProgress;
        let has_ended = found.status == Status::Completed;
        Ok(MoleculeError::NotClaimed(Box::new(NotClaimed {
            ran_out: !has_ended && self.lease_ran_out(&mol, &step, &actor)?,
            status: found.status,
            holder: found.holder.filter(|_| is_held),
            actor,
            mol,
            step,
        })))
    }

    fn only_step_in_progress(&self, mol: Option<&str>) -> Result<Option<(String, String)>, Error> {
        let mut found = Vec::new();
        for id in self.molecules.open(mol)? {
            let Some(molecule) = self.molecules.session.state().molecule(&id) else {
                continue;
            };
            let steps = molecule.steps.iter();
            let held = steps.filter(|step| step.shown() == Status::InProgress);
            found.extend(held.map(|step| (id.clone(), step.id.clone())));
        }
        let only = found.pop();
        Ok(only.filter(|_| found.is_empty()))
    }

    /// True if the lease of `actor`'s last claim on a step ran out without a heartbeat. The state
    /// does not say who held a step before, so we have to look at the log.
    fn lease_ran_out(&mut self, mol: &str, step: &str, actor: &str) -> Result<bool, Error> {
        let claims = self.tokens("mol.step_started", mol, step, Some(actor))?;
        let Some(last) = claims.last() else {
            return Ok(false);
        };
        let expired = self.tokens("mol.step_lease_expired", mol, step, None)?;
        Ok(expired.contains(last))
    }

    fn tokens(
        &mut self,
        event_type: &str,
        mol: &str,
        step: &str,
        actor: Option<&str>,
    ) -> Result<Vec<String>, Error> {
        let found = self.molecules.session.events().find(&EventFilter {
            event_type: Some(event_type.to_owned()),
            actor: actor.map(str::to_owned),
            about: Some(mol.to_owned()),
            ..EventFilter::default()
        })?;
        let accepted = found.iter().filter(|event| event.rejected.is_none());
        let tokens = accepted.filter_map(|event| {
            let event: Value = serde_json::from_str(&event.line).ok()?;
            let data = event.get("data").filter(|data| data["step_id"] == step)?;
            data["token"].as_str().map(str::to_owned)
        });
        Ok(tokens.collect())
    }
}
