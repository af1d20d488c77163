//! A session with the ledger: who does something, what is decided, and what is told of it afterwards.

mod backup_tables;
mod bead_reports;
mod bead_work;
mod event_log;
mod hooks;
mod import_beads;
mod ledger_routes;
mod ledger_service;
mod messages;
mod repo_world;
mod secret_fields;
mod todo_list;
mod told_documents;

use std::borrow::Cow;
use std::collections::BTreeSet;

use windlass_site::{Environment, Error, Site};

use crate::draft::{Secrets, Writer};
use crate::event::OrderKey;
use crate::journal::Journal;
use crate::{Draft, LedgerError, LogClock, Places, Stamp, State};

pub use bead_reports::{BeadReport, WorkList};
pub use bead_work::{BeadUpdate, Beads, NewBead, NewDependency, check_bead};
use event_log::EventLog;
pub use event_log::EventStats;
pub use hooks::{Agents, HookReport, Hooks, put_on_hook};
pub use import_beads::{ImportReport, ImportRequest};
use ledger_routes::LedgerRoutes;
pub use ledger_service::{LedgerService, MolTrust};
pub use messages::{Inbox, Mail, NewMail, message};
pub use repo_world::{RepoWorld, exists};
pub use todo_list::ExportReport;
pub use told_documents::{is_document, untold_items};

/// The ledger of a repository, open for one who does something.
///
/// What one does with it stands in a view of its own: [`LedgerSession::beads`], [`LedgerSession::mail`],
/// [`LedgerSession::hooks`], [`LedgerSession::agents`], [`LedgerSession::events`].
#[derive(Debug)]
pub struct LedgerSession {
    journal: Journal,
    service: LedgerService,
    actor: Option<String>,
    /// What is said to those who wait for us.
    job: &'static str,
    /// The last moment of the log when it was opened.
    opened_at: Option<Stamp>,
    /// Whether something was decided here.
    has_decided: bool,
    /// Molecules whose documents are to say how far they are, changed or not.
    to_tell: BTreeSet<String>,
    /// What was found to be amiss beside the log, each a text of one line.
    warnings: Vec<String>,
}

fn stamp_of(environment: &Environment) -> Stamp {
    let now = jiff::Timestamp::try_from(environment.now());
    Stamp::from_micros(now.map_or(0, jiff::Timestamp::as_microsecond))
}

/// The longest name of somebody, in characters.
const MAX_ACTOR: usize = 200;

/// Who was named, or else said so by the environment. What an agent says of itself is taken as it is or not at all: with
/// something left out it would be somebody else.
fn actor_of(named: Option<&str>, environment: &Environment) -> Result<Option<String>, Error> {
    let said = environment.get("BD_ACTOR");
    let said = said.map(|said| said.to_string_lossy());
    match named.or(said.as_deref()) {
        Some(actor) => checked_actor(Some(actor)),
        None => Ok(environment.actor()),
    }
}

fn checked_actor(actor: Option<&str>) -> Result<Option<String>, Error> {
    let Some(actor) = actor else {
        return Ok(None);
    };
    let is_plain =
        |c: char| !c.is_control() && !c.is_whitespace() && c != char::REPLACEMENT_CHARACTER;
    match !actor.is_empty() && actor.chars().count() <= MAX_ACTOR && actor.chars().all(is_plain) {
        true => Ok(Some(actor.to_owned())),
        false => Err(LedgerError::Invalid(format!(
            "`{actor}` names nobody: write a path without spaces, as `gastown/crew/ann`"
        ))
        .into()),
    }
}

impl LedgerSession {
    fn of(
        service: LedgerService,
        journal: Journal,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<Self, Error> {
        Ok(Self {
            opened_at: journal.state().last().map(OrderKey::timestamp),
            journal,
            actor: actor_of(actor, service.site().environment())?,
            service,
            job,
            has_decided: false,
            to_tell: BTreeSet::new(),
            warnings: Vec::new(),
        })
    }

    /// What follows from the log.
    #[must_use]
    pub fn state(&self) -> &State {
        self.journal.state()
    }

    /// The state now, or as it was at a moment.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn state_at(&self, at: Option<Stamp>) -> Result<Cow<'_, State>, Error> {
        Ok(match at {
            None => Cow::Borrowed(self.journal.state()),
            Some(at) => Cow::Owned(self.journal.state_at(at)?),
        })
    }

    /// Where the ledger lies.
    #[must_use]
    pub fn places(&self) -> &Places {
        self.journal.places()
    }

