//! What is wrong with what is to be done to the notebook: all of it is told at once.

use windlass_base::{Diagnostic, Diagnostics, Place};
use windlass_site::{Error, ErrorKind};

use crate::NotebookError;

/// What is wrong with operations.
#[derive(Default)]
pub(crate) struct Mistakes {
    found: Diagnostics,
    /// What each means for who asked.
    kinds: Vec<ErrorKind>,
    /// The first that is written nowhere.
    first: Option<Error>,
}

impl Mistakes {
    /// What is wrong with a document.
    pub(crate) fn of(found: Diagnostics) -> Self {
        let kinds = found.iter().map(|_| ErrorKind::Invalid);
        Self {
            kinds: kinds.collect(),
            found,
            first: None,
        }
    }

    /// Adds `error`, about what is written at `place`.
    pub(crate) fn push(&mut self, error: Error, place: Option<&Place>) {
        self.kinds.push(error.kind());
        let Some(place) = place else {
            self.first.get_or_insert(error);
            return;
        };
        match error.found() {
            // It has places of its own.
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

    /// Nothing where there are none.
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
