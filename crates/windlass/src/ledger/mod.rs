//! The ledger of a repository: who opens it, as whom, and where it lies.

mod backup;
mod beads;
mod events;
mod found;
mod import;
mod mail;
mod molecules;
mod order;
mod routes;
mod search;
mod secrets;
mod todo_list;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use windlass_ledger::event::OrderKey;
use windlass_ledger::{Draft, Ledger, LedgerError, Places, Routes, Secrets, Stamp, Writer};
use windlass_repo::Repo;
use windlass_store::RootedPath;

use crate::{Environment, Error, Workspace};

pub use beads::{BeadUpdate, NewBead, NewDependency};
pub use events::EventStats;
pub use found::{BeadReport, WorkList};
pub use import::{ImportReport, ImportRequest};
pub use mail::{Inbox, NewMail};
pub(crate) use molecules::for_formulas;
pub use molecules::{
    ClaimRequest, Completion, CriterionReport, DistillRequest, DriveOptions, DriveReport,
    DrivenStep, FormulaNow, GateAnswer, MolFinding, MolProgress, MolReport, MolSummary, MolTrouble,
    MolWait, MoleculeError, NewMolecule, Patience, Proof, ReadyStep, ReadySteps, StepAsks,
    StepPack, StepReport, Verification, criteria_in, millis,
};
pub use order::HookReport;
pub use todo_list::ExportReport;

/// The ledger of a repository, open for one who does something.
#[derive(Debug)]
pub struct LedgerDesk {
    ledger: Ledger,
    workspace: Workspace,
    environment: Arc<Environment>,
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

impl Workspace {
    /// Where the ledger lies: in the main working tree, and the log itself beside what is git's.
    #[must_use]
    pub fn ledger_places(&self) -> Places {
        places_of(self.repo())
    }

    /// Opens the ledger for `actor`, who is whoever the environment says if none is named; `job` is what they do.
    ///
    /// # Errors
    /// When the folder belongs to another tool, or something cannot be read.
    pub fn ledger(&self, actor: Option<&str>, job: &'static str) -> Result<LedgerDesk, Error> {
        self.open_ledger(actor, job, false)
    }

    fn open_ledger(
        &self,
        actor: Option<&str>,
        job: &'static str,
        adopt: bool,
    ) -> Result<LedgerDesk, Error> {
        let environment = Arc::clone(self.environment());
        let open = if adopt { Ledger::adopt } else { Ledger::open };
        let ledger = open(self.ledger_places())?;
        Ok(LedgerDesk {
            opened_at: ledger.state().last().map(OrderKey::timestamp),
            ledger,
            workspace: self.clone(),
            actor: actor_of(actor, &environment)?,
            environment,
            job,
            has_decided: false,
            to_tell: BTreeSet::new(),
            warnings: Vec::new(),
        })
    }

    /// Opens the ledger in which `bead` lies: this one, if it has it, or that of the longest route that fits.
    ///
    /// # Errors
    /// As [`Workspace::ledger`]; when the route is not trusted, or leads to nothing.
    pub fn ledger_with(
        &self,
        bead: &str,
        actor: Option<&str>,
        job: &'static str,
    ) -> Result<LedgerDesk, Error> {
        let here = self.ledger(actor, job)?;
        if here.ledger.state().beads.contains(bead) {
            return Ok(here);
        }
        let routes = Routes::read(here.ledger.places())?;
        let own = here.ledger.places().beads();
        let route = routes.resolve(bead);
        let Some(route) = route.filter(|route| Path::new(&route.path) != own.path()) else {
            return Ok(here);
        };
        self.ledger_behind(route, actor, job)
    }
}

fn stamp_of(environment: &Environment) -> Stamp {
    let now = jiff::Timestamp::try_from(environment.now());
    Stamp::from_micros(now.map_or(0, jiff::Timestamp::as_microsecond))
}

fn places_of(repo: &Repo) -> Places {
    let Some(common) = repo.git_common_dir() else {
        return Places::new(repo.root(), None);
    };
    // Beside the common folder of several working trees lies the main one, unless it is bare or that of a submodule.
    let is_main = |folder: &Path| common == folder.join(".git");
    let main = common
        .parent()
        .filter(|folder| is_main(folder))
        .unwrap_or(repo.root());
    let shared = RootedPath::new(common).join("windlass/ledger");
    Places::new(main, Some(shared)).seen_from(repo.root())
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

impl LedgerDesk {
    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What was found to be amiss, each a text of one line.
    #[must_use]
    pub fn warnings(&self) -> Vec<&str> {
        let all = self.ledger.warnings().iter().chain(&self.warnings);
        all.map(String::as_str).collect()
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
        stamp_of(&self.environment)
    }

    /// The log's time, as it is with what the caller's clock says: leases, lifetimes, retries, timers and timeouts end by it.
    #[must_use]
    pub fn log_now(&self) -> Stamp {
        self.log_clock().now().unwrap_or_else(|| self.now())
    }

    /// The log's clock after an event of the caller.
    pub(crate) fn log_clock(&self) -> windlass_ledger::LogClock {
        let mut clock = self.ledger.state().clock().clone();
        clock.see(
            self.actor.as_deref().unwrap_or_default(),
            self.now().to_millis(),
        );
        clock
    }

    /// Writes how far work is into the documents it is from; what cannot be written is made good another time.
    ///
    /// # Errors
    /// When not all that was asked for could be read, so that what was said may lack something.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.ledger.check_sound()?;
        self.tell_documents();
        Ok(())
    }

    /// Job shown to processes that wait for the lock.
    fn holder(&self) -> String {
        format!("windlass {}", self.job)
    }

    /// Lets happen what `work` decides, by what somebody said.
    fn decide<T>(
        &mut self,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        self.decide_with(secrets::REFUSED, work)
    }

    /// The same, where something else becomes of secret values in it.
    fn decide_with<T>(
        &mut self,
        secrets: Secrets,
        work: impl FnOnce(&mut Draft<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, Error> {
        let seeds = self.environment.seeds.clone();
        let random = move || (0..4).fold(0_u64, |number, _| number << 16 | u64::from(seeds.next()));
        let writer = Writer {
            actor: self.actor()?.to_owned(),
            now: self.now(),
            random: &random,
            holder: self.holder(),
            timeout: self.workspace.lock_timeout(),
            correlation_id: None,
            secrets,
        };
        self.has_decided = true;
        Ok(self.ledger.transact(&writer, work)?)
    }
}
