//! The local end of a shared log.
//!
//! A reader whose replica is fresh enough never asks the shared log, so we do not connect before
//! the first use. If we cannot reach the log, we record that in the replica's note. Without that,
//! every following command would wait for the timeout again.

use std::sync::Arc;

use super::note::{Failure, ReplicaNote};
use super::shared_contact::SharedContact;
use super::{Head, OpenShared, Opening, SharedConfig, SharedError, SharedLog, read_config};
use crate::{LedgerError, Places, Stamp};

#[derive(Debug)]
pub(crate) struct Replica {
    pub(super) config: SharedConfig,
    pub(super) places: Places,
    opener: Option<Arc<dyn OpenShared>>,
    link: Option<Box<dyn SharedLog>>,
    pub(super) note: ReplicaNote,
    pub(super) is_note_due: bool,
    is_offline: bool,
    warning: Option<String>,
}

impl Replica {
    /// The replica of the ledger at `places`, or `None` if it is not shared. If `is_offline` is
    /// set, it never connects.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be read.
    pub(crate) fn of(
        places: &Places,
        opener: Option<Arc<dyn OpenShared>>,
        is_offline: bool,
    ) -> Result<Option<Self>, LedgerError> {
        let config = read_config(places)?;
        Ok(config.map(|config| Self::new(places, config, opener, is_offline)))
    }

    /// Like [`Self::of`], for a configuration that may not be in its file yet.
    pub(crate) fn new(
        places: &Places,
        config: SharedConfig,
        opener: Option<Arc<dyn OpenShared>>,
        is_offline: bool,
    ) -> Self {
        Self {
            note: ReplicaNote::read(places, &log_name(&config)),
            is_offline: is_offline || config.offline_since.is_some(),
            places: places.clone(),
            config,
            opener,
            link: None,
            is_note_due: false,
            warning: None,
        }
    }

    pub(crate) fn config(&self) -> &SharedConfig {
        &self.config
    }

    pub(crate) fn is_offline(&self) -> bool {
        self.is_offline
    }

    pub(crate) fn note(&self) -> &ReplicaNote {
        &self.note
    }

    /// True if a reader should ask the shared log for newer events. It should not within `max_age`
    /// microseconds of a pull, or shortly after a failure.
    pub(crate) fn is_due(&self, now: Stamp, max_age: i64) -> bool {
        let pulled_at = self.note.pulled_at;
        let is_fresh = pulled_at.is_some_and(|at| now.since(at).abs() < max_age);
        let failed = self.note.failed.as_ref();
        !self.is_offline && !is_fresh && !failed.is_some_and(|failed| failed.is_recent(now))
    }

    /// The result of the last attempt to reach the shared log. This does not make another.
    pub(crate) fn contact(&self) -> SharedContact {
        let failed = self.note.failed.clone();
        // If the user took the clone offline, an earlier failure is no longer of interest.
        let failed = failed.filter(|_| self.config.offline_since.is_none());
        let (failed_at, problem) = failed.map(|failed| (failed.at, failed.why)).unzip();
        SharedContact {
            location: self.config.location.clone(),
            offline_since: self.config.offline_since,
            pulled_at: self.note.pulled_at,
            failed_at,
            problem,
        }
    }

    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// If we could not reach the shared log, warns how old the replica is.
    pub(crate) fn warn_if_outdated(&mut self, now: Stamp) {
        let failed = self.note.failed.as_ref().filter(|_| !self.is_offline);
        self.warning = failed.map(|failed| {
            let age = match self.note.pulled_at {
                Some(at) => format!("shows its state of {} ago", spoken(now.since(at))),
                None => "has never been up to date".to_owned(),
            };
            format!(
                "the shared ledger `{}` cannot be reached, so this {age}: {}",
                self.config.location, failed.why
            )
        });
    }

    pub(super) fn note_pulled(&mut self, now: Stamp) {
        (self.note.pulled_at, self.note.failed, self.warning) = (Some(now), None, None);
    }

    /// Reads the note again, since another process may have written it.
    pub(super) fn reread(&mut self) {
        // While we're connected, we know the server's clock better than the file.
        let ahead = self.link.is_some().then_some(self.note.clock_ahead);
        self.note = ReplicaNote::read(&self.places, &log_name(&self.config));
        self.note.clock_ahead = ahead.unwrap_or(self.note.clock_ahead);
    }

