use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use windlass_base::{Cancel, Diagnostics, Limit, ResponseMode};
use windlass_engine::{Observer, Phase, Registry, RunContext, RunOptions, RunResult, Slots, Stop};
use windlass_pack::{Format, Pack, Styled, TextPolicy, ViewOptions, view};
use windlass_plan::{Catalog, FreshnessMode, Given, Policy, bind_inputs};
use windlass_repo::Snapshot;
use windlass_steps::{CommandPermission, Services, SharedNotebook};

use crate::assemble::{Assembled, assemble};
use crate::nested::WorkspaceRunbooks;
use crate::phases::Phases;
use crate::{Error, RunbookFile, Workspace};

/// How much is printed when neither the runbook nor the caller says.
pub(crate) const DEFAULT_LIMIT: Limit = Limit::Chars(8_000);

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

/// A runbook with all that its run needs.
pub(crate) struct Loaded {
    pub(crate) runbook: RunbookFile,
    pub(crate) inputs: BTreeMap<String, Value>,
    pub(crate) policy: Policy,
    pub(crate) registry: Registry,
    pub(crate) snapshot: Snapshot,
    pub(crate) catalog: Catalog,
}

/// A pack that was printed.
struct Shown {
    pack: Pack,
    printed: Styled,
    ending: Ending,
    cursors_lost: bool,
}

impl Workspace {
    /// Runs a runbook and shows what it selects.
    ///
    /// # Errors
    /// When the runbook cannot be found or is not valid, the inputs do not fit, or the budget is too small
    /// to say anything; [`Error::Interrupted`] as soon as `stop` is raised to [`windlass_engine::StopLevel::Kill`].
    /// What goes wrong inside the run is in the pack.
    pub async fn refresh(
        &self,
        request: &RefreshRequest,
        observer: Arc<dyn Observer>,
        stop: Stop,
    ) -> Result<Refresh, Error> {
        let phases = Phases::new(observer, stop);
        let loaded = {
            let (workspace, request) = (self.clone(), request.clone());
            let load = move |_: &Cancel| workspace.load(&request);
            Arc::new(phases.blocking(Phase::Load, load).await?)
        };
        phases.enter(Phase::Run)?;
        let result = self.run_steps(&loaded, request, &phases).await;
        let assembled = {
            let (loaded, stop) = (Arc::clone(&loaded), phases.stop());
            let assemble = move |cancel: &Cancel| assemble(&loaded, &result, cancel, &stop);
            phases.blocking(Phase::Assemble, assemble).await?
        };
        let shown = {
            let (workspace, request, loaded) = (self.clone(), request.view, Arc::clone(&loaded));
            let show = move |_: &Cancel| workspace.show(assembled, &request, &loaded);
            phases.blocking(Phase::Show, show).await?
        };
        Ok(Refresh {
            pack: shown.pack,
            printed: shown.printed,
            ending: if phases.is_cancelled() {
                Ending::Cancelled
            } else {
                shown.ending
            },
            warnings: loaded.runbook.warnings.clone(),
            cursors_lost: shown.cursors_lost,
        })
    }

    /// Reads and checks the runbook, and looks up what it may do.
    fn load(&self, request: &RefreshRequest) -> Result<Loaded, Error> {
        let (snapshot, catalog) = (self.snapshot(), crate::step_catalog());
        let runbook = self.runbook(&request.runbook, &request.start, &snapshot, &catalog)?;
        let inputs =
            bind_inputs(runbook.plan.inputs(), request.inputs.clone()).map_err(Error::Inputs)?;
        let policy = runbook.plan.policy().bind(&inputs).map_err(|error| {
            Error::Document(windlass_base::Diagnostic::error("policy", error.to_string()).into())
        })?;
        let services = self.services(request, &runbook, &snapshot, &catalog)?;
        Ok(Loaded {
            runbook,
            inputs,
            policy,
            registry: windlass_steps::registry(&services),
            snapshot,
            catalog,
        })
    }

    async fn run_steps(
        &self,
        loaded: &Loaded,
        request: &RefreshRequest,
        phases: &Phases,
    ) -> RunResult {
        let jobs = request.jobs.unwrap_or(self.environment().threads);
        let options = RunOptions {
            fail_fast: request.fail_fast,
            ..RunOptions::with_jobs(jobs)
        };
        let context = RunContext {
            observer: phases.observer(),
            stop: phases.stop(),
            slots: Slots::new(jobs),
            depth: 0,
            prefix: String::new(),
            earlier: None,
        };
        let (plan, inputs) = (&loaded.runbook.plan, &loaded.inputs);
        windlass_engine::run(plan, inputs, &loaded.registry, &options, context).await
    }

    /// Prints what fits of a pack, and keeps the rest for its cursors.
    fn show(
        &self,
        assembled: Assembled,
        request: &ViewRequest,
        loaded: &Loaded,
    ) -> Result<Shown, Error> {
        let Assembled { pack, ending } = assembled;
        let options = view_options(request, &loaded.policy);
        let (shown, printed) = view(&pack, &loaded.snapshot, &options)?;
        let cursors_lost = shown.is_truncated() && !self.keep_result(&pack, &loaded.policy);
        drop(shown);
        Ok(Shown {
            pack,
            printed,
            ending,
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
