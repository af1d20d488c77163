//! Applies transactions from documents, written by people or agents.
//!
//! This module does the part that needs the repository: it captures lines and reads runbooks from
//! files. The operations are then applied in the same way as any others. Errors from all stages are
//! collected, so a single attempt shows all of them.

use std::path::Path;

use windlass_evidence::Captured;
use windlass_repo::Snapshot;
use windlass_site::{Error, Site};

use crate::anchor_place::{AnchorPlace, capture_place, place_named};
use crate::edit_mistakes::Mistakes;
use crate::shelf::compile;
use crate::transact::{Transactor, Work};
use crate::transaction::{Asked, AskedAnchor, AskedPlace, AskedRunbook, Transaction};
use crate::{
    AnchorDraft, AnchorFreshness, EditMode, Locator, NotebookChange, NotebookError, Operation,
    SavedRunbook,
};

/// Request to apply a transaction document.
#[derive(Debug, Clone)]
pub struct EditRequest<'a> {
    /// Name of the document, for messages.
    pub name: &'a str,
    /// The document, as JSON or YAML.
    pub text: &'a [u8],
    /// First folder to search for relative files. If they aren't there, the root is searched.
    pub start: &'a Path,
    /// Required revision of the notebook. If the document requires one as well, both have to be the
    /// same.
    pub if_revision: Option<u64>,
    /// Decides if the transaction is applied or only previewed.
    pub mode: EditMode,
}

/// Applies the whole transaction, or nothing.
///
/// # Errors
/// Returns [`NotebookError::Transaction`] with the positions of all errors if an operation is
/// invalid. Returns other errors if the notebook is at another revision, or if reading or writing
/// it fails.
pub(crate) fn edit_notebook(
    transactor: &Transactor,
    request: &EditRequest<'_>,
) -> Result<NotebookChange, Error> {
    let site = transactor.desk.site();
    let read = Transaction::read_in_part(request.name, request.text);
    let (transaction, found) = read.map_err(Error::document)?;
    let snapshot = transactor.snapshot();
    let mut mistakes = Mistakes::of(found);
    let mut operations = Vec::with_capacity(transaction.operations.len());
    let freshness = transactor.desk.freshness();
    for one in transaction.operations {
        let operation = match one.what {
            Asked::UpsertAnchor(anchor) => {
                let draft = draft(site, *anchor, &freshness, &snapshot, &mut mistakes);
                draft.map(|draft| Operation::UpsertAnchor(Box::new(draft)))
            }
            Asked::DeleteAnchor(id) => Some(Operation::DeleteAnchor(id)),
            Asked::DeleteRunbook(id) => Some(Operation::DeleteRunbook(id)),
            Asked::UpsertRunbook(runbook) => saved_runbook(transactor, runbook, request, &snapshot)
                .map(Operation::UpsertRunbook)
                .map_err(|error| mistakes.push(error, Some(&one.place)))
                .ok(),
        };
        operations.extend(operation.map(|operation| (operation, Some(one.place))));
    }
    if let (Some(given), Some(written)) = (request.if_revision, transaction.if_revision)
        && given != written
    {
        return Err(NotebookError::TwoRevisions { given, written }.into());
    }
    let work = Work {
        operations,
        if_revision: request.if_revision.or(transaction.if_revision),
        mode: request.mode,
        mistakes,
    };
    let edited = transactor.transact(work, |_| ())?;
    Ok(NotebookChange::new(
        edited.before,
        edited.revision,
        edited.changes,
        request.mode,
    ))
}

/// Captures the locations of an anchor. If a capture fails, this records the error and returns
/// `None`.
fn draft(
    site: &Site,
    asked: AskedAnchor,
    freshness: &AnchorFreshness,
    snapshot: &Snapshot,
    mistakes: &mut Mistakes,
) -> Option<AnchorDraft> {
    let (mut evidence, mut locator) = (Vec::new(), asked.locator);
    for (place, at) in &asked.at {
        match captured(site, place, snapshot) {
            Ok((captured, symbol)) => {
                evidence.push(captured.into());
                locator = locator.or(symbol);
            }
            Err(error) => mistakes.push(error, Some(at)),
        }
    }
    // Drop an anchor with a failed capture. Applying the rest would only lead to further errors, if
    // all of its locations are bad.
    (evidence.len() == asked.at.len()).then(|| AnchorDraft {
        id: asked.id,
        kind: asked.kind,
        label: asked.label,
        evidence,
        locator,
        zone: asked.zone,
        tags: asked.tags,
        freshness: freshness.clone(),
        must_be_new: false,
        is_suggestion: false,
    })
}

/// Captures a location. File names in a document are relative to the root, wherever the document
/// is.
fn captured(
    site: &Site,
    place: &AskedPlace,
    snapshot: &Snapshot,
) -> Result<(Captured, Option<Locator>), Error> {
    let (place, hash) = match place {
        AskedPlace::Text(text) => (place_named(site, text, site.repo().root())?, None),
        AskedPlace::Lines(file, span, hash) => (AnchorPlace::Lines(file.clone(), *span), *hash),
    };
    let (captured, locator) = capture_place(snapshot, &place)?;
    match hash {
        // The author has looked at other lines than those in the file now.
        Some(hash) if captured.pointer.source_hash != Some(hash) => {
            Err(NotebookError::OtherLines(captured.pointer.to_string()).into())
        }
        _ => Ok((captured, locator)),
    }
}

/// Reads a runbook to save. Its name isn't part of the request, but comes from the `id` in the
/// text.
fn saved_runbook(
    transactor: &Transactor,
    asked: AskedRunbook,
    request: &EditRequest<'_>,
    snapshot: &Snapshot,
) -> Result<SavedRunbook, Error> {
    let (name, bytes) = match asked {
        AskedRunbook::Text(text) => (format!("runbook in `{}`", request.name), text.into_bytes()),
        AskedRunbook::File(file) => {
            transactor
                .desk
                .site()
                .files()
                .read_document(&file, request.start, snapshot)?
        }
    };
    let id = compile(&name, None, &bytes, &transactor.runner.catalog())?
        .plan
        .id()
        .clone();
    let text = String::from_utf8(bytes)
        .map_err(|error| Error::internal(format!("{name} is not text: {error}")))?;
    Ok(SavedRunbook { id, text })
}
