//! vContext documents (a TodoList or a Plan) poured like formulas.

use std::path::Path;

use windlass_base::Diagnostic;
use windlass_formula::{CookOptions, CookedFormula, FormulaFile};
use windlass_ledger::{LedgerError, State, is_document};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};
use windlass_vcontext::{Document, DocumentService, as_formula, locked_items, work_digest};

/// Results of comparing a molecule's formula with the current files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaNow {
    /// The files haven't changed since the molecule was poured.
    Same,
    /// The files have changed since the molecule was poured.
    Changed,
    /// The files can no longer be cooked, for the given reason.
    Broken(String),
}

/// Cooks the vContext document in the file `name`. Returns `None` if the file isn't such a
/// document.
///
/// # Errors
/// Returns an error if the document can't be read, is invalid, is outside the repository, or has no
/// open item. Also returns an error if a variable is set, because documents have no variables.
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

/// Compares the work in the document with the poured work. Progress doesn't count as a change.
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

/// Checks that no other open molecule was poured from this document, because two molecules would
/// overwrite each other's progress.
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

/// Returns a warning for each item that another actor has locked in the document, because its
/// progress can't be written.
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
