//! The local end of a shared log.
//!
//! We only connect on first use, since a reader with a fresh enough replica never asks the shared
//! log. If the log can't be reached, the replica's note says so, and later readers don't try again
//! at once. Otherwise every command would wait for the timeout.

use std::sync::Arc;

use super::note::{Failure, ReplicaNote};
use super::shared_contact::SharedContact;
use super::{Head, OpenShared, Opening, SharedConfig, SharedError, SharedLog, read_config};
use crate::{LedgerError, Places, Stamp};

/// A journal's connection to its shared log.
#[derive(Debug)]
pub(crate) struct Replica {
    pub(super) config: SharedConfig,
    pub(super) places: Places,
    opener: Option<Arc<dyn OpenShared>>,
    link: Option<Box<dyn SharedLog>>,
    pub(super) note: ReplicaNote,
    /// True if the note is newer than its file.
    pub(super) is_note_due: bool,
    is_offline: bool,
    /// Warning for a reader that didn't get the newest events.
    warning: Option<String>,
}

impl Replica {
    /// Returns the replica of the ledger at `places`, or `None` if it isn't shared. With
    /// `is_offline`, the replica never connects.
    ///
    /// # Errors
    /// Returns an error if the configuration can't be read.
    pub(crate) fn of(
        places: &Places,
        opener: Option<Arc<dyn OpenShared>>,
        is_offline: bool,
    ) -> Result<Option<Self>, LedgerError> {
        let config = read_config(places)?;
        Ok(config.map(|config| Self::new(places, config, opener, is_offline)))
    }

    /// Returns the replica of the shared log described by `config`.
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

    /// True if the user chose to work without the shared log.
    pub(crate) fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// Returns the note, as of the last exchange or failure.
    pub(crate) fn note(&self) -> &ReplicaNote {
        &self.note
    }

    /// True if a reader should ask the shared log for newer events. False within `max_age`
    /// microseconds of a pull, and shortly after a failure.
    pub(crate) fn is_due(&self, now: Stamp, max_age: i64) -> bool {
        let pulled_at = self.note.pulled_at;
        let is_fresh = pulled_at.is_some_and(|at| now.since(at).abs() < max_age);
        let failed = self.note.failed.as_ref();
        !self.is_offline && !is_fresh && !failed.is_some_and(|failed| failed.is_recent(now))
    }

    /// Returns the result of the last attempt to reach the shared log. Doesn't contact it.
    pub(crate) fn contact(&self) -> SharedContact {
        let failed = self.note.failed.clone();
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

    /// Returns the warning of [`Replica::warn_if_outdated`], unless the shared log has been reached
    /// since.
    pub(crate) fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Warns of the replica's age, if the shared log couldn't be reached.
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

    /// Records that everything in the log was read at `now`.
    pub(super) fn note_pulled(&mut self, now: Stamp) {
        (self.note.pulled_at, self.note.failed, self.warning) = (Some(now), None, None);
    }

    /// Reads the note again, because another process may have updated it.
    pub(super) fn reread(&mut self) {
        let ahead = self.link.is_some().then_some(self.note.clock_ahead);
        self.note = ReplicaNote::read(&self.places, &log_name(&self.config));
        self.note.clock_ahead = ahead.unwrap_or(self.note.clock_ahead);
    }

    /// True if the connection is open.
    pub(super) fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// Returns the connection, opening it if necessary.
    ///
    /// # Errors
    /// Returns an error if the log can't be reached.
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

    /// Adopts the server's clock.
    pub(super) fn see_clock(&mut self, head: &Head) {
        self.note.clock_ahead = head.clock_ahead.unwrap_or(self.note.clock_ahead);
    }

    /// Runs `call` on the connection. If it fails, the connection is closed.
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
        if done
            .as_ref()
            .is_err_and(|error| !matches!(error, SharedError::Diverged(_)))
        {
            self.link = None;
        }
        done
    }

    /// Returns the backend's findings about its own reliability. The flag is true for a problem.
    ///
    /// # Errors
    /// Returns the reason why the log can't be reached.
    pub(crate) fn inspect(&mut self, now: Stamp) -> Result<Vec<(bool, String)>, String> {
        let found = self.ask(Opening::Read, |link| link.inspect());
        found.map_err(|error| {
            let error = self.error(error);
            self.note_failure(now, &error);
            error.to_string()
        })
    }

    /// Records that the log couldn't be reached, so that later readers don't try again at once.
    pub(crate) fn note_failure(&mut self, now: Stamp, error: &LedgerError) {
        let why = match error {
            LedgerError::Unreachable { why, .. } | LedgerError::Unsettled { why, .. } => {
                why.clone()
            }
            error => error.to_string(),
        };
        let count = self.note.failed.as_ref().map_or(0, |failed| failed.count);
        self.note.failed = Some(Failure {
            at: now,
            why,
            count: count.saturating_add(1),
        });
        // If the note can't be written, the only effect is that the next reader tries again.
        let _ = self.write_note();
    }

    /// Writes the note.
    ///
    /// # Errors
    /// Returns an error if the file can't be written.
    pub(super) fn write_note(&mut self) -> Result<(), LedgerError> {
        self.is_note_due = false;
        self.note.write(&self.places)
    }

    /// Records a writer's failure if the log couldn't be reached, so that later readers don't try
    /// again at once.
    pub(crate) fn note_if_unreachable(&mut self, now: Stamp, error: &LedgerError) {
        if matches!(
            error,
            LedgerError::Unreachable { .. } | LedgerError::Unsettled { .. }
        ) {
            self.note_failure(now, error);
        }
    }

    /// Converts `error` to an error for the user.
    pub(super) fn error(&self, error: SharedError) -> LedgerError {
        let location = self.config.location.clone();
        match error {
            SharedError::Unreachable(why) => LedgerError::Unreachable { location, why },
            SharedError::Unknown(why) => LedgerError::Unsettled { location, why },
            SharedError::Refused(why) => LedgerError::SharedRefused { location, why },
            error @ SharedError::Diverged(_) => LedgerError::SharedRefused {
                location,
                why: error.to_string(),
            },
        }
    }
}

fn log_name(config: &SharedConfig) -> String {
    format!("{} {}", config.location, config.name)
}

/// Formats a duration, given in microseconds, for people.
fn spoken(micros: i64) -> String {
    let seconds = (micros / 1_000_000).max(0);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
