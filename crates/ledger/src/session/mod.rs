//! Sessions give an actor access to the ledger.
//!
//! A session connects the journal, which knows about logs and states, to a repository with its
//! settings, documents and other ledgers. Each group of operations has its own view in a module
//! here. The views check the arguments, and change the ledger with [`LedgerSession::decide`] or
//! [`LedgerSession::decide_redacted`].

mod backup_tables;
mod bead_reports;
mod bead_work;
mod document_progress;
mod event_log;
mod github_issues;
mod hooks;
mod import_beads;
mod ledger_routes;
mod ledger_service;
mod log_follow;
mod messages;
mod repo_world;
mod secret_fields;
mod shared_ledger;
mod todo_list;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use windlass_site::{Environment, Error, Site};
use windlass_store::LockRequest;

use crate::draft::{Secrets, Writer};
use crate::event::OrderKey;
use crate::journal::{Journal, sharing};
use crate::{Draft, LedgerError, LogClock, Places, Stamp, State};

pub use bead_reports::{BeadReport, WorkList};
pub use bead_work::{BeadUpdate, Beads, NewBead, NewDependency, check_bead};
pub use document_progress::{is_document, outdated_items};
use event_log::EventLog;
pub use event_log::EventStats;
pub use hooks::{Agents, HookReport, Hooks, put_on_hook};
pub use import_beads::{ImportReport, ImportRequest};
use ledger_routes::LedgerRoutes;
pub use ledger_service::{LedgerService, MolTrust};
pub use log_follow::SharedOpener;
pub use messages::{Inbox, Mail, NewMail, message};
pub use repo_world::{RepoWorld, exists};
pub use shared_ledger::{ShareReport, ShareStatus, Sharing};
pub use todo_list::ExportReport;

/// An open ledger, used by one actor.
///
/// Each group of operations has its own view: [`LedgerSession::beads`], [`LedgerSession::mail`],
/// [`LedgerSession::hooks`], [`LedgerSession::agents`] and [`LedgerSession::events`].
#[derive(Debug)]
pub struct LedgerSession {
    journal: Journal,
    service: LedgerService,
    /// The actor given by the caller or by `BD_ACTOR`.
    given_actor: Option<String>,
    /// The default actor. We determine it on first use, because that may take a call to git.
    default_actor: OnceLock<Option<String>>,
    /// The command's name, shown to other processes waiting for the lock.
    job: &'static str,
    opened_at: Option<Stamp>,
    has_decided: bool,
    /// Molecules whose progress we write to their documents even if they have not changed.
    to_report: BTreeSet<String>,
    warnings: Vec<String>,
}

fn stamp_of(environment: &Environment) -> Stamp {
    let now = jiff::Timestamp::try_from(environment.now());
    Stamp::from_micros(now.map_or(0, jiff::Timestamp::as_microsecond))
}

/// Replica age in microseconds after which a session that follows the log asks the shared log
/// again. It is one second.
const MAX_AGE: i64 = 1_000_000;
/// Replica age in microseconds after which a new session asks the shared log. Below ten seconds, we
/// use the replica as it is, so a script with many short commands only waits for the server in some
/// of them.
const MAX_AGE_AT_START: i64 = 10_000_000;

/// Maximum length of an actor's name, in characters.
const MAX_ACTOR: usize = 200;

/// Returns the named actor, or `BD_ACTOR` if no actor is named. We check the name but never
/// normalise it, because any other spelling would be a different actor.
fn given_actor(named: Option<&str>, environment: &Environment) -> Result<Option<String>, Error> {
    let name = environment.get("BD_ACTOR");
    let name = name.map(|name| name.to_string_lossy());
    checked_actor(named.or(name.as_deref()))
}

pub(crate) fn known_actor(session: &LedgerSession) -> Option<&str> {
    let default = || session.default_actor.get_or_init(|| session.site().actor());
    session
        .given_actor
        .as_deref()
        .or_else(|| default().as_deref())
}

