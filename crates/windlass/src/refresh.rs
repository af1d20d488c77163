use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use windlass_base::{Diagnostics, Entry, Freshness, Judgement, Limit, RepoPath, ResponseMode};
use windlass_engine::{
    ErrorKind as StepErrorKind, Observer, RunContext, RunOptions, RunResult, Slots, Stop,
};
use windlass_pack::{
    Format, Pack, PackSection, PackStatus, RunbookRef, SectionStatus, Selection, Styled,
    TextPolicy, ViewOptions, next_actions, select, view,
};
use windlass_plan::{Catalog, FreshnessMode, Given, Outcome, Policy, bind_inputs};
use windlass_repo::{ChangeKind, Snapshot};
use windlass_steps::{CommandPermission, Services, SharedNotebook};

use crate::nested::WorkspaceRunbooks;
use crate::{Error, RunbookFile, Workspace};

/// How much is printed when neither the runbook nor the caller says.
const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

/// What to run.
#[derive(Debug, Clone)]
pub struct RefreshRequest {
    /// The runbook's name, or its file.
    pub runbook: String,
    /// The folder that relative paths are meant from.
    pub start: PathBuf,
    /// Its inputs.
    pub inputs: BTreeMap<String, Given>,
    /// How many steps run at once; as many as there are threads if not said.
    pub jobs: Option<NonZeroUsize>,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    /// Whether its steps may start programs, trusted or not.
    pub allow_commands: bool,
    /// How the pack is shown.
    pub view: ViewRequest,
}

/// How a pack is shown; what is not said is taken from the runbook.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// How much is printed.
    pub limit: Option<Limit>,
    /// How it is printed.
    pub format: Format,
    /// How much it says about itself.
    pub mode: Option<ResponseMode>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Refresh {
    /// Everything that was selected.
    pub pack: Pack,
    /// What is printed of it.
    pub printed: Styled,
    /// How it ended.
    pub ending: Ending,
    /// What is odd about the runbook.
    pub warnings: Diagnostics,
    /// Whether what was cut could not be kept, so that its cursors lead nowhere.
    pub cursors_lost: bool,
}

/// How a run ended; the exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Done, also with something stale that the runbook only reports.
    Done,
    /// A step failed.
    Failed,
    /// A step was not allowed.
    Refused,
    /// Something is stale, and the runbook is strict.
    Stale,
    /// It was stopped.
    Cancelled,
}

impl Workspace {
    /// Runs a runbook and shows what it selects.
    ///
    /// # Errors
    /// When the runbook cannot be found or is not valid, the inputs do not fit, or the budget is too small
    /// to say anything. What goes wrong inside the run is in the pack.
    pub async fn refresh(
        &self,
        request: &RefreshRequest,
        observer: Arc<dyn Observer>,
        stop: Stop,
    ) -> Result<Refresh, Error> {
        let (snapshot, catalog) = (self.snapshot(), crate::step_catalog());
        let runbook = self.runbook(&request.runbook, &request.start, &snapshot, &catalog)?;
        let inputs =
            bind_inputs(runbook.plan.inputs(), request.inputs.clone()).map_err(Error::Inputs)?;
        let policy = runbook.plan.policy().bind(&inputs).map_err(|error| {
            Error::Document(windlass_base::Diagnostic::error("policy", error.to_string()).into())
        })?;
        let services = self.services(request, &runbook, &snapshot, &catalog)?;
        let registry = windlass_steps::registry(&services);
        let jobs = request.jobs.unwrap_or(self.environment().threads);
        let options = RunOptions {
            fail_fast: request.fail_fast,
            ..RunOptions::with_jobs(jobs)
        };
        let context = RunContext {
            observer,
            stop,
            slots: Slots::new(jobs),
            depth: 0,
            prefix: String::new(),
        };
        let result =
            windlass_engine::run(&runbook.plan, &inputs, &registry, &options, context).await;
        let pack = assemble(&runbook, &result, &catalog, &snapshot, &policy)?;
        let ending = ending(&result, &pack, policy.freshness);
        let options = view_options(&request.view, &policy);
        let (shown, printed) = view(&pack, &snapshot, &options)?;
        let cursors_lost = shown.is_truncated() && !self.keep_result(&pack, &policy);
        drop(shown);
        Ok(Refresh {
            pack,
            printed,
            ending,
            warnings: runbook.warnings,
            cursors_lost,
        })
    }

    fn services(
        &self,
        request: &RefreshRequest,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
    ) -> Result<Services, Error> {
        let permission = self.permission(runbook, snapshot, catalog, request.allow_commands)?;
        let allowed = permission.covers(runbook);
        Ok(Services {
            snapshot: snapshot.clone(),
            notebook: SharedNotebook::new(self.notebook()),
            commands: if allowed {
                CommandPermission::Allowed
            } else {
                CommandPermission::Refused
            },
            environment: Arc::clone(&self.environment().variables),
            runbooks: Arc::new(WorkspaceRunbooks {
                workspace: self.clone(),
                snapshot: snapshot.clone(),
                catalog: catalog.clone(),
                permission,
            }),
        })
    }
}

