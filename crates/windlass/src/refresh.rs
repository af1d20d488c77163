use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::{Cancel, Diagnostics, Limit, ResponseMode};
use windlass_engine::{
    Earlier, Held, Observer, Phase, Registry, RunContext, RunOptions, RunResult, Slots, Stop,
};
use windlass_pack::{Asked, Format, Pack, Styled, TextPolicy, ViewOptions};
use windlass_plan::{Catalog, FreshnessMode, Given, Policy, StepIndex, bind_inputs};
use windlass_plugin::World;
use windlass_redact::redact_field;
use windlass_repo::Snapshot;
use windlass_steps::{ANCHORS_STEP, Services, SharedNotebook};

use crate::RunError;
use crate::assemble::{Assembled, assemble};
use crate::context::WorkspacePacks;
use crate::nested::WorkspaceRunbooks;
use crate::phases::Phases;
use crate::plugins::{NoRunbooks, PluginStates, Plugins, RunWorld, plugin_kinds};
use crate::results::Printed;
use crate::runs::{Kept, Recording, failed};
use crate::{Error, NotKept, RunId, RunbookFile, Workspace};

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
    /// How much of it.
    pub part: Part,
    /// How many steps run at once; as many as there are threads if not said.
    pub jobs: Option<NonZeroUsize>,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
    /// Whether its steps may start programs, trusted or not.
    pub allow_commands: bool,
    /// How the pack is shown.
    pub view: ViewRequest,
}

/// How much of a runbook runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// The step of this id and what depends on it; of other steps the outputs of the runbook's newest run are
    /// kept where they still hold.
    From(String),
    /// The steps of these ids and what they need; the others are skipped.
    Only(Vec<String>),
    /// What is not there of a run, or no longer holds.
    Resume {
        /// The run.
        run: RunId,
        /// The steps that it was of, if it was not of all; see [`Part::Only`].
        only: Vec<String>,
    },
}

/// How a pack is shown; what is not said is taken from the runbook.
#[derive(Debug, Clone, Copy)]
pub struct ViewRequest {
    /// How much is printed.
    pub limit: Option<Limit>,
    /// How it is printed.
    pub format: Format,
    /// Another format in which it is printed as well, within the same limit.
    pub also: Option<Format>,
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
    /// The same in the other format that was asked for.
    pub also: Option<Styled>,
    /// How it ended.
    pub ending: Ending,
    /// What is odd about the runbook.
    pub warnings: Diagnostics,
    /// Why what was cut is not kept, so that there are no cursors.
    pub cursors_lost: Option<NotKept>,
    /// What a person should know that is not about the runbook: why the run was not recorded as a whole.
    pub notices: Vec<String>,
}

/// How a run ended; the exit code follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

