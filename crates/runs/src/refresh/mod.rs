//! Runs a runbook: loads it, runs its steps, assembles the pack and prints it.
//!
//! Each of these phases may block, so all but the second run on blocking threads. A run can be
//! stopped at any time. It then still prints what it has, unless the user insists
//! ([`StopLevel::Kill`](windlass_engine::StopLevel::Kill)). Problems with the record never fail the
//! run; they end up in [`Refresh::notices`].

mod assemble;
mod earlier_outputs;
mod nested_runbooks;
mod plugin_world;
mod recording;
mod refresh_phases;
mod resume;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use windlass_base::{Cancel, Diagnostics};
use windlass_context::PackService;
use windlass_engine::{
    Earlier, Held, Observer, Phase, Registry, RunContext, RunOptions, RunResult, Slots, Stop,
};
use windlass_notebook::{ANCHORS_STEP, RunbookFile};
use windlass_packs::{Ending, NotKept, Pack, Printed, Styled, ViewRequest, view_options};
use windlass_plan::{Catalog, Policy, StepIndex, bind_inputs};
use windlass_plugin::{Plugins, World};
use windlass_repo::Snapshot;
use windlass_site::Error;
use windlass_steps::{Services, SharedNotebook};

use self::assemble::{Assembled, assemble};
use self::earlier_outputs::EarlierOutputs;
use self::nested_runbooks::SiteRunbooks;
use self::plugin_world::{NoRunbooks, PluginStates, RunWorld};
use self::recording::{Recording, failed, start_record};
use self::refresh_phases::Phases;
use self::resume::resolve_part;
pub use self::resume::{Resumption, resume_call};
use crate::next_calls::typed_given;
use crate::refresh_request::RefreshRequest;
use crate::run_catalog::catalog_with;
use crate::run_error::RunError;
use crate::run_service::RunService;

/// The result of [`RunService::refresh`].
#[derive(Debug)]
pub struct Refresh {
    /// The complete pack, regardless of the budget.
    pub pack: Pack,
    /// The pack in the requested format, as far as it fits the budget.
    pub printed: Styled,
    /// The pack in the second format, if requested.
    pub also: Option<Styled>,
    /// Outcome of the run, which determines the exit code.
    pub ending: Ending,
    /// Warnings about the runbook itself.
    pub warnings: Diagnostics,
    /// Reason why the rest of a cut pack could not be stored. The printed pack then has no cursors,
    /// since they would lead nowhere.
    pub cursors_lost: Option<NotKept>,
    /// Other facts for the user, e.g. an incomplete record.
    pub notices: Vec<String>,
}

/// A runbook and everything needed to run it.
pub(crate) struct Loaded {
    pub(crate) runbook: RunbookFile,
    pub(crate) inputs: BTreeMap<String, Value>,
    /// Inputs in the form `NAME=VALUE`, as the user would type them. We need them for the commands
    /// that the pack suggests.
    pub(crate) given: Vec<String>,
    pub(crate) policy: Policy,
    pub(crate) registry: Registry,
    pub(crate) snapshot: Snapshot,
    pub(crate) catalog: Catalog,
    /// Set once a strict nested runbook has ended with valid evidence. If files change during the
    /// run, that result has to be revised.
    pub(crate) strict_inside: Arc<AtomicBool>,
    /// The requested steps and their needs, or `None` for the whole runbook.
    only: Option<BTreeSet<StepIndex>>,
    /// Reusable outputs of an earlier run.
    earlier: Option<Arc<dyn Earlier>>,
    pub(crate) notebook: SharedNotebook,
}

struct Begun {
    loaded: Loaded,
    recording: Option<Recording>,
    notices: Vec<String>,
    seed: u16,
}

struct Shown {
    pack: Pack,
    printed: Printed,
}

