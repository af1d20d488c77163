//! Sharing a ledger with other machines: starting, checking and ending it, and working offline in
//! between.

use serde::Serialize;
use windlass_site::Error;

use super::{LedgerSession, lock_request};
use crate::journal::sharing;
use crate::shared::{Opening, remove_config, write_config};
use crate::{LedgerError, SharedConfig, SharedContact, Stamp, output_store};

/// Result of sharing or reconciling a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShareReport {
    /// The shared log's location, without a password.
    pub location: String,
    /// The ledger's name there.
    pub name: String,
    /// Number of events received by this machine.
    pub pulled: usize,
    /// Number of events received by the shared log.
    pub pushed: usize,
}

/// State of the connection to the shared log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShareStatus {
    /// The shared log's location, without a password.
    pub location: String,
    /// The ledger's name there.
    pub name: String,
    /// True if the shared log has answered.
    pub is_reachable: bool,
    /// The reason why the shared log can't be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Time at which the user took this clone offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline_since: Option<Stamp>,
    /// Time of the last pull. Absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pulled_at: Option<Stamp>,
    /// Offset of the server's clock from this machine's in milliseconds, positive if the server is
    /// ahead.
    pub clock_ahead_ms: i64,
    /// Findings about the backend's reliability. The flag is true for a problem.
    pub findings: Vec<(bool, String)>,
}

/// Session view for sharing the ledger.
#[derive(Debug)]
pub struct Sharing<'a> {
    pub(super) session: &'a mut LedgerSession,
}

impl Sharing<'_> {
    /// Moves the ledger to the shared log at `location` under `name`, or joins the existing ledger
    /// there. Both sides keep all events.
    ///
    /// # Errors
    /// Returns an error if the ledger is shared elsewhere, or the log can't be reached.
    pub fn share(&mut self, location: &str, name: &str) -> Result<ShareReport, Error> {
        let config = SharedConfig::new(location, name);
        if let Some(known) = self.config()
            && (&known.location, &known.name) != (&config.location, &config.name)
        {
            return Err(LedgerError::Invalid(format!(
                "the ledger is already shared at `{}` under the name `{}`: run `windlass ledger detach` first",
                known.location, known.name
            ))
            .into());
        }
        let backends = self.session.service.backends();
        sharing::connect_to(&mut self.session.journal, config.clone(), backends);
        // Only write the configuration once the exchange has succeeded. Until then, other processes
        // don't use the shared log.
        let report = self.exchange(&config, Opening::Create)?;
        write_config(self.session.places(), &config)?;
        Ok(report)
    }

    fn config(&mut self) -> Option<SharedConfig> {
        let replica = sharing::replica(&mut self.session.journal);
        replica.map(|replica| replica.config().clone())
    }

    fn shared_config(&mut self) -> Result<SharedConfig, Error> {
        self.config().ok_or_else(|| {
            LedgerError::Invalid(
                "the ledger is not shared: run `windlass ledger share LOCATION` first".to_owned(),
            )
            .into()
        })
    }

    fn exchange(&mut self, config: &SharedConfig, opening: Opening) -> Result<ShareReport, Error> {
        let (now, request) = (self.session.now(), lock_request(self.session));
        // Events found only in working tree copies belong to the ledger too, so they have to be in
        // the log first.
        sharing::take_in_copies(&mut self.session.journal, &request)?;
        let done = sharing::exchange(&mut self.session.journal, opening, now, &request)?;
        Ok(ShareReport {
            location: config.location.clone(),
            name: config.name.clone(),
            pulled: done.pulled,
            pushed: done.pushed,
        })
    }

    /// Asks the shared log and returns the state of the connection, or `None` if the ledger isn't
    /// shared.
    ///
    /// # Errors
    /// Returns an error if the local log can't be read.
    pub fn status(&mut self) -> Result<Option<ShareStatus>, Error> {
        let Some(config) = self.config() else {
            return Ok(None);
        };
        let (now, request) = (self.session.now(), lock_request(self.session));
        let is_online = config.offline_since.is_none();
        if is_online {
            sharing::pull(&mut self.session.journal, now, &request)?;
        }
        let Some(replica) = sharing::replica(&mut self.session.journal) else {
            return Ok(None);
        };
        let failed = replica.note().failed.as_ref().filter(|_| is_online);
        let (findings, problem) = match failed {
            Some(failed) => (Vec::new(), Some(failed.why.clone())),
            None => match replica.inspect(now) {
                Ok(findings) => (findings, None),
                Err(why) => (Vec::new(), Some(why)),
            },
        };
        replica.warn_if_outdated(now);
        Ok(Some(ShareStatus {
            location: config.location,
            name: config.name,
            is_reachable: problem.is_none(),
            problem,
            offline_since: config.offline_since,
            pulled_at: replica.note().pulled_at,
            clock_ahead_ms: replica.note().clock_ahead / 1_000,
            findings,
        }))
    }

    /// Returns the result of the last attempt to reach the shared log, or `None` if the ledger
    /// isn't shared. This doesn't contact the log.
    #[must_use]
    pub fn contact(&mut self) -> Option<SharedContact> {
        let replica = sharing::replica(&mut self.session.journal);
        replica.map(|replica| replica.contact())
    }

    /// Disconnects from the shared log. The local log keeps all events.
    ///
    /// Before that, we exchange events one last time and fetch the outputs that this machine lacks.
    /// With `is_forced`, we skip both, so that this works even if the shared log can't be reached.
    /// Some events may then be on this machine only, and some outputs may be missing from it.
    ///
    /// # Errors
    /// Returns an error if the ledger isn't shared, or the log can't be reached.
    pub fn detach(&mut self, is_forced: bool) -> Result<SharedConfig, Error> {
        let config = self.shared_config()?;
        if !is_forced {
            self.exchange(&config, Opening::Write)?;
            self.fetch_outputs()?;
        }
        remove_config(self.session.places())?;
        Ok(config)
    }

    /// Fetches the outputs that only the shared log's backend has. We can't do anything about those
    /// it doesn't have either, so they're just a warning.
    fn fetch_outputs(&mut self) -> Result<(), Error> {
        let lines = self.session.journal.log_bytes()?;
        let places = self.session.places().clone();
        let Some(replica) = sharing::replica(&mut self.session.journal) else {
            return Ok(());
        };
        let missing = output_store::download_missing(&places, replica, &lines)?;
        if missing > 0 {
            self.session.warn(format!(
                "neither this machine nor the shared ledger has {missing} of the steps' outputs"
            ));
        }
        Ok(())
    }

    /// Makes this clone work without the shared log until [`Sharing::go_online`] is called.
    ///
    /// # Errors
    /// Returns an error if the ledger isn't shared.
    pub fn go_offline(&mut self) -> Result<SharedConfig, Error> {
        let mut config = self.shared_config()?;
        let now = self.session.now();
        // If the clone is offline already, keep the original time.
        config.offline_since.get_or_insert(now);
        write_config(self.session.places(), &config)?;
        Ok(config)
    }

    /// Reconnects to the shared log and merges the events written offline.
    ///
    /// # Errors
    /// Returns an error if the ledger isn't shared or the log can't be reached. In the latter case,
    /// the clone remains offline.
    pub fn go_online(&mut self) -> Result<ShareReport, Error> {
        let mut config = self.shared_config()?;
        config.offline_since = None;
        let backends = self.session.service.backends();
        sharing::connect_to(&mut self.session.journal, config.clone(), backends);
        // If the exchange fails, the configuration still says that the clone is offline.
        let report = self.exchange(&config, Opening::Write)?;
        write_config(self.session.places(), &config)?;
        Ok(report)
    }
}