impl Ending {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Stale => "stale",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A runbook with all that its run needs.
pub(crate) struct Loaded {
    pub(crate) runbook: RunbookFile,
    pub(crate) inputs: BTreeMap<String, Value>,
    /// Those that were given, as they are typed.
    pub(crate) given: Vec<String>,
    pub(crate) policy: Policy,
    pub(crate) registry: Registry,
    pub(crate) snapshot: Snapshot,
    pub(crate) catalog: Catalog,
    /// Whether a runbook inside of this one is strict, and found its evidence standing.
    pub(crate) strict_inside: Arc<AtomicBool>,
    /// The steps that are asked for; all if not said.
    only: Option<BTreeSet<StepIndex>>,
    /// Outputs that may serve.
    earlier: Option<Arc<dyn Earlier>>,
    pub(crate) notebook: SharedNotebook,
}

/// What the first phase gave.
struct Begun {
    loaded: Loaded,
    recording: Option<Recording>,
    notices: Vec<String>,
    seed: u16,
}

/// A pack that was printed.
struct Shown {
    pack: Pack,
    printed: Printed,
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
        let mut phases = Phases::new(observer, stop);
        let begun = {
            let (workspace, request) = (self.with_one_notebook(), request.clone());
            let load = move |cancel: &Cancel| {
                let begun = workspace.load(&request, cancel);
                begun.map_err(|error| match cancel.is_cancelled() {
                    true => Error::interrupted(),
                    false => error,
                })
            };
            phases.blocking(Phase::Load, load).await?
        };
        let (loaded, mut notices) = (Arc::new(begun.loaded), begun.notices);
        // Old records are cleaned away beside the run, which need not wait for it.
        let cleaning = begun
            .recording
            .as_ref()
            .and_then(|_| self.clean_runs(begun.seed));
        let record =
            begun
                .recording
                .and_then(|recording| match recording.listen(phases.observer()) {
                    Ok(listening) => Some(Arc::new(listening)),
                    Err(error) => {
                        notices.push(not_recorded(&error));
                        None
                    }
                });
        if let Some(record) = &record {
            phases.listen(record.observer());
        }
        phases.enter(Phase::Run)?;
        let result = self.run_steps(&loaded, request, &phases).await;
        let failed_steps = failed(&result);
        self.note_damage(&loaded.notebook.damage());
        let assembled = {
            let (loaded, stop) = (Arc::clone(&loaded), phases.stop());
            let assemble = move |cancel: &Cancel| assemble(&loaded, &result, cancel, &stop);
            phases.blocking(Phase::Assemble, assemble).await?
        };
        let ending = assembled.ending;
        let shown = {
            let (workspace, request, loaded) = (self.clone(), request.view, Arc::clone(&loaded));
            let record = record.clone();
            let show = move |_: &Cancel| {
                let recorded = record.map_or(Ok(()), |record| {
                    record.pack(&assembled.pack, &loaded.policy)
                });
                let shown = workspace.show(assembled, &request, &loaded)?;
                Ok((shown, recorded))
            };
            phases.blocking(Phase::Show, show).await
        };
        let ending = if phases.is_cancelled() {
            Ending::Cancelled
        } else {
            ending
        };
        if let Some(record) = record
            && !shown.as_ref().is_err_and(Error::is_interrupted)
            && let Some(Err(error)) = phases.aside(move || record.end(ending, failed_steps)).await
        {
            notices.push(not_recorded(&error));
        }
        if let Some(cleaning) = cleaning {
            let _ = cleaning.await;
        }
        let (shown, recorded) = shown?;
        notices.extend(recorded.err().map(|error| not_recorded(&error)));
        Ok(Refresh {
            pack: shown.pack,
            printed: shown.printed.main,
            also: shown.printed.also,
            ending,
            warnings: loaded.runbook.warnings.clone(),
            cursors_lost: shown.printed.cursors_lost,
            notices,
        })
    }

