//! Compiled runbooks, and reading them from a document.

use std::sync::Arc;

use windlass_base::{Diagnostics, Digest, Place};
use windlass_plan::{Catalog, Document, Plan};
use windlass_site::Error;

use super::runbook_place::RunbookPlace;
use crate::SavedRunbook;
use crate::anchor_exchange::Mark;

/// A compiled and therefore valid runbook.
#[derive(Debug, Clone)]
pub struct RunbookFile {
    /// The file, relative to the root or as given by the user.
    pub file: String,
    /// Name or file for running it from anywhere in the repository. This is `None` for a file
    /// outside of the repository.
    pub call: Option<String>,
    /// The runbook's compiled plan.
    pub plan: Arc<Plan>,
    /// Warnings to show to the user. They do not prevent a run.
    pub warnings: Diagnostics,
    /// Digest of the text.
    pub digest: Digest,
    /// Further things the user has to trust: conditions on environment variables, and runs of other
    /// repositories' runbooks. Only molecules use these.
    pub asks: Vec<String>,
    pub(super) id_place: Option<Place>,
}

impl RunbookFile {
    /// Wraps a generated plan as a runbook. Since there is no file, users trust it under `name`.
    #[must_use]
    pub fn made(name: &str, plan: Plan, digest: Digest) -> Self {
        Self {
            file: name.to_owned(),
            call: Some(name.to_owned()),
            plan: Arc::new(plan),
            warnings: Diagnostics::default(),
            digest,
            asks: Vec::new(),
            id_place: None,
        }
    }
}

/// True if two texts are the same apart from line endings, which git may convert on checkout.
pub(super) fn same_text(one: &[u8], other: &[u8]) -> bool {
    let mark = |bytes| std::str::from_utf8(bytes).ok().map(Mark::of_runbook);
    one == other || mark(one).is_some_and(|one| mark(other) == Some(one))
}

pub(super) fn compile_saved(
    saved: &SavedRunbook,
    call: &str,
    catalog: &Catalog,
) -> Result<(RunbookFile, Document), Error> {
    let place = RunbookPlace::Notebook(saved.id.clone()).to_string();
    read_and_compile(
        &place,
        Some(call.to_owned()),
        saved.text.as_bytes(),
        catalog,
    )
}

/// Compiles the document `bytes`. See [`RunbookFile`] for `file` and `call`.
pub(crate) fn compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    Ok(read_and_compile(file, call, bytes, catalog)?.0)
}

/// Like [`compile`], but also returns the parsed document.
pub(crate) fn read_and_compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<(RunbookFile, Document), Error> {
    let document = Document::parse(file, bytes).map_err(Error::document)?;
    let runbook = compile_document(&document, Digest::of_bytes(bytes), call, catalog)?;
    Ok((runbook, document))
}

pub(super) fn compile_document(
    document: &Document,
    digest: Digest,
    call: Option<String>,
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    let (plan, warnings) =
        windlass_plan::resolve_document(document, catalog).map_err(Error::document)?;
    Ok(RunbookFile {
        file: document.source().name().to_owned(),
        call,
        plan: Arc::new(plan),
        warnings,
        digest,
        asks: Vec::new(),
        id_place: document.at("/id").map(|id| id.place()),
    })
}
