//! Formulas that are documents: a TodoList or Plan that is poured.

use std::path::Path;

use windlass_base::Diagnostic;
use windlass_formula::{CookOptions, CookedFormula, FormulaFile};
use windlass_ledger::{LedgerError, State, is_document};
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};
use windlass_vcontext::{Document, DocumentService, as_formula, locked_items, work_digest};

/// How a molecule's formula stands to its files now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaNow {
    /// As it was poured.
    Same,
    /// Changed since.
    Changed,
    /// It can no longer be cooked, and why.
    Broken(String),
}

/// The formula that the vContext document in the file `name` is; nothing where it is another sort of document, or
/// none.
///
/// # Errors
/// When it cannot be read, is not valid, lies outside of the repository, or has nothing left to be done; when values are
/// given for variables, which it has none of.
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
            format!("a document has no variables, so `{name}` says nothing"),
        );
    }
    if site.repo().path_of(&start.join(name)).is_none() {
        let message =
            "the document lies outside of the repository, so nobody else could write how far it is";
        return refuse("outside", message.to_owned());
    }
    let cooked = as_formula(&document, &file).map_err(Error::document)?;
    Ok(Some(FormulaFile {
        file,
        cooked,
        warnings: windlass_base::Diagnostics::default(),
    }))
}

/// Whether the work in the document that a molecule was made of is still the same, however far it is.
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

/// That no open molecule is of this document already: two would write into it by turns.
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
            "`{id}` is made of `{formula}` and still open: go on with it, or put it away with `windlass mol squash {id} \
             --force`"
        ))
        .into()),
        None => Ok(()),
    }
}

/// Which items of the document that is poured are locked by others, each a text of one line: how far these are cannot be
/// written there.
pub(crate) fn locked_by_others(site: &Site, formula: &str, actor: Option<&str>) -> Vec<String> {
    if !is_document(formula) {
        return Vec::new();
    }
    let documents = DocumentService::new(site);
    let document = documents.vcontext(formula, site.repo().root(), &site.snapshot());
    let author = documents.author(actor);
    let locked = document.map(|document| locked_items(&document, &author));
    let told = locked.unwrap_or_default().into_iter().map(|error| {
        format!("{error}: how far it is cannot be written into `{formula}` meanwhile")
    });
    told.collect()
}