impl RunService {
    /// Runs a runbook and returns its pack. If a step fails, its error becomes part of the pack,
    /// and the run goes on.
    ///
    /// # Errors
    /// Returns an error if the runbook cannot be found or is invalid, if the inputs do not match,
    /// or if the budget is too small. Returns [`windlass_site::SiteError::Interrupted`] once `stop`
    /// is raised to [`windlass_engine::StopLevel::Kill`].
    pub async fn refresh(
        &self,
        request: &RefreshRequest,
        observer: Arc<dyn Observer>,
        stop: Stop,
    ) -> Result<Refresh, Error> {
        let mut phases = Phases::new(observer, stop);
        let begun = {
            let (service, request) = (self.with_one_notebook(), request.clone());
            let load = move |cancel: &Cancel| {
                let begun = service.load(&request, cancel);
                begun.map_err(|error| match cancel.is_cancelled() {
                    true => Error::interrupted(),
                    false => error,
                })
            };
            phases.blocking(Phase::Load, load).await?
        };
        let (loaded, mut notices) = (Arc::new(begun.loaded), begun.notices);
        // Removing old records takes a while, so do it while the steps are running.
        let cleaning = begun
            .recording
            .as_ref()
            .and_then(|_| self.records.clean_runs(begun.seed));
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
        self.desk.note_damage(&loaded.notebook.damage());
        let assembled = {
            let (loaded, stop) = (Arc::clone(&loaded), phases.stop());
            let is_recorded = record.is_some();
            let assemble = move |cancel: &Cancel| {
                let mut assembled = assemble(&loaded, &result, cancel, &stop)?;
                if is_recorded && assembled.ending == Ending::Cancelled {
                    assembled.pack.next_actions.insert(0, resume_call());
                }
                Ok(assembled)
            };
            phases.blocking(Phase::Assemble, assemble).await?
        };
        let ending = assembled.ending;
        let shown = {
            let (service, request, loaded) = (self.clone(), request.view, Arc::clone(&loaded));
            let record = record.clone();
            let show = move |_: &Cancel| {
                let recorded = record.map_or(Ok(()), |record| {
                    record.pack(&assembled.pack, &loaded.policy)
                });
                let shown = service.show(assembled, &request, &loaded)?;
                Ok((shown, recorded))
            };
            phases.blocking(Phase::Show, show).await
        };
        // The user may have stopped the run while we were printing.
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

    fn load(&self, request: &RefreshRequest, cancel: &Cancel) -> Result<Begun, Error> {
        // The seed decides if old records are removed. Draw it first, so that the frequency of that
        // doesn't depend on the number of seeds that a run uses.
        let seed = self.site.environment().seeds.next();
        let (snapshot, plugins) = (self.site.snapshot(), self.plugins().plugins_until(cancel));
        let catalog = catalog_with(&plugins);
        let runbook = self
            .shelf()
            .find(&request.runbook, &request.start, &snapshot, &catalog)?;
        if runbook
            .plan
            .steps()
            .iter()
            .any(|step| step.uses == ANCHORS_STEP)
        {
            // The anchors may still be stored for the repository's previous location.
            self.desk.adopt_if_moved();
        }
        let inputs =
            bind_inputs(runbook.plan.inputs(), request.inputs.clone()).map_err(RunError::Inputs)?;
        let policy = runbook.plan.policy().bind(&inputs).map_err(|error| {
            Error::document(windlass_base::Diagnostic::error("policy", error.to_string()).into())
        })?;
        let allow = request.allow_commands;
        let served = self.services(allow, &runbook, &snapshot, &catalog, &plugins)?;
        let (services, world) = (served.services, served.world);
        let part = resolve_part(&self.records, &request.part, &runbook)?;
        let mut notices = Vec::new();
        if let Some(earlier) = &part.earlier
            && earlier.head.runbook.digest != runbook.digest
        {
            notices.push(format!(
                "`{}` changed since run {}; only outputs of steps with unchanged input were reused",
                runbook.file, earlier.head.id
            ));
        }
        let recording = start_record(&self.site, &self.records, request, &runbook, seed)
            .unwrap_or_else(|error| {
                notices.push(not_recorded(&error));
                None
            });
        let kept = |record| {
            Arc::new(EarlierOutputs::of(record, part.rerun, &services)) as Arc<dyn Earlier>
        };
        let given = request
            .inputs
            .iter()
            .filter_map(|(name, given)| typed_given(name, given));
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
        let jobs = request.jobs.unwrap_or(self.site.environment().threads);
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

    fn show(
        &self,
        assembled: Assembled,
        request: &ViewRequest,
        loaded: &Loaded,
    ) -> Result<Shown, Error> {
        let Assembled { mut pack, .. } = assembled;
        let options = view_options(request, &loaded.policy);
        let (snapshot, policy) = (&loaded.snapshot, &loaded.policy);
        let printed = self
            .packs()
            .print(&mut pack, snapshot, &options, policy, request.also)?;
        Ok(Shown { pack, printed })
    }

    fn services(
        &self,
        allow_commands: bool,
        runbook: &RunbookFile,
        snapshot: &Snapshot,
        catalog: &Catalog,
        plugins: &Arc<Plugins>,
    ) -> Result<Served, Error> {
        let permission = self
            .trust()
            .permission(runbook, snapshot, catalog, allow_commands)?;
        let states = PluginStates::now(Arc::clone(plugins), self.site.environment());
        let (began, seed) = (states.began, states.seed);
        let mut services = Services {
            snapshot: snapshot.clone(),
            notebook: SharedNotebook::new(self.desk.file()),
            commands: permission.of(runbook),
            environment: Arc::clone(&self.site.environment().variables),
            given: Arc::default(),
            runbooks: Arc::new(NoRunbooks),
            packs: Arc::new(PackService::new(&self.site)),
            programs: Arc::default(),
            states: Arc::new(states),
            strict_inside: Arc::default(),
        };
        // Plugins called by nested runbooks need the same world, so it has to exist before
        // `SiteRunbooks`, which in turn becomes one of the services.
        let world: Arc<dyn World> = Arc::new(RunWorld::new(&services, began, seed));
        services.runbooks = Arc::new(SiteRunbooks {
            shelf: self.shelf(),
            trust: self.trust(),
            granted: self.plugins(),
            snapshot: snapshot.clone(),
            catalog: catalog.clone(),
            plugins: Arc::clone(plugins),
            world: Arc::clone(&world),
            permission,
        });
        Ok(Served { services, world })
    }

    /// Returns the step kinds for `runbook`, ready to run.
    ///
    /// With `allow_commands`, programs may start without trust. They get the environment variables
    /// in `given` in addition to their own.
    ///
    /// # Errors
    /// Returns an error if the trust list cannot be read.
    pub fn registry_for(
        &self,
        runbook: &RunbookFile,
        allow_commands: bool,
        given: BTreeMap<String, OsString>,
    ) -> Result<Registry, Error> {
        let (snapshot, plugins) = (self.site.snapshot(), self.plugins().plugins());
        let catalog = catalog_with(&plugins);
        let mut served = self.services(allow_commands, runbook, &snapshot, &catalog, &plugins)?;
        served.services.given = Arc::new(given);
        self.registry(&served.services, runbook, &plugins, &served.world)
    }

    fn registry(
        &self,
        services: &Services,
        runbook: &RunbookFile,
        plugins: &Plugins,
        world: &Arc<dyn World>,
    ) -> Result<Registry, Error> {
        let mut registry = windlass_steps::registry(services);
        for kind in self.plugins().kinds(&runbook.plan, plugins, world)? {
            registry.add_shared(kind);
        }
        Ok(registry)
    }
}

struct Served {
    services: Services,
    world: Arc<dyn World>,
}

fn not_recorded(error: &dyn std::fmt::Display) -> String {
    format!("the record of the run is incomplete: {error}")
}
