//! Saves an anchor, new or existing. `anchor add`, its bulk form and transactions all follow these
//! rules.
//!
//! Fields that are omitted keep their value. The exception is the locator, because it describes a
//! location: if the anchor moves, we only keep a locator that is still valid for the new lines. A
//! symbol would otherwise lead back to the old location once the evidence is stale.

use windlass_base::{Cancel, LineSpan};
use windlass_evidence::symbol_named;
use windlass_redact::redact_text;
use windlass_repo::{GlobSet, ListQuery, Snapshot};
use windlass_site::Error;

use crate::{
    Anchor, AnchorDraft, AnchorEvidence, Locator, LocatorKind, NotebookEdit, NotebookError,
    Operation,
};

/// Checks `operation`. If it replaces an anchor whose locator is still valid, the locator becomes
/// part of the operation.
pub(crate) fn completed(
    edit: &NotebookEdit<'_>,
    operation: Operation,
    snapshot: &Snapshot,
) -> Result<Operation, Error> {
    let mut draft = match operation {
        Operation::UpsertAnchor(draft) => draft,
        Operation::Relocate(mut relocate) => {
            if let Some(before) = edit.anchor(relocate.id.as_str())
                && let Some(locator) = &before.locator
            {
                let new: Vec<_> = relocate.places.iter().map(|(_, new)| new).collect();
                relocate.keeps_locator = still_true(locator, &before, &new, snapshot);
            }
            return Ok(Operation::Relocate(relocate));
        }
        operation @ (Operation::DeleteAnchor(_)
        | Operation::UpsertRunbook(_)
        | Operation::DeleteRunbook(_)) => return Ok(operation),
    };
    no_secret_in(&draft)?;
    for glob in draft.zone.iter().flatten() {
        ListQuery::check_glob(glob)?;
    }
    if draft.locator.is_none()
        && !draft.evidence.is_empty()
        && let Some(before) = edit.anchor(draft.id.as_str())
        && let Some(locator) = &before.locator
        && still_true(
            locator,
            &before,
            &draft.evidence.iter().collect::<Vec<_>>(),
            snapshot,
        )
    {
        draft.locator = Some(locator.clone());
    }
    Ok(Operation::UpsertAnchor(draft))
}

/// Fails if one of the user's texts contains a secret value. We store and show these texts as they
/// are, so redacting them later is not an option.
fn no_secret_in(draft: &AnchorDraft) -> Result<(), Error> {
    let list = |texts: &Option<Vec<String>>| {
        texts
            .as_ref()
            .map_or_else(String::new, |texts| texts.join("\n"))
    };
    let fields = [
        ("name", draft.id.to_string()),
        ("label", draft.label.clone().unwrap_or_default()),
        (
            "locator",
            draft
                .locator
                .as_ref()
                .map_or_else(String::new, |locator| locator.value.clone()),
        ),
        ("zone", list(&draft.zone)),
        ("tags", list(&draft.tags)),
    ];
    let holds_secret = |(_, text): &&(&str, String)| !redact_text(text).1.is_empty();
    match fields.iter().find(holds_secret) {
        Some((field, _)) => Err(NotebookError::SecretWords { field }.into()),
        None => Ok(()),
    }
}

/// True if `locator`, which comes from `before`, also finds the new evidence.
fn still_true(
    locator: &Locator,
    before: &Anchor,
    now: &[&AnchorEvidence],
    snapshot: &Snapshot,
) -> bool {
    let value = &locator.value;
    let mut evidence = now.iter();
    match locator.kind {
        LocatorKind::Symbol => evidence.any(|one| defines(one, value, snapshot)),
        LocatorKind::SnippetSha256 => evidence.any(|one| {
            let hash = one.source_hash.map(|hash| hash.to_string());
            hash.is_some_and(|hash| hash.ends_with(value.as_str()))
        }),
        LocatorKind::PathGlob => GlobSet::new(std::slice::from_ref(value))
            .is_ok_and(|globs| evidence.any(|one| globs.matches(&one.file))),
        // We can't tell what such a locator means, only its author can. But it was written for the
        // old files, so keep it as long as the evidence is in these.
        LocatorKind::Grep | LocatorKind::Other => evidence.all(|one| {
            let mut files = before.evidence.iter().map(|before| &before.file);
            files.any(|file| *file == one.file)
        }),
    }
}

fn defines(evidence: &AnchorEvidence, name: &str, snapshot: &Snapshot) -> bool {
    let overlap =
        |one: LineSpan, other: LineSpan| one.start() <= other.end() && other.start() <= one.end();
    let symbol = snapshot
        .read(&evidence.file)
        .ok()
        .and_then(|source| symbol_named(&source, &evidence.file, name, &Cancel::default()).ok());
    symbol
        .zip(evidence.span())
        .is_some_and(|(symbol, span)| overlap(symbol.span, span))
}