fn checked_actor(actor: Option<&str>) -> Result<Option<String>, Error> {
    let Some(actor) = actor else {
        return Ok(None);
    };
    // A name that isn't UTF-8 has replacement characters by now. Two such names could look the
    // same, so refuse them.
    let is_plain =
        |c: char| !c.is_control() && !c.is_whitespace() && c != char::REPLACEMENT_CHARACTER;
    match !actor.is_empty() && actor.chars().count() <= MAX_ACTOR && actor.chars().all(is_plain) {
        true => Ok(Some(actor.to_owned())),
        false => Err(LedgerError::Invalid(format!(
            "`{actor}` is not an actor name: use a path without spaces, such as `gastown/crew/ann`"
        ))
        .into()),
    }
}

fn lock_request(session: &LedgerSession) -> LockRequest {
    LockRequest {
        holder: format!("windlass {}", session.job),
        ..session.site().lock_request()
    }
}

/// Pulls events from other machines if the last pull is older than `max_age` microseconds. If we
/// cannot reach the shared log, this succeeds with a warning.
fn refresh(session: &mut LedgerSession, max_age: i64) -> Result<(), Error> {
    let (now, request) = (session.now(), lock_request(session));
    Ok(sharing::refresh(
        &mut session.journal,
        now,
        max_age,
        &request,
    )?)
}

impl LedgerSession {
    fn of(
        service: LedgerService,
        journal: Journal,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<Self, Error> {
        let mut session = Self {
            opened_at: None,
            journal,
            given_actor: given_actor(actor, service.site().environment())?,
            default_actor: OnceLock::new(),
            service,
            job,
            has_decided: false,
            to_report: BTreeSet::new(),
            warnings: Vec::new(),
        };
        refresh(&mut session, MAX_AGE_AT_START)?;
        session.opened_at = session.journal.state().last().map(OrderKey::timestamp);
        Ok(session)
    }

    /// Returns the current state.
    #[must_use]
    pub fn state(&self) -> &State {
        self.journal.state()
    }

    /// Returns the state at the time `at`, or the current state.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn state_at(&self, at: Option<Stamp>) -> Result<Cow<'_, State>, Error> {
        Ok(match at {
            None => Cow::Borrowed(self.journal.state()),
            Some(at) => Cow::Owned(self.journal.state_at(at)?),
        })
    }

    /// Returns the locations of the ledger's files.
    #[must_use]
    pub fn places(&self) -> &Places {
        self.journal.places()
    }

    /// Returns the ledger's repository.
    #[must_use]
    pub fn site(&self) -> &Site {
        self.service.site()
    }

    /// Returns all warnings, each a single line.
    #[must_use]
    pub fn warnings(&self) -> Vec<&str> {
        let mut all = self.journal.warnings();
        all.extend(self.warnings.iter().map(String::as_str));
        all
    }

    /// Adds a warning. It must be a single line.
    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Returns the actor's name.
    ///
    /// # Errors
    /// Returns an error if the session has no actor.
    pub fn actor(&self) -> Result<&str, Error> {
        known_actor(self).ok_or_else(|| {
            LedgerError::Invalid("no actor name: pass `--actor NAME` or set `BD_ACTOR`".to_owned())
                .into()
        })
    }

    /// Returns the current time on the caller's clock. If the ledger is shared and its server has a
    /// clock, we use that one instead.
    #[must_use]
    pub fn now(&self) -> Stamp {
        let now = stamp_of(self.site().environment()).micros();
        Stamp::from_micros(now.saturating_add(sharing::clock_ahead(&self.journal)))
    }

    /// Returns the log's time as it would be after an event by the caller.
    ///
    /// Leases, lifetimes, retries, timers and timeouts are measured in this time. Unlike
    /// [`Self::now`], it does not depend on a single clock, which may be wrong.
    #[must_use]
    pub fn log_now(&self) -> Stamp {
        self.log_clock().now().unwrap_or_else(|| self.now())
    }

