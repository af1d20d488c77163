//! Collects all errors of a notebook edit, so that we can report them together.

use windlass_base::{Diagnostic, Diagnostics, Place};
use windlass_site::{Error, ErrorKind};

use crate::NotebookError;

/// Errors found so far in an edit's operations.
#[derive(Default)]
pub(crate) struct Mistakes {
    found: Diagnostics,
    /// Each error's category. Together they determine that of the whole edit.
    kinds: Vec<ErrorKind>,
    /// First error without a position in the document, which we report alone.
    first: Option<Error>,
}

impl Mistakes {
    /// Creates the collection from the findings about the document.
    pub(crate) fn of(found: Diagnostics) -> Self {
        let kinds = found.iter().map(|_| ErrorKind::Invalid);
        Self {
            kinds: kinds.collect(),
            found,
            first: None,
        }
    }

    /// Adds `error` from the operation at `place`.
    pub(crate) fn push(&mut self, error: Error, place: Option<&Place>) {
        self.kinds.push(error.kind());
        let Some(place) = place else {
            self.first.get_or_insert(error);
            return;
        };
        match error.found() {
            // The error has its own positions, so add the operation as a second location.
            Some(found) => {
                let found = found.clone().into_iter();
                self.found
                    .extend(found.map(|one| one.see(place.clone(), "for this operation")));
            }
            None => {
                let finding = Diagnostic::error("transaction", error.to_string()).at(place.clone());
                self.found.push(match error.help() {
                    Some(help) => finding.help(help),
                    None => finding,
                });
            }
        }
    }

    /// Combines the collected errors into one, or returns `Ok` without any.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        if let Some(error) = self.first {
            return Err(error);
        }
        let Some(first) = self.kinds.first() else {
            return Ok(());
        };
        self.found.sort();
        let same = self.kinds.iter().all(|kind| kind == first);
        let kind = if same { *first } else { ErrorKind::Invalid };
        Err(NotebookError::Transaction {
            found: self.found,
            kind,
        }
        .into())
    }
}
