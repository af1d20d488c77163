//! Applies events about bonds between molecules.

use std::collections::BTreeSet;

use super::apply_mol::MolFold;
use super::{Applied, Refusal, Table};
use crate::event::{BondKind, MolBondMet, MolBonded};
use crate::molecule::{Bond, Molecule};

impl MolFold<'_> {
    pub(super) fn bond(&mut self, data: MolBonded) -> Applied {
        self.molecules.check_bond(&data.mol_id, &data.after)?;
        self.with_molecule(&data.mol_id, |molecule| {
            let id = &molecule.id;
            if molecule.bonds.iter().any(|bond| bond.mol_id == data.after) {
                let reason = format!("`{id}` already follows `{}`", data.after);
                return Err(Refusal::new(reason).won_by(&molecule.made_by));
            }
            // A step that has begun can't be made to wait anymore.
            let begun = molecule.steps.iter().find(|step| step.attempt > 0);
            if let Some(step) = begun.filter(|_| data.kind != BondKind::Parallel) {
                let reason = format!("`{id}` has already started, with `{}`", step.id);
                return Err(Refusal::new(reason).won_by(&step.by));
            }
            molecule.bonds.push(Bond::open(data.after, data.kind));
            Ok(())
        })
    }

    pub(super) fn meet_bond(&mut self, data: &MolBondMet) -> Applied {
        let at = self.event.timestamp.to_millis();
        self.with_molecule(&data.mol_id, |molecule| {
            let mut bonds = molecule.bonds.iter_mut();
            let bond = bonds.find(|bond| bond.mol_id == data.after && bond.met_at.is_none());
            let Some(bond) = bond else {
                let reason = format!("`{}` does not wait for `{}`", data.mol_id, data.after);
                return Err(Refusal::new(reason).won_by(&molecule.made_by));
            };
            bond.met_at = Some(at);
            if !molecule.is_waiting() {
                // These steps can start only now, so their timers begin here.
                let time = molecule.time;
                let reached = molecule.steps.iter_mut();
                for step in reached.filter(|step| step.reached_at.is_some()) {
                    step.reach(at, time);
                }
            }
            Ok(())
        })
    }
}

impl Table<Molecule> {
    /// Rejects a bond if the molecule `after` doesn't exist, or if the two would end up waiting for
    /// each other.
    pub(super) fn check_bond(&self, id: &str, after: &str) -> Applied {
        if !self.contains(after) {
            return Err(Refusal::new(format!("there is no molecule `{after}`")));
        }
        let (mut open, mut seen) = (vec![after.to_owned()], BTreeSet::new());
        while let Some(next) = open.pop() {
            if next == id {
                let reason = format!("`{id}` and `{after}` would wait for each other");
                return Err(Refusal::new(reason));
            }
            if seen.insert(next.clone())
                && let Some(molecule) = self.get_cow(&next)
            {
                open.extend(molecule.bonds.iter().map(|bond| bond.mol_id.clone()));
            }
        }
        Ok(())
    }
}
