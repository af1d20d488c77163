//! Access to the ledger for commands.

use std::io::Read as _;
use std::path::Path;

use windlass::base::NextAction;
use windlass::engine::{Stop, StopLevel};
use windlass::{Error, LedgerSession, Molecules, StepWork, Workspace};

use super::{Ended, Failure, tell_troubles};
use crate::interrupt::Interrupts;
use crate::outside::workspace;
use crate::screen::{Screen, of_an_actor};
use windlass_render::next_line;

/// The repository, actor and screen of a command that uses the ledger.
pub(crate) struct CommandContext<'a> {
    pub(crate) root: Option<&'a Path>,
    pub(crate) actor: Option<&'a str>,
    pub(crate) screen: &'a Screen,
}

impl CommandContext<'_> {
    pub(crate) fn workspace(&self) -> Result<Workspace, Failure> {
        Ok(workspace(self.root)?)
    }

    /// Adds the typed root and actor to a next action.
    pub(crate) fn next_action(&self, workspace: &Workspace, action: NextAction) -> NextAction {
        let own = action.clone().for_caller(workspace.site().caller());
        let action = own.unwrap_or(action);
        match self.actor.filter(|_| of_an_actor(&action.tool)) {
            Some(actor) => action.option("actor", actor),
            None => action,
        }
    }

    /// Formats a next action with the typed root and actor.
    pub(crate) fn next_line(&self, workspace: &Workspace, action: NextAction) -> String {
        next_line(&self.next_action(workspace, action))
    }

    /// Runs `work` on this repository's ledger.
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

    /// Runs `work` on this repository's molecules.
    pub(crate) fn with_molecules(
        &self,
        job: &'static str,
        work: impl FnOnce(&mut Molecules<'_>) -> Ended,
    ) -> Ended {
        let workspace = self.workspace()?;
        let service = workspace.molecules();
        let ledger = service.ledger().open(self.actor, job)?;
        self.finish(&workspace, ledger, |ledger| work(&mut service.on(ledger)))
    }

    /// Runs `work` on the steps of molecules, with access to the rest of the workspace.
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

    pub(crate) fn finish(
        &self,
        workspace: &Workspace,
        mut ledger: LedgerSession,
        work: impl FnOnce(&mut LedgerSession) -> Ended,
    ) -> Ended {
        let done = work(&mut ledger);
        let finished = ledger.finish();
        for warning in ledger.warnings() {
            self.screen.complain(&format!("warning: {warning}"));
        }
        tell_troubles(workspace, self.screen);
        finished?;
        done
    }
}

/// Runs `work`, which may start programs. An interrupt stops them.
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::internal(format!("cannot start the runtime: {error}")))?;
    let stop = Stop::default();
    let done = runtime.block_on(async {
        let interrupts = Interrupts::listen(stop.clone(), levels)
            .map_err(|error| Error::internal(format!("cannot listen for interrupts: {error}")))?;
        let done = work(stop).await;
        interrupts.run_is_over();
        done
    });
    // An abandoned step may still be computing, and a thread may still be reading standard input.
    // Don't wait for either.
    runtime.shutdown_background();
    Ok(done?)
}

/// Maximum number of bytes read from standard input.
const MAX_TEXT: u64 = 4 << 20;

/// Returns `given`, or the contents of standard input if it's `-`.
pub(crate) fn text_of(given: String) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given);
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_TEXT)
        .read_to_end(&mut bytes);
    read.map_err(|error| Failure::Usage(format!("cannot read standard input: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::Usage("standard input is not UTF-8".to_owned()))
}
