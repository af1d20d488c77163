//! Access to the ledger for commands.

use std::io::Read as _;
use std::path::Path;

use windlass::base::NextAction;
use windlass::engine::{Stop, StopLevel, current_thread_runtime};
use windlass::{Error, LedgerSession, Molecules, SiteError, StepWork, Workspace};

use super::{Ended, Failure, tell_troubles};
use crate::interrupt::Interrupts;
use crate::outside::workspace;
use crate::screen::{Screen, of_an_actor};
use windlass_render::next_line;

pub(crate) struct CommandContext<'a> {
    pub(crate) root: Option<&'a Path>,
    pub(crate) actor: Option<&'a str>,
    pub(crate) screen: &'a Screen,
}

impl CommandContext<'_> {
    pub(crate) fn workspace(&self) -> Result<Workspace, Failure> {
        Ok(workspace(self.root)?)
    }

    /// Adds the typed root and actor to a suggested command, so that it acts on the same repository
    /// as this one.
    pub(crate) fn next_action(&self, workspace: &Workspace, action: NextAction) -> NextAction {
        let own = action.clone().for_caller(workspace.site().caller());
        let action = own.unwrap_or(action);
        match self.actor.filter(|_| of_an_actor(&action.tool)) {
            Some(actor) => action.option("actor", actor),
            None => action,
        }
    }

    pub(crate) fn next_line(&self, workspace: &Workspace, action: NextAction) -> String {
        next_line(&self.next_action(workspace, action))
    }

    pub(crate) fn with(
        &self,
        job: &'static str,
        work: impl FnOnce(&mut LedgerSession) -> Ended,
    ) -> Ended {
        let workspace = self.workspace()?;
        let ledger = workspace.ledger().open(self.actor, job)?;
        self.finish(&workspace, ledger, work)
    }

    /// Runs `work` on the ledger that contains `bead`, which may belong to another repository.
    pub(crate) fn with_bead(
        &self,
        bead: &str,
        job: &'static str,
        work: impl FnOnce(&mut LedgerSession) -> Ended,
    ) -> Ended {
        let workspace = self.workspace()?;
        let ledger = workspace.ledger().open_with(bead, self.actor, job)?;
        self.finish(&workspace, ledger, work)
    }

    pub(crate) fn with_molecules<T>(
        &self,
        job: &'static str,
        work: impl FnOnce(&mut Molecules<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let workspace = self.workspace()?;
        let service = workspace.molecules();
        let ledger = service.ledger().open(self.actor, job)?;
        self.finish(&workspace, ledger, |ledger| work(&mut service.on(ledger)))
    }

    pub(crate) fn with_steps(
        &self,
        job: &'static str,
        work: impl FnOnce(&Workspace, &mut StepWork<'_>) -> Ended,
    ) -> Ended {
        let workspace = self.workspace()?;
        let service = workspace.molecules();
        let ledger = service.ledger().open(self.actor, job)?;
        self.finish(&workspace, ledger, |ledger| {
            work(&workspace, &mut service.steps(ledger))
        })
    }

    pub(crate) fn finish<T>(
        &self,
        workspace: &Workspace,
        mut ledger: LedgerSession,
        work: impl FnOnce(&mut LedgerSession) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // Finish the session even if the work has failed. It may have warnings, which we want to
        // show before any error.
        let done = work(&mut ledger);
        let finished = ledger.finish();
        for warning in ledger.warnings() {
            self.screen.complain(&format!("warning: {warning}"));
        }
        tell_troubles(workspace, self.screen);
        // If we couldn't finish, the work's result is worth nothing.
        finished?;
        done
    }
}

/// Runs `work`, which may start programs. If the user interrupts us, these have to end as well,
/// first with a chance to clean up and then without.
pub(crate) fn interruptible<T>(
    work: impl AsyncFnOnce(Stop) -> Result<T, Error>,
) -> Result<T, Failure> {
    stopped_by(&[StopLevel::Cancel, StopLevel::Kill], work)
}

/// Runs `work`. Each interrupt raises the next of `levels`.
pub(crate) fn stopped_by<T>(
    levels: &'static [StopLevel],
    work: impl AsyncFnOnce(Stop) -> Result<T, Error>,
) -> Result<T, Failure> {
    let runtime = current_thread_runtime().map_err(SiteError::NotStarted)?;
    let stop = Stop::default();
    let done = runtime.block_on(async {
        let interrupts = Interrupts::listen(stop.clone(), levels).map_err(SiteError::NotStarted)?;
        let done = work(stop).await;
        interrupts.run_is_over();
        done
    });
    // An abandoned step may still be computing, or a thread may be stuck reading standard input.
    // Don't wait for them.
    runtime.shutdown_background();
    Ok(done?)
}

/// Maximum size of a text from standard input, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// Returns `given`, or the contents of standard input if it is `-`.
pub(crate) fn text_of(given: String) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given);
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_TEXT as u64 + 1)
        .read_to_end(&mut bytes);
    read.map_err(|error| Failure::Usage(format!("cannot read standard input: {error}")))?;
    if bytes.len() > MAX_TEXT {
        let why = "standard input is larger than 4 MiB".to_owned();
        return Err(Failure::Usage(why));
    }
    String::from_utf8(bytes).map_err(|_| Failure::Usage("standard input is not UTF-8".to_owned()))
}
