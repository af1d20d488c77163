//! Saves an anchor under a name that may already exist. The same rules apply to `anchor add`, its
//! bulk form, and transactions.
//!
//! Fields that aren't given keep their value. A locator belongs to a location, so if the location
//! changes, we keep the locator only if it's still valid there. Otherwise, a symbol could outlive
//! the location it belonged to.

use windlass_base::{Cancel, LineSpan};
use windlass_evidence::symbol_named;
use windlass_redact::redact_text;
use windlass_repo::{GlobSet, ListQuery, Snapshot};
use windlass_site::Error;

use crate::{
    Anchor, AnchorDraft, AnchorEvidence, Locator, LocatorKind, NotebookEdit, NotebookError,
    Operation,
};

/// Checks `operation`. If it replaces an anchor, adds that anchor's locator if it's still valid.
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

/// Fails if texts written by the user contain secret values, because we store and show these texts
/// as they are.
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

/// Returns true if `locator`, from the former anchor `before`, also finds the new evidence.
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
        // Only the author knows the meaning of such a locator. It refers to the former files, so
        // keep it while the evidence stays in them.
        LocatorKind::Grep | LocatorKind::Other => evidence.all(|one| {
            let mut files = before.evidence.iter().map(|before| &before.file);
            files.any(|file| *file == one.file)
        }),
    }
}

/// Returns true if the symbol `name` is defined in the lines of `evidence`.
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
