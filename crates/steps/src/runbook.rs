use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::Entry;
use windlass_engine::{
    Call, ErrorKind, RunContext, RunOptions, RunResult, Step, StepError, StepFuture, StepOutput,
};
use windlass_pack::{PackSection, SectionStatus, Selection, select};
use windlass_plan::{Effects, Given, KindSpec, Outcome, Plan, bind_inputs};

use crate::spec::kind;
use crate::{CommandPermission, Services};

/// How deep runbooks may be nested in runbooks.
const MAX_DEPTH: u32 = 8;

/// Runs another runbook of the repository and gives back what it selects.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Its name.
    #[schemars(length(min = 1))]
    name: String,
    /// Its inputs.
    #[serde(default)]
    inputs: Map<String, Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The runbook's name.
    name: String,
    /// All that its sections hold, in order.
    items: Vec<Entry>,
    /// Its sections.
    sections: Vec<SectionOutput>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SectionOutput {
    /// Its name.
    id: String,
    /// Its heading.
    title: String,
    /// What it may be relied on for.
    status: SectionStatus,
    /// How many entries it holds.
    count: usize,
}

/// A runbook that can be run inside another.
pub struct Nested {
    /// Its plan.
    pub plan: Arc<Plan>,
    /// Whether its own steps may start processes.
    pub commands: CommandPermission,
}

/// Where nested runbooks come from.
pub trait NestedRunbooks: Send + Sync {
    /// The runbook called `name`, checked. `has_inputs` says whether the caller gives it inputs: what a user
    /// trusted a runbook with by itself is not what another runbook makes of it.
    ///
    /// # Errors
    /// When there is none, or it cannot be used.
    fn load(&self, name: &str, has_inputs: bool) -> Result<Nested, StepError>;
}

pub(crate) const NAME: &str = "runbook";

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let effects = Effects {
        reads_files: true,
        runs_processes: false,
        nested: true,
        reproducible: true,
    };
    kind::<Input, Output>(
        NAME,
        "run another runbook and take what it selects",
        Some("items"),
        effects,
    )
});

pub(crate) struct RunbookStep {
    services: Services,
}

impl RunbookStep {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            services: services.clone(),
        }
    }
}

impl Step for RunbookStep {
    fn name(&self) -> &str {
        NAME
    }

    fn spec(&self) -> &KindSpec {
        &SPEC
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        Box::pin(async move {
            let input: Input = call.input()?;
            if call.depth >= MAX_DEPTH {
                let message = format!(
                    "runbooks are nested more than {MAX_DEPTH} deep at `{}`",
                    input.name
                );
                return Err(StepError::failed(message)
                    .help("does the runbook run itself, directly or not?"));
            }
            let loader = Arc::clone(&self.services.runbooks);
            let name = input.name.clone();
            let has_inputs = !input.inputs.is_empty();
            let nested = Call::blocking(move || loader.load(&name, has_inputs)).await?;
            run(&self.services, &call, input, nested).await
        })
    }
}

async fn run(
    services: &Services,
    call: &Call,
    input: Input,
    nested: Nested,
) -> Result<StepOutput, StepError> {
    let plan = nested.plan;
    let given: BTreeMap<String, Given> = input
        .inputs
        .into_iter()
        .map(|(name, value)| (name, Given::Json(value)))
        .collect();
    let inputs = bind_inputs(plan.inputs(), given).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        StepError::invalid(format!(
            "the inputs of `{}` do not fit: {}",
            input.name,
            errors.join("; ")
        ))
    })?;
    let services = Services {
        commands: nested.commands,
        ..services.clone()
    };
    let registry = crate::registry(&services);
    // The places at which steps run are shared with the outer run, so that its limit holds here too.
    let options = RunOptions::with_jobs(NonZeroUsize::MAX);
    let context = RunContext {
        observer: Arc::clone(&call.observer),
        stop: call.stop.clone(),
        slots: call.slots.clone(),
        depth: call.depth + 1,
        prefix: format!("{}/", call.path),
    };
    let result = windlass_engine::run(&plan, &inputs, &registry, &options, context).await;
    if let Some(error) = failure(&input.name, &result) {
        return Err(error);
    }
    let sections = select(&Selection {
        plan: &plan,
        result: &result,
        catalog: &crate::catalog(),
        snapshot: &services.snapshot,
        max_items: usize::MAX,
    });
    answer(input.name, sections)
}

/// Why the run as a whole failed; also where something in it was not allowed.
fn failure(name: &str, result: &RunResult) -> Option<StepError> {
    let errors = || {
        result
            .steps
            .iter()
            .filter_map(|step| Some((&step.id, step.error.as_ref()?)))
    };
    let refused = errors().find(|(_, error)| error.kind == ErrorKind::Refused);
    let failed = matches!(result.outcome, Outcome::Failed | Outcome::Cancelled);
    if !failed && refused.is_none() {
        return None;
    }
    let Some((id, error)) = refused.or_else(|| errors().next()) else {
        return Some(StepError::new(
            ErrorKind::Cancelled,
            format!("runbook `{name}` was stopped"),
        ));
    };
    let kind = if refused.is_some() {
        ErrorKind::Refused
    } else {
        ErrorKind::Failed
    };
    let message = format!("runbook `{name}` failed: step `{id}`: {error}");
    Some(StepError {
        help: error.help.clone(),
        ..StepError::new(kind, message)
    })
}

fn answer(name: String, sections: Vec<PackSection>) -> Result<StepOutput, StepError> {
    let summary = |section: &PackSection| SectionOutput {
        id: section.id.to_string(),
        title: section.title.clone(),
        status: section.status,
        count: section.entries.len(),
    };
    let summaries = sections.iter().map(summary).collect();
    let notes = sections
        .iter()
        .flat_map(|section| section.notes.clone())
        .collect();
    let items = sections
        .into_iter()
        .flat_map(|section| section.entries)
        .collect();
    let output = StepOutput::of(&Output {
        name,
        items,
        sections: summaries,
    })?;
    Ok(StepOutput { notes, ..output })
}
