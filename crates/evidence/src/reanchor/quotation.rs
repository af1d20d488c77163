//! Quotations of code in documents.
//!
//! A document that shows lines of code is not their new location, even if the code was deleted. It
//! is only a candidate that a user may choose. A code file that was renamed to a document is an
//! exception, so its text can be claimed there.

use windlass_base::{RepoPath, is_on};
use windlass_repo::is_prose;

use super::Search;
use super::verdict::{Found, ambiguous};
use crate::explain::Trace;

/// Returns `found`, or an ambiguous verdict if the claimed location quotes the text in a document.
pub(crate) fn unless_quoted(search: &Search<'_>, found: Found, trace: &mut Trace) -> Found {
    let claimed = found.repair.evidence.as_ref();
    let Some(claimed) = claimed.filter(|claimed| is_quotation(search, &claimed.file)) else {
        return found;
    };
    let why = format!("the document `{}` quotes it", claimed.file);
    trace.note("quotation", || why.clone());
    Found {
        why: Some(why),
        repair: ambiguous(vec![claimed.clone()]),
    }
}

/// Returns true if `file` is a document and the captured file was not. Its lines are then a
/// quotation, unless the captured file became this one.
pub(crate) fn is_quotation(search: &Search<'_>, file: &RepoPath) -> bool {
    let own = &search.pointer.file;
    is_on("evidence.quotation")
        && !is_prose(own.as_str())
        && is_prose(file.as_str())
        && !became(search, file)
}

fn became(search: &Search<'_>, file: &RepoPath) -> bool {
    let commit = search.capture.and_then(|capture| capture.commit.as_deref());
    commit.is_some_and(|commit| {
        let history = search.snapshot.history();
        let names = history.names_since(commit, &search.pointer.file);
        names.into_iter().any(|name| name == *file)
    })
}