    pub(super) fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// Gets the connection, opening it if necessary.
    ///
    /// # Errors
    /// Returns an error if the log cannot be reached.
    pub(super) fn link(
        &mut self,
        opening: Opening,
    ) -> Result<&mut Box<dyn SharedLog>, SharedError> {
        if self.link.is_none() {
            let opener = self.opener.as_ref().ok_or_else(|| {
                SharedError::Unreachable("this program has no backend for it".to_owned())
            })?;
            let mut link = opener.open(&self.config, opening)?;
            self.note.clock_ahead = link.head()?.clock_ahead.unwrap_or(0);
            self.link = Some(link);
        }
        self.link
            .as_mut()
            .ok_or_else(|| SharedError::Unreachable("not connected".to_owned()))
    }

    pub(super) fn see_clock(&mut self, head: &Head) {
        self.note.clock_ahead = head.clock_ahead.unwrap_or(self.note.clock_ahead);
    }

    /// Runs `call` on the connection, and closes it after a failure.
    ///
    /// # Errors
    /// Returns the error from opening the connection or from `call`.
    pub(super) fn ask<T>(
        &mut self,
        opening: Opening,
        call: impl FnOnce(&mut dyn SharedLog) -> Result<T, SharedError>,
    ) -> Result<T, SharedError> {
        let link = self.link(opening)?;
        link.limit_for(opening);
        let done = call(link.as_mut());
        // `Diverged` is a regular answer, so the connection is fine. After any other error, the
        // next call connects again.
        if done
            .as_ref()
            .is_err_and(|error| !matches!(error, SharedError::Diverged(_)))
        {
            self.link = None;
        }
        done
    }

    /// Downloads the blob `id`. Returns `None` if the backend does not have it.
    ///
    /// # Errors
    /// Returns an error if the backend cannot be read.
    pub(crate) fn blob(&mut self, id: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        let found = self.ask(Opening::Read, |link| link.blob(id));
        found.map_err(|error| error.at(&self.config.location))
    }

    /// Asks the backend what it knows about its own reliability. The flag is true for a problem.
    ///
    /// # Errors
    /// Returns the reason why the log cannot be reached.
    pub(crate) fn inspect(&mut self, now: Stamp) -> Result<Vec<(bool, String)>, String> {
        let found = self.ask(Opening::Read, |link| link.inspect());
        found.map_err(|error| {
            let error = error.at(&self.config.location);
            self.note_failure(now, &error);
            error.to_string()
        })
    }

    /// Records that we could not reach the log, so that later readers do not try again at once.
    pub(crate) fn note_failure(&mut self, now: Stamp, error: &LedgerError) {
        let why = match error {
            LedgerError::Unreachable { why, .. } | LedgerError::Unsettled { why, .. } => {
                why.clone()
            }
            error => error.to_string(),
        };
        // Another process may know more by now.
        self.reread();
        let count = self.note.failed.as_ref().map_or(0, |failed| failed.count);
        self.note.failed = Some(Failure {
            at: now,
            why,
            count: count.saturating_add(1),
        });
        // If we can't write the note, the next reader just tries again.
        let _ = self.write_note();
    }

    pub(super) fn write_note(&mut self) -> Result<(), LedgerError> {
        self.is_note_due = false;
        self.note.write(&self.places)
    }

    /// Like [`Replica::note_failure`], but for writers. Their errors may have other causes, such as
    /// a refused event, which do not tell us anything about the connection.
    pub(crate) fn note_if_unreachable(&mut self, now: Stamp, error: &LedgerError) {
        if matches!(
            error,
            LedgerError::Unreachable { .. } | LedgerError::Unsettled { .. }
        ) {
            self.note_failure(now, error);
        }
    }
}

fn log_name(config: &SharedConfig) -> String {
    format!("{} {}", config.location, config.name)
}

/// Formats microseconds for a message, e.g. `3 min`.
fn spoken(micros: i64) -> String {
    let seconds = (micros / 1_000_000).max(0);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