    /// Reads and checks the runbook, and looks up what it may do.
    fn load(&self, request: &RefreshRequest, cancel: &Cancel) -> Result<Begun, Error> {
        // The first of a run, so that how often records are cleaned away does not depend on what it uses.
        let seed = self.environment().seeds.next();
        let (snapshot, plugins) = (self.snapshot(), self.plugins_until(cancel));
        let catalog = self.catalog_with(Arc::clone(&plugins));
        let runbook = self.runbook(&request.runbook, &request.start, &snapshot, &catalog)?;
        if runbook
            .plan
            .steps()
            .iter()
            .any(|step| step.uses == ANCHORS_STEP)
        {
            self.adopt_if_moved();
        }
        let inputs =
            bind_inputs(runbook.plan.inputs(), request.inputs.clone()).map_err(RunError::Inputs)?;
        let policy = runbook.plan.policy().bind(&inputs).map_err(|error| {
            Error::document(windlass_base::Diagnostic::error("policy", error.to_string()).into())
        })?;
        let allow = request.allow_commands;
        let served = self.services(allow, &runbook, &snapshot, &catalog, &plugins)?;
        let (services, world) = (served.services, served.world);
        let part = self.resolve_part(&request.part, &runbook)?;
        let mut notices = Vec::new();
        if let Some(earlier) = &part.earlier
            && earlier.head.runbook.digest != runbook.digest
        {
            notices.push(format!(
                "`{}` has changed since run {}; only outputs of steps with the same input were kept",
                runbook.file, earlier.head.id
            ));
        }
        let recording = self
            .start_record(request, &runbook, seed)
            .unwrap_or_else(|error| {
                notices.push(not_recorded(&error));
                None
            });
        let kept = |record| Arc::new(Kept::of(record, part.anew, &services)) as Arc<dyn Earlier>;
        let given = request
            .inputs
            .iter()
            .filter_map(|(name, given)| match given {
                Given::Text(text) => typed_input(name, text),
                Given::Json(value) => typed_json_input(name, value),
            });
        let loaded = Loaded {
            inputs,
            given: given.collect(),
            policy,
            registry: self.registry(&services, &runbook, &plugins, &world)?,
            strict_inside: Arc::clone(&services.strict_inside),
            notebook: services.notebook.clone(),
            earlier: part.earlier.map(kept),
            only: part.only,
            runbook,
            snapshot,
            catalog,
        };
        Ok(Begun {
            loaded,
            recording,
            notices,
            seed,
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
            only: loaded.only.clone(),
            ..RunOptions::with_jobs(jobs)
        };
        let context = RunContext {
            observer: phases.observer(),
            stop: phases.stop(),
            slots: Slots::new(jobs),
            held: Held::default(),
            depth: 0,
            prefix: String::new(),
            earlier: loaded.earlier.clone(),
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
        let Assembled { mut pack, .. } = assembled;
        let options = view_options(request, &loaded.policy);
        let (snapshot, policy) = (&loaded.snapshot, &loaded.policy);
        let printed = self.print(&mut pack, snapshot, &options, policy, request.also)?;
        Ok(Shown { pack, printed })
    }

    /// What the steps of a run are served, and what its plugins reach.
    fn services(
        &self,
        allow_commands: bool,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
        plugins: &Arc<Plugins>,
    ) -> Result<Served, Error> {
        let permission = self.permission(runbook, snapshot, catalog, allow_commands)?;
        let states = PluginStates::now(Arc::clone(plugins), self.environment());
        let (began, seed) = (states.began, states.seed);
        let mut services = Services {
            snapshot: snapshot.clone(),
            notebook: SharedNotebook::new(self.notebook()),
            commands: permission.of(runbook),
            environment: Arc::clone(&self.environment().variables),
            given: Arc::default(),
            runbooks: Arc::new(NoRunbooks),
            packs: Arc::new(WorkspacePacks(self.clone())),
            programs: Arc::default(),
            states: Arc::new(states),
            strict_inside: Arc::default(),
        };
        let world: Arc<dyn World> = Arc::new(RunWorld::new(&services, began, seed));
        services.runbooks = Arc::new(WorkspaceRunbooks {
            workspace: self.clone(),
            snapshot: snapshot.clone(),
            catalog: catalog.clone(),
            plugins: Arc::clone(plugins),
            world: Arc::clone(&world),
            permission,
        });
        Ok(Served { services, world })
    }

    /// The kinds of the steps of `runbook`, ready to run by themselves; with `allow_commands` whether they are trusted
    /// or not. Their programs get the variables `given` as well.
    pub(crate) fn registry_for(
        &self,
        runbook: &RunbookFile,
        allow_commands: bool,
        given: BTreeMap<String, OsString>,
    ) -> Result<Registry, Error> {
        let (snapshot, plugins) = (self.snapshot(), self.plugins());
        let catalog = self.catalog_with(Arc::clone(&plugins));
        let mut served = self.services(allow_commands, runbook, &snapshot, &catalog, &plugins)?;
        served.services.given = Arc::new(given);
        self.registry(&served.services, runbook, &plugins, &served.world)
    }

    /// The kinds of the steps of `runbook`, ready to run.
    fn registry(
        &self,
        services: &Services,
        runbook: &RunbookFile,
        plugins: &Plugins,
        world: &Arc<dyn World>,
    ) -> Result<Registry, Error> {
        let mut registry = windlass_steps::registry(services);
        for kind in plugin_kinds(self, &runbook.plan, plugins, world)? {
            registry.add_shared(kind);
        }
        Ok(registry)
    }
}

/// What the steps of a run are served, and what its plugins reach.
struct Served {
    services: Services,
    world: Arc<dyn World>,
}

/// An input as it is typed; nothing where its value may not be shown.
fn typed_input(name: &str, value: &str) -> Option<String> {
    (redact_field(name, value).as_str() == value).then(|| format!("{name}={value}"))
}

/// The same for a value as JSON.
pub(crate) fn typed_json_input(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => typed_input(name, text),
        other => typed_input(name, &other.to_string()),
    }
}

fn not_recorded(error: &dyn std::fmt::Display) -> String {
    format!("the run is not recorded as a whole: {error}")
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
        asked: Asked {
            limit: request.limit.is_some(),
            mode: request.mode.is_some(),
        },
    }
}

pub(crate) fn text_policy(freshness: FreshnessMode) -> TextPolicy {
    match freshness {
        FreshnessMode::Repair => TextPolicy::Repaired,
        FreshnessMode::Strict | FreshnessMode::Report => TextPolicy::InPlace,
    }
}
