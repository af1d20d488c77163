//! A drain is a step that creates a molecule for each child of its own molecule's bead.
//!
//! Drains do not run any program, so they need neither trust nor an agent. Commands that complete
//! steps perform the drains that have become ready ([`Drains::perform`]). If a gate or a skip makes
//! a drain ready, the next claim does so.

use std::collections::BTreeMap;

use serde_json::json;
use windlass_base::counted;
use windlass_formula::{Drain, FanOutOrder};
use windlass_ledger::bead::{Bead, BeadStatus, DependencyKind};
use windlass_ledger::event::MolStepFailed;
use windlass_ledger::{Claim, ClaimedStep, Doer, LedgerError, State};
use windlass_site::Error;

use crate::Molecules;
use crate::fan_out::{ChildMolecules, ChildOptions, Maker};
use crate::molecule_error::MoleculeError;

/// Maximum number of parent molecules to follow. It only matters in a damaged log, where the
/// parents might form a cycle.
const MAX_DEPTH: usize = 64;

const TRACKS: &str = "tracks";

pub(crate) struct Drains<'a, 'b>(pub(crate) &'a mut Molecules<'b>);

/// The new molecules of a drain, still without IDs, and their beads.
struct DrainedBeads {
    children: ChildMolecules,
    beads: Vec<String>,
}

impl Drains<'_, '_> {
    /// Performs all drains of the molecule that are ready, and returns their step names.
    ///
    /// # Errors
    /// Returns an error if the ledger cannot be read or written. Any other problem fails the
    /// drain's step instead.
    pub(crate) fn perform(&mut self, id: &str) -> Result<Vec<String>, Error> {
        let mut drained = Vec::new();
        while let Some((step, drain)) = self.next_drain(id) {
            let world = self.0.session.world();
            let claim = Claim {
                mol: Some(id.to_owned()),
                step: Some(step.clone()),
                machine: true,
                ..Claim::default()
            };
            let claimed = match self.0.session.decide(|draft| draft.claim(&claim, &world)) {
                Ok(claimed) => claimed,
                // Another process was faster and has performed this drain.
                Err(error) if error.is(|error| matches!(error, LedgerError::Rejected(_))) => break,
                Err(error) => return Err(error),
            };
            let made = self.molecules_of(&claimed, &drain);
            let made = made.map_err(|why| why.to_string());
            self.0.session.decide(|draft| {
                let made = made.as_ref().map_err(Clone::clone);
                // We've cooked the formulas without a lock. Another process may have created
                // molecules for the same beads in the meantime.
                let made =
                    made.and_then(|made| match taken(draft.state(), &claimed, &made.beads) {
                        Some(taken) if drain.exclusive => Err(taken.to_string()),
                        _ => Ok(made),
                    });
                match made {
                    Ok(made) => {
                        let children = made.children.with_ids(draft);
                        let output = json!({ "beads": made.beads });
                        draft.complete(&claimed.proof, output, children, &world)
                    }
                    Err(reason) => {
                        let failed = MolStepFailed {
                            reason,
                            for_good: true,
                            ..MolStepFailed::default()
                        };
                        draft.fail(&claimed.proof, failed, &world)
                    }
                }
            })?;
            drained.push(step);
        }
        Ok(drained)
    }

    fn next_drain(&self, id: &str) -> Option<(String, Drain)> {
        let molecule = self.0.session.state().molecule(id)?;
        let may_begin = |at: usize| {
            let step = &molecule.steps[at];
            step.doer == Doer::Machine && molecule.may_begin(step)
        };
        // Reading the formula is slow, and most molecules have no machine step that's ready.
        if !(0..molecule.steps.len()).any(may_begin) {
            return None;
        }
        let cooked = self.0.formula_of(id).ok()?;
        let mut steps = cooked.steps.into_iter().enumerate();
        steps.find_map(|(at, step)| {
            let drain = step.drain.filter(|_| may_begin(at))?;
            Some((step.id, drain))
        })
    }

