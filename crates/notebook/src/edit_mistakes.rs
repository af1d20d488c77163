//! Collects the errors of a notebook edit, so that they are reported together.

use windlass_base::{Diagnostic, Diagnostics, Place};
use windlass_site::{Error, ErrorKind};

use crate::NotebookError;

/// Errors of the operations of an edit, as collected so far.
#[derive(Default)]
pub(crate) struct Mistakes {
    found: Diagnostics,
    /// Category of each error, which determines that of the whole edit.
    kinds: Vec<ErrorKind>,
    /// First error without a position in the document. It is reported alone.
    first: Option<Error>,
}

impl Mistakes {
    /// Creates the collection with the findings of the document.
    pub(crate) fn of(found: Diagnostics) -> Self {
        let kinds = found.iter().map(|_| ErrorKind::Invalid);
        Self {
            kinds: kinds.collect(),
            found,
            first: None,
        }
    }

    /// Adds `error`, which occurred in the operation at `place`.
    pub(crate) fn push(&mut self, error: Error, place: Option<&Place>) {
        self.kinds.push(error.kind());
        let Some(place) = place else {
            self.first.get_or_insert(error);
            return;
        };
        match error.found() {
            // The error has positions of its own, so the operation is added as a second location.
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

    /// Returns the collected errors as a single error. Returns `Ok` if there are none.
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
