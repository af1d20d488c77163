//! Correlation ids and causes of molecule events.

use serde_json::Value;

use super::{MolStep, Molecule};
use crate::state::Table;

/// Maximum number of ancestors to follow, from a molecule to the ones whose output it was made
/// from. A damaged log may contain a cycle, so we have to stop somewhere.
const MAX_DEPTH: usize = 64;

impl Table<Molecule> {
    /// Returns the correlation id for an event with this `data`. If the molecule was made from
    /// another one's output, it's the id of the first ancestor, and otherwise its own.
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

    /// Returns the cause of a molecule event with this `data`. For a claimed step this is the
    /// claim, otherwise the event that made the step ready.
    pub(crate) fn cause(&self, event_type: &str, data: &Value) -> Option<String> {
        if !event_type.starts_with("mol.") {
            return None;
        }
        let molecule = self.get_cow(data["mol_id"].as_str()?)?;
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
    /// Returns the event that gave a step its current status. If nothing has changed the step yet,
    /// this is the event that made it ready.
    fn brought_by<'a>(&'a self, step: &'a MolStep) -> Option<&'a str> {
        if !step.by.is_empty() {
            return Some(&step.by);
        }
        let needed = step.needs.iter().chain(&step.after);
        self.last_ended(needed.filter_map(|at| self.step(*at)))
    }

    /// Returns the event that ended the last of `steps` to end.
    fn last_ended<'a>(&'a self, steps: impl Iterator<Item = &'a MolStep>) -> Option<&'a str> {
        let ended = steps.filter(|step| step.ended_at.is_some() && !step.by.is_empty());
        let last = ended.max_by_key(|step| step.ended_at);
        last.map(|step| step.by.as_str())
    }
}
