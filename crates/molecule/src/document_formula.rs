//! Pours vContext documents (a TodoList or a Plan) in place of formulas.
//!
//! Each open item becomes a step, and the molecule's progress is written back to the document.
//! That's why the document has to be in the repository, and why only one open molecule can be
//! poured from it.

use std::path::Path;

use windlass_base::Diagnostic;
use windlass_formula::{CookOptions, CookedFormula, FormulaFile};
use windlass_ledger::{LedgerError, State, is_document};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};
use windlass_vcontext::{Document, DocumentService, as_formula, locked_items, work_digest};

/// Comparison of a molecule's formula with the present files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaNow {
    /// The files are unchanged since the molecule was poured.
    Same,
    /// The files would now give a different molecule.
    Changed,
    /// The files can no longer be cooked, for this reason.
    Broken(String),
}

/// Cooks the vContext document in the file `name`. Returns `None` if the file is something else, so
/// that the caller can try it as a formula.
///
/// # Errors
/// Returns an error if the document is unreadable, invalid, outside of the repository, or has no
/// open items. It's also an error to set variables, since documents don't have any.
pub(crate) fn document_formula(
    site: &Site,
    name: &str,
    start: &Path,
    snapshot: &Snapshot,
    options: &CookOptions<'_>,
) -> Result<Option<FormulaFile>, Error> {
    if !is_document(name) {
        return Ok(None);
    }
    let (file, bytes) = site.files().read_document(name, start, snapshot)?;
    if !Document::is_likely(&file, &bytes) {
        return Ok(None);
    }
    let document = Document::parse(&file, &bytes).map_err(Error::document)?;
    let refuse = |rule, message: String| {
        let finding = Diagnostic::error(rule, message).at(document.root().place());
        Err(Error::document(finding.into()))
    };
    if let Some(name) = options.vars.keys().next() {
        return refuse(
            "no-variables",
            format!("unknown variable `{name}`: a document has no variables"),
        );
    }
    if site.repo().path_of(&start.join(name)).is_none() {
        let message = "the document is outside the repository, so its progress cannot be shared";
        return refuse("outside", message.to_owned());
    }
    let cooked = as_formula(&document, &file).map_err(Error::document)?;
    Ok(Some(FormulaFile {
        file,
        cooked,
        warnings: windlass_base::Diagnostics::default(),
    }))
}

/// Compares the work in the document with what was poured. If only a status is different, that's
/// progress and not a change.
pub(crate) fn document_now(site: &Site, cooked: &CookedFormula, snapshot: &Snapshot) -> FormulaNow {
    let document =
        DocumentService::new(site).vcontext(&cooked.formula, site.repo().root(), snapshot);
    let digest = document.and_then(|document| work_digest(&document).map_err(Error::document));
    match digest {
        Ok(digest) if digest == cooked.digest => FormulaNow::Same,
        Ok(_) => FormulaNow::Changed,
        Err(error) => FormulaNow::Broken(error.to_string()),
    }
}

/// Checks that no other open molecule was poured from this document, since the two would keep
/// overwriting each other's progress.
pub(crate) fn check_poured_once(state: &State, formula: &str) -> Result<(), Error> {
    if !is_document(formula) {
        return Ok(());
    }
    let molecules = state.molecules.iter();
    let mut open = molecules.filter(|(_, found)| {
        found
            .head()
            .is_some_and(|head| head.is_open() && head.formula == formula)
    });
    match open.next() {
        Some((id, _)) => Err(LedgerError::Invalid(format!(
            "`{formula}` already has the open molecule `{id}`: continue it, or squash it with `windlass mol squash {id} \
             --force`"
        ))
        .into()),
        None => Ok(()),
    }
}

/// Warns about items of the document that another actor has locked, because we can't write their
/// progress.
pub(crate) fn locked_by_others(site: &Site, formula: &str, actor: Option<&str>) -> Vec<String> {
    if !is_document(formula) {
        return Vec::new();
    }
    let documents = DocumentService::new(site);
    let document = documents.vcontext(formula, site.repo().root(), &site.snapshot());
    let author = documents.author(actor);
    let locked = document.map(|document| locked_items(&document, &author));
    let warnings = locked
        .unwrap_or_default()
        .into_iter()
        .map(|error| format!("{error}: its progress cannot be written to `{formula}` until then"));
    warnings.collect()
}