    /// Returns the log's clock as it would be after an event by the caller.
    #[must_use]
    pub fn log_clock(&self) -> LogClock {
        let mut clock = self.state().clock().clone();
        clock.see(
            known_actor(self).unwrap_or_default(),
            self.now().to_millis(),
        );
        clock
    }

    /// Returns the view for beads.
    #[must_use]
    pub fn beads(&mut self) -> Beads<'_> {
        Beads { session: self }
    }

    /// Returns the view for mail.
    #[must_use]
    pub fn mail(&mut self) -> Mail<'_> {
        Mail { session: self }
    }

    /// Returns the view for agent hooks.
    #[must_use]
    pub fn hooks(&mut self) -> Hooks<'_> {
        Hooks { session: self }
    }

    /// Returns the view for agent reports.
    #[must_use]
    pub fn agents(&mut self) -> Agents<'_> {
        Agents { session: self }
    }

    /// Returns the view for the log itself.
    #[must_use]
    pub fn events(&mut self) -> EventLog<'_> {
        EventLog { session: self }
    }

    /// Returns the environment queried by conditions and gates.
    #[must_use]
    pub fn world(&self) -> RepoWorld {
        RepoWorld::new(self.service.clone(), self.places())
    }

    /// Writes the progress of molecules into the documents they were made from. If that fails, we
    /// only warn, since a later session tries again.
    ///
    /// # Errors
    /// Returns an error if a checkpoint read failed, because earlier output may then be incomplete.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.journal.check_sound()?;
        document_progress::write(self);
        Ok(())
    }

    /// Makes [`Self::finish`] write the molecule's progress into its document even if the molecule
    /// has not changed.
    pub fn report_when_done(&mut self, molecule: &str) {
        self.to_report.insert(molecule.to_owned());
    }

    /// Returns true if the log or a working tree copy has changed since the last read, or it is
    /// time to ask the shared log again.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        self.journal.has_grown() || sharing::is_due(&self.journal, self.now(), MAX_AGE)
    }

    /// Applies new events from other processes, other machines and git.
    ///
    /// # Errors
    /// Returns an error if the log or a copy cannot be read.
    pub fn follow_others(&mut self) -> Result<(), Error> {
        self.journal.follow_others()?;
        refresh(self, MAX_AGE)
    }

    /// Returns the view for the shared log.
    #[must_use]
    pub fn sharing(&mut self) -> Sharing<'_> {
        Sharing { session: self }
    }

    /// Runs `work` under the lock and writes the events it emits.
    ///
    /// Events with secret values are refused, because this is meant for data typed by a person or
    /// an agent, who can correct it. See [`LedgerSession::decide_redacted`] for other data.
    ///
    /// On a shared ledger, `work` may run several times, each time on a newer state. Only its last
    /// result counts, so `work` should not have side effects.
    ///
    /// # Errors
    /// Returns an error if `work` fails, the state does not allow an event, or the events cannot be
    /// made durable.
    pub fn decide<T>(
        &mut self,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.decide_with(secret_fields::REFUSED, work)
    }

    /// Runs `work` like [`LedgerSession::decide`], but replaces secret values instead of refusing
    /// them. This is meant for data that nobody could correct, such as the output of programs and
    /// the records of other tools.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`LedgerSession::decide`].
    pub fn decide_redacted<T>(
        &mut self,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.decide_with(secret_fields::REPLACED, work)
    }

    fn decide_with<T>(
        &mut self,
        secrets: Secrets,
        work: impl FnMut(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        let seeds = self.site().environment().seeds.clone();
        let random = move || (0..4).fold(0_u64, |number, _| number << 16 | u64::from(seeds.next()));
        let writer = Writer {
            actor: self.actor()?.to_owned(),
            now: self.now(),
            random: &random,
            lock: lock_request(self),
            correlation_id: None,
            secrets,
        };
        self.has_decided = true;
        Ok(self.journal.transact(&writer, work)?)
    }
}
