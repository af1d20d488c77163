//! Compiled runbooks.

use std::sync::Arc;

use windlass_base::{Diagnostics, Digest, Place};
use windlass_plan::{Catalog, Document, Plan};
use windlass_site::Error;

use super::runbook_place::RunbookPlace;
use crate::SavedRunbook;
use crate::anchor_exchange::Mark;

/// A runbook that was found and compiled.
#[derive(Debug, Clone)]
pub struct RunbookFile {
    /// The runbook's file, relative to the root or as given by the user.
    pub file: String,
    /// Name or file for running the runbook from anywhere in the repository. `None` for a file
    /// outside of it.
    pub call: Option<String>,
    /// The runbook's compiled plan.
    pub plan: Arc<Plan>,
    /// Warnings about the runbook.
    pub warnings: Diagnostics,
    /// Digest of the text.
    pub digest: Digest,
    /// Conditions that read environment variables, and runs of other repositories' runbooks. Only
    /// molecules have any.
    pub asks: Vec<String>,
    /// The id's position in the document, for messages.
    pub(super) id_place: Option<Place>,
}

impl RunbookFile {
    /// Creates a runbook from a generated plan, for users to trust under `name`.
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

/// Returns true if two texts are the same except for their line endings, since git may convert
/// those.
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

/// Compiles the document `bytes`.
pub(crate) fn compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    Ok(read_and_compile(file, call, bytes, catalog)?.0)
}

/// Compiles the document `bytes`, and also returns the parsed document.
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
