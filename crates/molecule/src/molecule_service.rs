//! Entry point to a repository's molecules.

use std::path::Path;
use std::sync::Arc;

use windlass_base::Digest;
use windlass_context::PackService;
use windlass_formula::{CookOptions, CookedFormula, FormulaError, FormulaFile, FormulaService};
use windlass_ledger::{LedgerService, MolTrust, for_formulas, is_document};
use windlass_notebook::RunbookFile;
use windlass_plan::Catalog;
use windlass_repo::Snapshot;
use windlass_runs::{RunService, TrustService, step_catalog};
use windlass_share::Backends;
use windlass_site::{Error, Site};

use crate::bead_criteria::criteria_of_bead;
use crate::document_formula::{FormulaNow, document_formula, document_now};
use crate::machine::{runbook_of, runbook_of_criteria};

/// Access to a repository's molecules.
///
/// The service opens ledgers, cooks formulas, and collects the programs that need the user's trust.
/// For anything else, open a session with [`ledger`](Self::ledger) and pass it to [`on`](Self::on).
#[derive(Debug, Clone)]
pub struct MoleculeService {
    site: Site,
    ledger: LedgerService,
    formulas: FormulaService,
    packs: PackService,
    runs: RunService,
}

impl MoleculeService {
    /// Creates the service. Nothing is opened yet.
    #[must_use]
    pub fn new(site: &Site) -> Self {
        Self {
            ledger: LedgerService::new(site)
                .trusting(Arc::new(ByRunbook))
                .sharing(Arc::new(Backends::new(site))),
            formulas: FormulaService::new(site),
            packs: PackService::new(site),
            runs: RunService::new(site),
            site: site.clone(),
        }
    }

    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    pub(crate) fn runs(&self) -> &RunService {
        &self.runs
    }

    pub(crate) fn packs(&self) -> &PackService {
        &self.packs
    }

    /// Returns the ledger service, for which a molecule is trusted if its programs are.
    #[must_use]
    pub fn ledger(&self) -> &LedgerService {
        &self.ledger
    }

    /// Returns the step kinds for formulas: `verify`, and all kinds for runbooks, including those
    /// of plugins.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        for_formulas(step_catalog(&self.site))
    }

    /// Cooks a formula, which is given by name or file name. The file may also be a TodoList or a
    /// Plan. A relative path starts at `start`.
    ///
    /// # Errors
    /// Returns an error if the formula can't be found or read. Otherwise, returns all problems in
    /// the formula and in the values of its variables.
    pub fn cook(
        &self,
        name: &str,
        start: &Path,
        snapshot: &Snapshot,
        options: &CookOptions<'_>,
    ) -> Result<FormulaFile, Error> {
        match document_formula(&self.site, name, start, snapshot, options)? {
            Some(document) => Ok(document),
            None => self.formulas.cook(name, start, snapshot, options),
        }
    }

    /// Compares a molecule's formula with the current files. If there's no formula of that name any
    /// more, we try the original file, which may have been given by path.
    pub(crate) fn formula_now(&self, cooked: &CookedFormula, start: &Path) -> FormulaNow {
        let values = cooked.vars.iter();
        let vars = values
            .filter_map(|(name, var)| Some((name.clone(), var.value.clone()?)))
            .collect();
        let catalog = self.catalog();
        let options = CookOptions {
            vars,
            open: true,
            catalog: Some(&catalog),
            ..CookOptions::default()
        };
        let named = cooked.sources.first().map(|source| source.file.as_str());
        let snapshot = self.site.snapshot();
        if is_document(&cooked.formula) {
            return document_now(&self.site, cooked, &snapshot);
        }
        // Cook the formula with the same values as at the time of pouring.
        let by_name = self.cook(&cooked.formula, start, &snapshot, &options);
        let found = match (by_name, named) {
            (Err(error), Some(file)) if error.get::<FormulaError>().is_some() => {
                self.cook(file, self.site.repo().root(), &snapshot, &options)
            }
            (found, _) => found,
        };
        match found {
            Ok(now) if now.cooked.digest == cooked.digest => FormulaNow::Same,
            Ok(_) => FormulaNow::Changed,
            Err(error) => FormulaNow::Broken(error.to_string()),
        }
    }

    /// Returns the runbook with a molecule's programs, for the user to review and trust.
    ///
    /// # Errors
    /// Returns an error if the molecule doesn't exist or was burned.
    pub fn runbook(&self, id: &str) -> Result<RunbookFile, Error> {
        let mut session = self.ledger.open(None, "trust")?;
        let molecules = self.on(&mut session);
        let id = molecules.id(Some(id))?;
        runbook_of(&id, &molecules.formula_of(&id)?)
    }

    /// Like [`runbook`](Self::runbook), for the programs in a bead's criteria.
    ///
    /// # Errors
    /// Returns an error if the bead doesn't exist or its criteria can't be read.
    pub fn bead_runbook(&self, id: &str) -> Result<RunbookFile, Error> {
        let mut session = self.ledger.open(None, "trust")?;
        runbook_of_criteria(id, &criteria_of_bead(&session.beads().get(id, None)?.bead)?)
    }

    /// Returns the runbook of a molecule (`mol:ID`) or of a bead (`bead:ID`), or `None` for any
    /// other name.
    #[must_use]
    pub fn runbook_called(&self, name: &str) -> Option<Result<RunbookFile, Error>> {
        match name.split_once(':') {
            Some(("mol", id)) => Some(self.runbook(id)),
            Some(("bead", id)) => Some(self.bead_runbook(id)),
            _ => None,
        }
    }

    pub(crate) fn is_trusted(&self, runbook: &RunbookFile) -> Result<bool, Error> {
        TrustService::new(&self.site).is_runbook_trusted(runbook)
    }
}

/// Trusts molecules by the digest of their programs, regardless of their name.
#[derive(Debug)]
struct ByRunbook;

impl MolTrust for ByRunbook {
    fn digest(&self, molecule: &str, cooked: &CookedFormula) -> Result<Digest, Error> {
        Ok(runbook_of(molecule, cooked)?.digest)
    }

    fn is_trusted(
        &self,
        site: &Site,
        molecule: &str,
        cooked: &CookedFormula,
    ) -> Result<bool, Error> {
        TrustService::new(site).is_runbook_trusted(&runbook_of(molecule, cooked)?)
    }
}
