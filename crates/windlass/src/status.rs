use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::Serialize;
use windlass_base::NextAction;
use windlass_ledger::{SharedContact, WorkFilter};
use windlass_notebook::{AnchorReport, RunbookEntry, what_to_do};
use windlass_packs::{Ending, Rank};
use windlass_plan::{Catalog, Status};
use windlass_repo::Snapshot;
use windlass_runs::{RunState, RunSummary, resume_call};
use windlass_site::Error;

use crate::Workspace;

/// The state of a repository in a few numbers, with a suggestion of what to do next.
#[derive(Debug, Clone, Serialize)]
pub struct RepositoryStatus {
    /// The actor of commands, or `None` if we don't know the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Runbooks that are available by name, sorted.
    pub runbooks: Vec<RunbookEntry>,
    /// The number of anchors by the state of their evidence, in the words of `windlass anchor
    /// check`.
    pub anchors: BTreeMap<&'static str, usize>,
    /// Work in the ledger.
    pub work: WorkStatus,
    /// The last contact with the shared ledger. `None` if the ledger isn't shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedContact>,
    /// The number of records, whatever their status. `None` if there's no memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<usize>,
    /// The latest run on record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunSummary>,
    /// The command that's probably the most useful one now.
    pub next: NextAction,
}

/// The number of beads and steps in each state.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WorkStatus {
    /// The number of beads that can be claimed.
    pub ready_beads: usize,
    /// The number of beads that have to wait for others.
    pub blocked_beads: usize,
    /// The number of failed steps, each of which blocks its molecule.
    pub failed_steps: usize,
    /// The number of steps that other actors are working on.
    pub steps_of_others: usize,
    /// The number of steps that the actor could claim.
    pub ready_steps: usize,
    /// The steps that the actor has claimed, as `MOLECULE STEP`. Empty if we don't know the actor.
    pub claimed_steps: Vec<String>,
}

/// Reads the state of the repository. `actor` is the name given on the command line, if any.
///
/// # Errors
/// Returns an error if the notebook, the ledger or the memory can't be read.
pub fn status(workspace: &Workspace, actor: Option<&str>) -> Result<RepositoryStatus, Error> {
    status_and_anchors(workspace, actor).map(|(status, _)| status)
}

/// Like [`status`], but also returns the verdicts on all anchors.
///
/// # Errors
/// Returns an error in the same cases as [`status`].
pub fn status_and_anchors(
    workspace: &Workspace,
    actor: Option<&str>,
) -> Result<(RepositoryStatus, Vec<AnchorReport>), Error> {
    let snapshot = workspace.site().snapshot();
    let runbooks = workspace.runbooks().all(&snapshot);
    let mut anchors = BTreeMap::new();
    let reports = workspace.notebook().check_anchors(&[], &snapshot)?;
    for report in &reports {
        *anchors
            .entry(Rank::of(&report.judgement).as_str())
            .or_insert(0) += 1;
    }
    let (actor, work, shared) = work(workspace, actor)?;
    let memory = workspace.memory().read_memory(&snapshot)?;
    let records = || memory.records.values().filter(|record| record.is_record());
    let memory = memory.is_there().then(|| records().count());
    let mut status = RepositoryStatus {
        actor,
        runbooks,
        anchors,
        work,
        shared,
        memory,
        last_run: workspace.runs().list(None, 1)?.pop(),
        next: NextAction::new("init", "write a first runbook"),
    };
    let advice = what_to_do(&reports.iter().collect::<Vec<_>>(), None);
    let broken = || first_broken(workspace, &status.runbooks, &snapshot);
    status.next = next(&status, advice.into_iter().next(), broken);
    Ok((status, reports))
}

/// Finds the first invalid runbook. Loading plugins takes time, so we only do that if a runbook
/// isn't valid with the built-in step kinds.
fn first_broken<'a>(
    workspace: &Workspace,
    all: &'a [RunbookEntry],
    snapshot: &Snapshot,
) -> Option<&'a RunbookEntry> {
    let shelf = workspace.runbooks().with_one_notebook();
    let built_in = windlass_steps::catalog();
    let with_plugins = OnceCell::new();
    let is_broken = |entry: &&RunbookEntry| {
        let is_valid = |catalog: &Catalog| shelf.is_valid(entry, all, snapshot, catalog);
        !is_valid(&built_in)
            && !is_valid(with_plugins.get_or_init(|| workspace.runs().step_catalog()))
    };
    all.iter().find(is_broken)
}

fn work(
    workspace: &Workspace,
    actor: Option<&str>,
) -> Result<(Option<String>, WorkStatus, Option<SharedContact>), Error> {
    let service = workspace.molecules();
    let mut session = service.ledger().open(actor, "status")?;
    let all = WorkFilter::default();
    let mut found = WorkStatus {
        ready_beads: session.beads().ready(&all, None, 0)?.total,
        blocked_beads: session.beads().blocked(&all, None, 0)?.total,
        ..WorkStatus::default()
    };
    let actor = session.actor().ok().map(str::to_owned);
    let mut molecules = service.on(&mut session);
    found.ready_steps = molecules.ready(None, false)?.steps.len();
    if actor.is_some() {
        let claimed = molecules.current_steps(None)?;
        let name =
            |step: &windlass_molecule::StepReport| format!("{} {}", step.mol_id, step.step_id);
        found.claimed_steps = claimed.iter().map(name).collect();
    }
    found.failed_steps = molecules.doctor().unfinished(Status::Failed);
    let in_progress = molecules.doctor().unfinished(Status::InProgress);
    found.steps_of_others = in_progress.saturating_sub(found.claimed_steps.len());
    session.finish()?;
    Ok((actor, found, session.sharing().contact()))
}

/// Chooses the most urgent action, which is to finish what's been started before anything new.
/// `anchors` is the action for stale anchors, and `broken` finds an invalid runbook.
fn next<'a>(
    status: &RepositoryStatus,
    anchors: Option<NextAction>,
    broken: impl FnOnce() -> Option<&'a RunbookEntry>,
) -> NextAction {
    let work = &status.work;
    let last = status.last_run.as_ref().map(|run| run.state);
    if !work.claimed_steps.is_empty() {
        NextAction::new("mol current", "continue your claimed step")
    } else if work.failed_steps > 0 {
        NextAction::new("mol doctor", "see why a step failed and how to continue")
    } else if let Some(action) = anchors {
        action
    } else if work.ready_steps > 0 {
        NextAction::new("mol claim", "claim a step")
    } else if work.ready_beads > 0 {
        NextAction::new("bead ready", "list beads to work on")
    } else if status.runbooks.is_empty() {
        NextAction::new("init", "write a first runbook, `runbooks/overview.yaml`")
    } else if let Some(broken) = broken() {
        let place = broken.place.to_string();
        NextAction::new("check", "see the errors of a runbook that is not valid").positional(place)
    } else if let Some(RunState::Interrupted | RunState::Ended(Ending::Cancelled)) = last {
        resume_call()
    } else if status.anchors.is_empty() {
        NextAction::new("suggest", "propose anchors for this repository")
    } else {
        let first = &status.runbooks[0].name;
        NextAction::new("run", "see the subsystem as it is now").positional(first.as_str())
    }
}
