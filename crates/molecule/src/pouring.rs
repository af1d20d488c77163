//! Pours cooked formulas, i.e. creates molecules from them.

use windlass_formula::FormulaFile;
use windlass_ledger::event::MolCreated;
use windlass_ledger::{MolState, Molecule, USUAL_TTL_MS, World as _, check_bead};
use windlass_site::Error;

use crate::document_formula::{check_poured_once, locked_by_others};
use crate::drains::Drains;
use crate::machine::asked_variables;
use crate::molecules::{Molecules, check_pourable};

/// Options of a new molecule.
#[derive(Debug, Clone, Default)]
pub struct NewMolecule {
    /// The bead to work on. Some formulas require one.
    pub bead: Option<String>,
    /// The title for readers. Defaults to the formula's title.
    pub title: Option<String>,
    /// If set, the molecule is temporary. The inner value is its lifetime without activity in
    /// milliseconds, or `None` for the default lifetime.
    pub ttl_ms: Option<Option<u64>>,
    /// The maximum number of concurrent steps.
    pub concurrency: Option<u32>,
    /// The lease of a claim without a heartbeat, in milliseconds.
    pub lease_ms: Option<u64>,
}

impl Molecules<'_> {
    /// Pours a formula, and performs drains that are ready from the start.
    ///
    /// # Errors
    /// Returns an error if a condition is undecided, if the bead is missing or unknown, or if the
    /// formula's document is already poured as an open molecule.
    pub fn pour(&mut self, formula: &FormulaFile, new: &NewMolecule) -> Result<Molecule, Error> {
        let cooked = &formula.cooked;
        check_pourable(cooked, new.bead.as_deref())?;
        check_poured_once(self.session.state(), &cooked.formula)?;
        for warning in locked_by_others(
            self.service.site(),
            &cooked.formula,
            self.session.actor().ok(),
        ) {
            self.session.warn(warning);
        }
        if cooked.internal {
            self.session.warn(format!(
                "formula `{}` is internal: other formulas use it",
                cooked.formula
            ));
        }
        let value = serde_json::to_value(cooked).map_err(Error::internal)?;
        let world = self.session.world();
        let molecule = self.session.decide(|draft| {
            if let Some(bead) = &new.bead {
                check_bead(draft.state(), bead)?;
            }
            let mol_id = draft.ids().molecule();
            let ttl_ms = new.ttl_ms.map(|ttl| ttl.unwrap_or(USUAL_TTL_MS));
            draft.emit(MolCreated {
                mol_id: mol_id.clone(),
                formula: cooked.formula.clone(),
                bead_id: new.bead.clone(),
                state: ttl_ms.map_or(MolState::Liquid, |_| MolState::Vapor),
                title: new.title.clone(),
                concurrency: new.concurrency,
                lease_ms: new.lease_ms,
                ttl_ms,
                from: None,
                after: Vec::new(),
                cooked: value.clone(),
            })?;
            draft.settle(&mol_id, &world)?;
            draft.molecule(&mol_id)
        })?;
        let drained = Drains(self).perform(&molecule.id)?;
        let molecule = match drained.is_empty() {
            true => molecule,
            false => self.get(Some(&molecule.id), None)?,
        };
        let id = &molecule.id;
        if !asked_variables(cooked).is_empty() && !world.may_ask(id, cooked) {
            self.session.warn(format!(
                "its conditions read environment variables, which needs trust: `windlass trust mol:{id}`"
            ));
        }
        Ok(molecule)
    }
}
