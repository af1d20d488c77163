//! Quotations of code in documents.
//!
//! A document that shows lines of code is not their new location, even if the code is deleted. Such a location is a
//! candidate, which a person may choose. A file that became a document under a new name keeps its text.

use windlass_base::{Repair, RepairOutcome, RepoPath};
use windlass_repo::is_prose;

use super::Search;
use super::verdict::Found;
use crate::explain::Trace;

impl Search<'_> {
    /// Returns `found`, but a candidate instead of a claim if the claimed location is a quotation.
    pub(super) fn unless_quoted(&self, found: Found, trace: &mut Trace) -> Found {
        let claimed = found.repair.evidence.as_ref();
        let Some(claimed) = claimed.filter(|claimed| self.is_quotation(&claimed.file)) else {
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

    /// True if the text in `file` quotes the captured text: `file` is a document, and the captured file was none.
    pub(crate) fn is_quotation(&self, file: &RepoPath) -> bool {
        let own = &self.pointer.file;
        !is_prose(own.as_str()) && is_prose(file.as_str()) && !self.became(file)
    }

    /// True if the captured file was renamed to `file`.
    fn became(&self, file: &RepoPath) -> bool {
        let commit = self.capture.and_then(|capture| capture.commit.as_deref());
        let names = commit.map(|commit| {
            let history = self.snapshot.history();
            history.names_since(commit, &self.pointer.file)
        });
        names.is_some_and(|names| names.into_iter().any(|name| name == *file))
    }
}