    /// Cooks a drain's molecules. This may take a while, so we do it before changing the ledger.
    fn molecules_of(&self, claimed: &ClaimedStep, drain: &Drain) -> Result<DrainedBeads, Error> {
        let (mol, step) = (&claimed.proof.mol, &claimed.proof.step);
        let refuse = |why: String| -> Error { not_drained(step, why).into() };
        let parent = self.0.session.state().molecule(mol);
        let bead = parent.as_ref().and_then(|parent| parent.bead_id.as_deref());
        let Some(bead) = bead else {
            return Err(refuse("the molecule works on no bead".to_owned()));
        };
        let members = self.members(bead);
        let limit = drain.max_items;
        if members.len() > limit as usize {
            let count = counted(members.len(), "open child");
            return Err(refuse(format!(
                "bead `{bead}` has {count}; the limit is {limit}"
            )));
        }
        let members = in_order(members);
        let mut children = ChildMolecules::default();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, member) in members.iter().enumerate() {
            let follows = match drain.order {
                FanOutOrder::Sequential => index.checked_sub(1).into_iter().collect(),
                FanOutOrder::Parallel => blockers(member)
                    .filter_map(|blocker| places.get(blocker).copied())
                    .collect(),
            };
            let options = ChildOptions {
                formula: drain.formula.clone(),
                vars: drain.vars.clone(),
                bead: Some(member.id.clone()),
                concurrency: drain.single_lane.then_some(1),
            };
            children.add(self.0, Maker { mol, step }, options, follows)?;
            places.insert(&member.id, index);
        }
        let beads = members.iter().map(|member| member.id.clone()).collect();
        Ok(DrainedBeads { children, beads })
    }

    /// Returns a bead's members, which are its open children and the open beads that it tracks. A
    /// bead without any of these is its own only member.
    fn members(&self, bead: &str) -> Vec<Bead> {
        let beads = &self.0.session.state().beads;
        let own = beads.get(bead);
        let dependencies = own.iter().flat_map(|own| &own.dependencies);
        let mut ids: Vec<String> = dependencies
            .filter(|on| matches!(&on.kind, DependencyKind::Other(kind) if kind == TRACKS))
            .map(|on| on.depends_on_id.clone())
            .collect();
        let children = beads.iter().filter_map(|(id, found)| {
            let is_child = found.head()?.parent() == Some(bead);
            is_child.then(|| id.to_owned())
        });
        ids.extend(children);
        ids.sort();
        ids.dedup();
        if ids.is_empty() {
            return own.into_iter().collect();
        }
        let members = ids.iter().filter_map(|id| beads.get(id));
        members
            .filter(|member| member.status != BeadStatus::Closed)
            .collect()
    }
}

/// Returns an error if an open molecule already works on one of the `beads`. The drain's own
/// molecule does not count, and neither do its ancestors: if a bead has no children, they work on
/// the same bead.
fn taken(state: &State, drain: &ClaimedStep, beads: &[String]) -> Option<MoleculeError> {
    let parent = state.molecule(&drain.proof.mol)?.into_owned();
    let own = std::iter::successors(Some(parent), |molecule| {
        let from = molecule.from.as_ref()?;
        Some(state.molecule(&from.mol_id)?.into_owned())
    });
    let own: Vec<String> = own.take(MAX_DEPTH).map(|molecule| molecule.id).collect();
    let open = state.molecules.open();
    let others = open.iter().filter(|id| !own.contains(id));
    let mut others = others.filter_map(|id| state.molecule(id));
    others.find_map(|other| {
        let bead = other.bead_id.as_ref().filter(|bead| beads.contains(bead))?;
        let why = format!("molecule `{}` works on bead `{bead}`", other.id);
        Some(not_drained(&drain.proof.step, why))
    })
}

fn not_drained(step: &str, why: String) -> MoleculeError {
    MoleculeError::NotDrained {
        step: step.to_owned(),
        why,
    }
}

fn blockers(bead: &Bead) -> impl Iterator<Item = &str> {
    let blocking = bead.dependencies.iter();
    let blocking = blocking.filter(|on| on.kind == DependencyKind::Blocks);
    blocking.map(|on| on.depends_on_id.as_str())
}

fn in_order(mut beads: Vec<Bead>) -> Vec<Bead> {
    let mut sorted: Vec<Bead> = Vec::with_capacity(beads.len());
    while !beads.is_empty() {
        let is_free = |bead: &Bead| {
            !blockers(bead).any(|id| beads.iter().any(|other| other.id == id && id != bead.id))
        };
        // The ledger rejects cycles, so there's always a free bead. If not, take the first one
        // instead of looping forever.
        let next = beads.iter().position(is_free).unwrap_or(0);
        sorted.push(beads.remove(next));
    }
    sorted
}
