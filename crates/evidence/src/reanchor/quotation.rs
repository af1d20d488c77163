//! Quotations of code in documents.
//!
//! A document that shows lines of code is not their new location, even if the code was deleted. Such a location is only
//! a candidate that a person may choose. If a code file was renamed to a document, its text stays a possible claim.

use windlass_base::{Repair, RepairOutcome, RepoPath, is_on};
use windlass_repo::is_prose;

use super::Search;
use super::verdict::Found;
use crate::explain::Trace;

/// Returns `found`. If the claimed location is a quotation of the text, it becomes a candidate instead of a claim.
pub(crate) fn unless_quoted(search: &Search<'_>, found: Found, trace: &mut Trace) -> Found {
    let claimed = found.repair.evidence.as_ref();
    let Some(claimed) = claimed.filter(|claimed| is_quotation(search, &claimed.file)) else {
        return found;
    };
    let why = format!("the document `{}` quotes it", claimed.file);
    trace.note("quotation", || why.clone());
    Found {
        why: Some(why),
        repair: Repair {
            outcome: RepairOutcome::Ambiguous,
            candidates: vec![claimed.clone()],
            ..Repair::unproven()
        },
    }
}

/// True if the text in `file` quotes the captured text. That is, `file` is a document, and the captured file was not.
pub(crate) fn is_quotation(search: &Search<'_>, file: &RepoPath) -> bool {
    let own = &search.pointer.file;
    is_on("evidence.quotation")
        && !is_prose(own.as_str())
        && is_prose(file.as_str())
        && !became(search, file)
}

/// True if the captured file was renamed to `file`.
fn became(search: &Search<'_>, file: &RepoPath) -> bool {
    let commit = search.capture.and_then(|capture| capture.commit.as_deref());
    commit.is_some_and(|commit| {
        let history = search.snapshot.history();
        let names = history.names_since(commit, &search.pointer.file);
        names.into_iter().any(|name| name == *file)
    })
}
