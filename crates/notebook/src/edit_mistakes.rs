//! Collects all errors of an edit, so that the user can fix them in one go.

use windlass_base::{Diagnostic, Diagnostics, Place};
use windlass_site::{Error, ErrorKind};

use crate::NotebookError;

#[derive(Default)]
pub(crate) struct Mistakes {
    found: Diagnostics,
    /// The kind of each error. If they are all the same, it is also the kind of the whole edit.
    kinds: Vec<ErrorKind>,
    /// The first error without a position in the document. Without a position, the user could not
    /// tell several errors apart, so this one is reported alone.
    first: Option<Error>,
}

impl Mistakes {
    pub(crate) fn of(found: Diagnostics) -> Self {
        let kinds = found.iter().map(|_| ErrorKind::Invalid);
        Self {
            kinds: kinds.collect(),
            found,
            first: None,
        }
    }

    pub(crate) fn push(&mut self, error: Error, place: Option<&Place>) {
        self.kinds.push(error.kind());
        let Some(place) = place else {
            self.first.get_or_insert(error);
            return;
        };
        match error.found() {
            // The error comes with positions of its own, e.g. in a runbook. Add the operation as a
            // second location.
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

    /// Combines the errors into one. Returns `Ok` if there are none.
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