/// How a pack is shown: what the caller says, else what the runbook says.
pub(crate) fn view_options(request: &ViewRequest, policy: &Policy) -> ViewOptions {
    ViewOptions {
        limit: request.limit.or(policy.limit).unwrap_or(DEFAULT_LIMIT),
        format: request.format,
        mode: request.mode.or(policy.response_mode).unwrap_or_default(),
        text: text_policy(policy.freshness),
        noise_permille: u32::from(policy.noise_permille),
        from: None,
    }
}

pub(crate) fn text_policy(freshness: FreshnessMode) -> TextPolicy {
    match freshness {
        FreshnessMode::Repair => TextPolicy::Repaired,
        FreshnessMode::Strict | FreshnessMode::Report => TextPolicy::InPlace,
    }
}

fn assemble(
    runbook: &RunbookFile,
    result: &RunResult,
    catalog: &Catalog,
    snapshot: &Snapshot,
    policy: &Policy,
) -> Result<Pack, Error> {
    let plan = &*runbook.plan;
    let max_items = policy.max_items_per_section as usize;
    let mut sections = select(&Selection {
        plan,
        result,
        catalog,
        snapshot,
        max_items,
    });
    let notes = say_what_changed(snapshot, &mut sections);
    let status = pack_status(result.outcome, &sections);
    let runbook_ref = RunbookRef {
        id: plan.id().clone(),
        title: plan.title().to_owned(),
        purpose: plan.purpose().to_owned(),
    };
    let mut pack = Pack::new(runbook_ref, status, sections, notes)
        .map_err(|error| Error::Internal(error.to_string()))?;
    pack.next_actions = next_actions(&pack, runbook.call.as_deref());
    Ok(pack)
}

/// Files that changed while the run was going on are named in each section that shows them, whose state is
/// then unknown; the others are noted for the pack as a whole.
fn say_what_changed(snapshot: &Snapshot, sections: &mut [PackSection]) -> Vec<String> {
    let changes: BTreeMap<RepoPath, ChangeKind> = snapshot
        .changed_since()
        .into_iter()
        .map(|change| (change.path, change.what))
        .collect();
    if changes.is_empty() {
        return Vec::new();
    }
    let mut named = BTreeSet::new();
    for section in sections {
        let shown: BTreeSet<&RepoPath> = section.entries.iter().flat_map(files_of).collect();
        let changed: Vec<&RepoPath> = shown
            .into_iter()
            .filter(|path| changes.contains_key(*path))
            .collect();
        if changed.is_empty() {
            continue;
        }
        let list: Vec<String> = changed.iter().map(ToString::to_string).collect();
        named.extend(changed.into_iter().cloned());
        section.reason = Some(format!(
            "changed while the run was going on: {}",
            list.join(", ")
        ));
        section.status = section.status.max(SectionStatus::Unknown);
        section
            .entries
            .iter_mut()
            .for_each(|entry| distrust(entry, &changes));
    }
    let others: Vec<String> = changes
        .keys()
        .filter(|path| !named.contains(*path))
        .map(ToString::to_string)
        .collect();
    if others.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "files that were looked at changed while the run was going on: {}",
        others.join(", ")
    )]
}

/// Nothing is claimed of evidence in a file that changed.
fn distrust(entry: &mut Entry, changes: &BTreeMap<RepoPath, ChangeKind>) {
    let Entry::Item(item) = entry else { return };
    for evidence in &mut item.evidence {
        if changes.contains_key(&evidence.pointer.file) {
            let reason = "the file changed while the run was going on".to_owned();
            evidence.judgement = Judgement::new(Freshness::Unknown, Some(reason));
        }
    }
}

fn files_of(entry: &Entry) -> Vec<&RepoPath> {
    match entry {
        Entry::Item(item) => item
            .evidence
            .iter()
            .map(|evidence| &evidence.pointer.file)
            .collect(),
        Entry::Observation(_) => Vec::new(),
    }
}

pub(crate) fn pack_status(outcome: Outcome, sections: &[PackSection]) -> PackStatus {
    match outcome {
        Outcome::Cancelled => PackStatus::Cancelled,
        Outcome::Failed => PackStatus::Failed,
        Outcome::Partial => PackStatus::Partial,
        Outcome::Completed if sections.iter().any(|section| is_stale(section.status)) => {
            PackStatus::Stale
        }
        Outcome::Completed => PackStatus::Ok,
    }
}

fn is_stale(status: SectionStatus) -> bool {
    matches!(status, SectionStatus::Stale | SectionStatus::Unknown)
}

fn ending(result: &RunResult, pack: &Pack, freshness: FreshnessMode) -> Ending {
    let refused = result.steps.iter().any(|step| {
        step.error
            .as_ref()
            .is_some_and(|error| error.kind == StepErrorKind::Refused)
    });
    let stale =
        |section: &PackSection| is_stale(section.status) || section.status == SectionStatus::Moved;
    match result.outcome {
        Outcome::Cancelled => Ending::Cancelled,
        // Also where the runbook goes on without it: nobody should take what was not allowed for done.
        _ if refused => Ending::Refused,
        Outcome::Failed => Ending::Failed,
        Outcome::Completed | Outcome::Partial => {
            let strict = freshness == FreshnessMode::Strict;
            if strict && pack.sections.iter().any(stale) {
                Ending::Stale
            } else {
                Ending::Done
            }
        }
    }
}
