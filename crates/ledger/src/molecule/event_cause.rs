//! Finds the correlation id and the cause of a molecule's events, so that users can trace why
//! something happened.

use serde_json::Value;

use super::{MolStep, Molecule};
use crate::state::Table;

/// Maximum number of ancestors to follow, from a molecule to the one whose output it was made from.
/// There shouldn't be a cycle, but a damaged log may have one.
const MAX_DEPTH: usize = 64;

impl Table<Molecule> {
    /// Returns the correlation id for an event with this `data`. All molecules that go back to the
    /// same one share its id, however many of them were made from each other's outputs.
    pub(crate) fn related(&self, data: &Value) -> Option<String> {
        // The molecule may not exist yet, so look for its origin in the event first. The last one
        // is for mail about a molecule.
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

    /// Returns the cause of a molecule event with this `data`. If the step is claimed, that's the
    /// claim; otherwise, it's the event that made the step ready.
    pub(crate) fn cause(&self, event_type: &str, data: &Value) -> Option<String> {
        if !event_type.starts_with("mol.") {
            return None;
        }
        let molecule = self.get_cow(data["mol_id"].as_str()?)?;
        let named = data["step_id"].as_str().and_then(|id| molecule.find(id));
        let step = named.and_then(|at| molecule.step(at));
        let by = match step {
            Some(step) => brought_by(&molecule, step),
            None => last_ended(molecule.steps.iter()),
        };
        Some(by.unwrap_or(&molecule.made_by).to_owned())
    }
}

/// Returns the event that gave a step its current status. If no event has changed the step yet,
/// this is the one that made it ready.
fn brought_by<'a>(molecule: &'a Molecule, step: &'a MolStep) -> Option<&'a str> {
    if !step.by.is_empty() {
        return Some(&step.by);
    }
    let needed = step.needs.iter().chain(&step.after);
    last_ended(needed.filter_map(|at| molecule.step(*at)))
}

fn last_ended<'a>(steps: impl Iterator<Item = &'a MolStep>) -> Option<&'a str> {
    let ended = steps.filter(|step| step.ended_at.is_some() && !step.by.is_empty());
    let last = ended.max_by_key(|step| step.ended_at);
    last.map(|step| step.by.as_str())
}
