//! A runbook that was found, as a plan.

use std::sync::Arc;

use windlass_base::{Diagnostics, Digest, Place};
use windlass_plan::{Catalog, Document, Plan};
use windlass_site::Error;

use super::runbook_place::RunbookPlace;
use crate::SavedRunbook;
use crate::anchor_exchange::Mark;

/// A runbook that was found and checked.
#[derive(Debug, Clone)]
pub struct RunbookFile {
    /// The file as the user knows it: relative to the repository's root, or as it was given.
    pub file: String,
    /// What it can be run by from anywhere in the repository: its name, or its file; nothing when it lies
    /// outside.
    pub call: Option<String>,
    /// Its plan.
    pub plan: Arc<Plan>,
    /// What is odd about it.
    pub warnings: Diagnostics,
    /// The digest of its text.
    pub digest: Digest,
    /// The conditions by which it asks for variables of the environment, which only molecules do.
    pub asks: Vec<String>,
    /// Where its id stands.
    pub(super) id_place: Option<Place>,
}

impl RunbookFile {
    /// A runbook that was made of something else, which is called `name` for those who trust it.
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

/// Whether two runbooks are the same, whatever git made of the ends of their lines.
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

/// Checks the document `bytes` and makes a plan of it.
pub(crate) fn compile(
    file: &str,
    call: Option<String>,
    bytes: &[u8],
    catalog: &Catalog,
) -> Result<RunbookFile, Error> {
    Ok(read_and_compile(file, call, bytes, catalog)?.0)
}

/// The same, and the document.
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