    /// The repository whose ledger it is.
    #[must_use]
    pub fn site(&self) -> &Site {
        self.service.site()
    }

    /// What was found to be amiss, each a text of one line.
    #[must_use]
    pub fn warnings(&self) -> Vec<&str> {
        let all = self.journal.warnings().iter().chain(&self.warnings);
        all.map(String::as_str).collect()
    }

    /// Notes what is amiss, a text of one line.
    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Who does something.
    ///
    /// # Errors
    /// When nobody said.
    pub fn actor(&self) -> Result<&str, Error> {
        self.actor.as_deref().ok_or_else(|| {
            LedgerError::Invalid(
                "nobody says who does this: give `--actor NAME`, or set `BD_ACTOR`".to_owned(),
            )
            .into()
        })
    }

    /// What the clock says.
    #[must_use]
    pub fn now(&self) -> Stamp {
        stamp_of(self.site().environment())
    }

    /// The log's time, as it is with what the caller's clock says: leases, lifetimes, retries, timers and timeouts end by it.
    #[must_use]
    pub fn log_now(&self) -> Stamp {
        self.log_clock().now().unwrap_or_else(|| self.now())
    }

    /// The log's clock after an event of the caller.
    #[must_use]
    pub fn log_clock(&self) -> LogClock {
        let mut clock = self.state().clock().clone();
        clock.see(
            self.actor.as_deref().unwrap_or_default(),
            self.now().to_millis(),
        );
        clock
    }

    /// The beads.
    #[must_use]
    pub fn beads(&mut self) -> Beads<'_> {
        Beads { session: self }
    }

    /// The messages.
    #[must_use]
    pub fn mail(&mut self) -> Mail<'_> {
        Mail { session: self }
    }

    /// The hooks of agents.
    #[must_use]
    pub fn hooks(&mut self) -> Hooks<'_> {
        Hooks { session: self }
    }

    /// What agents say of themselves.
    #[must_use]
    pub fn agents(&mut self) -> Agents<'_> {
        Agents { session: self }
    }

    /// The log itself.
    #[must_use]
    pub fn events(&mut self) -> EventLog<'_> {
        EventLog { session: self }
    }

    /// What conditions and gates may look at.
    #[must_use]
    pub fn world(&self) -> RepoWorld {
        RepoWorld::new(self.service.clone(), self.places())
    }

    /// Writes how far work is into the documents it is from; what cannot be written is made good another time.
    ///
    /// # Errors
    /// When not all that was asked for could be read, so that what was said may lack something.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.journal.check_sound()?;
        told_documents::tell(self);
        Ok(())
    }

    /// Lets the document of a molecule say how far it is when this is done, whether anything was decided or not.
    pub fn tell_when_done(&mut self, molecule: &str) {
        self.to_tell.insert(molecule.to_owned());
    }

    /// True if the log or a copy in a working tree was changed since it was last read.
    #[must_use]
    pub fn has_grown(&self) -> bool {
        self.journal.has_grown()
    }

    /// Applies what others appended, and what git brought.
    ///
    /// # Errors
    /// When the log or a copy cannot be read.
    pub fn follow_others(&mut self) -> Result<(), Error> {
        Ok(self.journal.follow_others()?)
    }

    /// Job shown to processes that wait for the lock.
    fn holder(&self) -> String {
        format!("windlass {}", self.job)
    }

    /// Lets happen what `work` decides, by what somebody said: who says a secret value is told, and nothing happens.
    ///
    /// # Errors
    /// When `work` fails, or what it decides is not allowed as things stand; when it cannot be made durable.
    pub fn decide<T>(
        &mut self,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.decide_with(secret_fields::REFUSED, work)
    }

    /// The same, by what programs said: something else stands in the place of secret values.
    ///
    /// # Errors
    /// As [`LedgerSession::decide`].
    pub fn decide_redacted<T>(
        &mut self,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.decide_with(secret_fields::REPLACED, work)
    }

    fn decide_with<T>(
        &mut self,
        secrets: Secrets,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        let seeds = self.site().environment().seeds.clone();
        let random = move || (0..4).fold(0_u64, |number, _| number << 16 | u64::from(seeds.next()));
        let writer = Writer {
            actor: self.actor()?.to_owned(),
            now: self.now(),
            random: &random,
            holder: self.holder(),
            timeout: self.site().lock_timeout(),
            correlation_id: None,
            secrets,
        };
        self.has_decided = true;
        Ok(self.journal.transact(&writer, work)?)
    }
}
