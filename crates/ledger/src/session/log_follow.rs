//! Support for programs that wait for changes of the log.

use std::path::PathBuf;

use super::{Sharing, lock_request};
use crate::journal::sharing;
use crate::shared::{Opening, SharedError, SharedLog};
use windlass_site::Error;

/// Opens a connection to a shared log.
pub type SharedOpener =
    Box<dyn Fn(Opening) -> Result<Box<dyn SharedLog>, SharedError> + Send + Sync>;

impl Sharing<'_> {
    /// Returns the files whose change means new events: the log and its copies in working trees.
    #[must_use]
    pub fn log_files(&self) -> Vec<PathBuf> {
        let places = self.session.places();
        let log = places.journal();
        let files = std::iter::once(log).chain(places.copies());
        files.map(|file| file.path().to_owned()).collect()
    }

    /// Returns a function for opening further connections to the shared log, or `None` if the
    /// ledger is not shared or works offline. Waiting blocks a connection, so a program that waits
    /// needs one of its own.
    #[must_use]
    pub fn opener(&mut self) -> Option<SharedOpener> {
        let backends = self.session.service.backends()?;
        let replica = sharing::replica(&mut self.session.journal)?;
        let config = (!replica.is_offline()).then(|| replica.config().clone())?;
        Some(Box::new(move |opening| backends.open(&config, opening)))
    }

    /// Returns the position of the local replica in the shared log.
    #[must_use]
    pub fn position(&mut self) -> Option<u64> {
        Some(
            sharing::replica(&mut self.session.journal)?
                .note()
                .agreed
                .position
                .at,
        )
    }

    /// Pulls the events of other machines, however recent the last pull was. If we cannot reach the
    /// shared log, this succeeds with a warning.
    ///
    /// # Errors
    /// Returns an error if the local log cannot be read.
    pub fn pull(&mut self) -> Result<(), Error> {
        let (now, request) = (self.session.now(), lock_request(self.session));
        Ok(sharing::pull(&mut self.session.journal, now, &request)?)
    }

    /// Returns true if the log or a copy in a working tree has changed since the last read.
    #[must_use]
    pub fn has_grown_here(&self) -> bool {
        self.session.journal.has_grown()
    }
}
