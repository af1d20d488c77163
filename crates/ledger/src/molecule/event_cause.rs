//! What events about molecules have to do with each other: which belong together, and what brought one about.

use serde_json::Value;

use super::{MolStep, Molecule};
use crate::state::Table;

/// How many molecules that were made of each other are gone through at the most.
const MAX_DEPTH: usize = 64;

impl Table<Molecule> {
    /// What an event belongs to that says `data`: the molecule that it is about, or the one which that was made for.
    pub(crate) fn related(&self, data: &Value) -> Option<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let about = [
            &data["from"]["mol_id"],
            &data["mol_id"],
            &data["metadata"]["mol_id"],
        ];
        let mut id = about.into_iter().find_map(text)?;
        for _ in 0..MAX_DEPTH {
            let found = self.find(&id);
            let from = found.and_then(|found| Some(found.head()?.from?.0.to_owned()));
            match from {
                Some(from) => id = from,
                None => break,
            }
        }
        Some(id)
    }

    /// What brought an event about that says `data` of a molecule, as far as the state tells: the claim, where a step was
    /// claimed; what made it ready, where it was not.
    pub(crate) fn cause(&self, event_type: &str, data: &Value) -> Option<String> {
        if !event_type.starts_with("mol.") {
            return None;
        }
        let molecule = self.look_at(data["mol_id"].as_str()?)?;
        let named = data["step_id"].as_str().and_then(|id| molecule.find(id));
        let step = named.and_then(|at| molecule.step(at));
        let by = match step {
            Some(step) => molecule.brought_by(step),
            None => molecule.last_ended(molecule.steps.iter()),
        };
        Some(by.unwrap_or(&molecule.made_by).to_owned())
    }
}

impl Molecule {
    /// The event that brought a step to where it stands; where nothing happened to it, that which made it ready.
    fn brought_by<'a>(&'a self, step: &'a MolStep) -> Option<&'a str> {
        if !step.by.is_empty() {
            return Some(&step.by);
        }
        let needed = step.needs.iter().chain(&step.after);
        self.last_ended(needed.filter_map(|at| self.step(*at)))
    }

    /// The event that ended the one of `steps` that ended last.
    fn last_ended<'a>(&'a self, steps: impl Iterator<Item = &'a MolStep>) -> Option<&'a str> {
        let ended = steps.filter(|step| step.ended_at.is_some() && !step.by.is_empty());
        let last = ended.max_by_key(|step| step.ended_at);
        last.map(|step| step.by.as_str())
    }
}
