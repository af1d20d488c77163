//! The `runbook` step runs another runbook inside the current run.
//!
//! - The limits of the outermost run apply to all levels together: slots, memory, default time
//!   limits, `--fail-fast`, and [`MAX_NESTING`] levels of depth. Only the outermost run knows how
//!   its results will be presented, so a nested run returns all of its entries.
//! - A nested runbook fails by its own rules: if a step stops it, or if it has `freshness: strict`
//!   and evidence that isn't proven. The `on_failure` of this step then decides if the outer run
//!   goes on. Stale evidence stays [`ErrorKind::Stale`] in the outer runs, so that the exit code
//!   shows it.
//! - Strictness depends on the verdict for each entry ([`PackSection::breaks_strict`]), because the
//!   status of a section is only a summary. If a list fails in part, for example, its status is
//!   `failed`, which doesn't tell if some of its entries are stale.
//! - If the nested run goes on after a failure, the caveat of this step's output names the failed
//!   steps and the incomplete sections.
//! - After a failure under `--fail-fast`, nested runs don't start any further steps except for
//!   clean-up. Steps that are already running end by themselves.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_base::{Entry, RepoPath};
use windlass_engine::{
    Call, Caveat, ErrorKind, RunResult, Step, StepError, StepFuture, StepOutput,
};
use windlass_notebook::{MAX_NESTING, RUNBOOK_STEP};
use windlass_packs::{PackSection, SectionStatus, Selection, select};
use windlass_plan::{
    Effects, FreshnessMode, Given, InputError, InputWords, KindSpec, Outcome, Plan, WrittenInput,
    bind_inputs,
};

use super::built_in::BuiltIn;
use super::kind_spec::kind;
use crate::services::{Nested, Services};

/// Runs another runbook of the repository and returns its sections.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Name of the runbook.
    #[schemars(length(min = 1))]
    name: String,
    /// Inputs of the runbook.
    #[serde(default)]
    inputs: Map<String, Value>,
}

pub(crate) fn named(with: &Value) -> Option<String> {
    Some(Input::deserialize(with).ok()?.name)
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// Name of the runbook.
    name: String,
    /// Entries of all sections, in order.
    items: Vec<Entry>,
    /// Sections.
    sections: Vec<SectionOutput>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SectionOutput {
    /// Name.
    id: String,
    /// Heading.
    title: String,
    /// Status of the evidence.
    status: SectionStatus,
    /// Number of entries.
    count: usize,
}

pub(crate) const NAME: &str = RUNBOOK_STEP;

pub(crate) static SPEC: LazyLock<KindSpec> = LazyLock::new(|| {
    let effects = Effects {
        reads_files: true,
        runs_processes: false,
        nested: true,
        reproducible: true,
    };
    kind::<Input, Output>(
        NAME,
        "run another runbook and return its sections",
        Some("items"),
        effects,
    )
    .checked_by(check)
    .explained_by(explain)
});

fn check(input: &mut WrittenInput<'_>) {
    input.parse::<RepoPath>("/name");
}

fn explain(input: &InputWords) -> Vec<String> {
    let name = input.phrase("", "name");
    let given = input.value("inputs").and_then(Value::as_object);
    let names = given.into_iter().flat_map(Map::keys);
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let given = if names.is_empty() {
        String::new()
    } else {
        format!(", giving it {}", names.join(", "))
    };
    let its_own = match input.value("name").and_then(Value::as_str) {
        Some(name) => format!("`windlass plan {name} --explain` shows what it reads"),
        None => "its reads depend on the runbook".to_owned(),
    };
    vec![format!("runs the runbook {name}{given}"), its_own]
}

pub(crate) fn step(services: &Services) -> impl Step + use<> {
    BuiltIn::starting(services, NAME, &SPEC, run)
}

fn run(services: &Services, call: Call, input: Input) -> StepFuture<'_> {
    Box::pin(async move {
        if call.depth >= MAX_NESTING {
            let message = format!(
                "runbooks are nested more than {MAX_NESTING} deep at `{}`",
                input.name
            );
            return Err(StepError::failed(message)
                .help("remove the cycle: the runbook runs itself, directly or indirectly"));
        }
        let loader = Arc::clone(&services.runbooks);
        let name = input.name.clone();
        let has_inputs = !input.inputs.is_empty();
        let nested = call
            .blocking(move || loader.load(&name, has_inputs))
            .await?;
        run_nested(services, &call, input, nested).await
    })
}

async fn run_nested(
    services: &Services,
    call: &Call,
    input: Input,
    nested: Nested,
) -> Result<StepOutput, StepError> {
    let (plan, catalog) = (nested.plan, nested.catalog);
    let given: BTreeMap<String, Given> = input
        .inputs
        .into_iter()
        .map(|(name, value)| (name, Given::Json(value)))
        .collect();
    let inputs = bind_inputs(plan.inputs(), given).map_err(|errors| {
        let told = |error: &InputError| match error {
            // A step gave these inputs, so don't give advice about the command line.
            InputError::Missing { name, .. } => format!("input `{name}` is required"),
            error => error.to_string(),
        };
        let errors: Vec<String> = errors.iter().map(told).collect();
        StepError::invalid(format!(
            "the inputs of `{}` do not fit: {}",
            input.name,
            errors.join("; ")
        ))
    })?;
    let policy = plan.policy().bind(&inputs).map_err(|error| {
        StepError::invalid(format!("runbook `{}` cannot be run: {error}", input.name))
    })?;
    let services = Services {
        commands: nested.commands,
        ..services.clone()
    };
    let mut registry = crate::registry(&services);
    for kind in nested.kinds {
        registry.add_shared(kind);
    }
    let result = call.run_nested(&plan, &inputs, &registry).await;
    if let Some(error) = failure(&input.name, &plan, &result) {
        return Err(error);
    }
    let name = input.name;
    call.blocking(move || {
        let sections = select(&Selection {
            plan: &plan,
            result: &result,
            catalog: &catalog,
            snapshot: &services.snapshot,
            max_items: usize::MAX,
        });
        if policy.freshness == FreshnessMode::Strict {
            if let Some(error) = stale(&name, &sections) {
                return Err(error);
            }
            // Files may still change until the end of the outermost run, which then has to revise
            // this.
            services.strict_inside.store(true, Ordering::Relaxed);
        }
        answer(name, &result, sections)
    })
    .await
}

/// Returns the error of a failed run. A refused step takes precedence, even over the step that
/// stopped the run: the user can only solve this by trusting the runbook.
fn failure(name: &str, plan: &Plan, result: &RunResult) -> Option<StepError> {
    let refused = result.steps.iter().find_map(|step| {
        let error = step.error.as_ref()?;
        (error.kind == ErrorKind::Refused).then_some((step.id.as_str(), error))
    });
    let failed = matches!(result.outcome, Outcome::Failed | Outcome::Cancelled);
    if !failed && refused.is_none() {
        return None;
    }
    let Some((id, error)) = refused.or_else(|| result.stopping_errors(plan).next()) else {
        return Some(StepError::new(
            ErrorKind::Cancelled,
            format!("runbook `{name}` was stopped"),
        ));
    };
    let kind = if refused.is_some() {
        ErrorKind::Refused
    } else if result.failed_of_staleness(plan) {
        ErrorKind::Stale
    } else if result.outcome == Outcome::Cancelled {
        ErrorKind::Cancelled
    } else {
        ErrorKind::Failed
    };
    let message = format!("runbook `{name}` failed: step `{id}`: {error}");
    Some(StepError {
        help: error.help.clone(),
        seen: error.seen.clone(),
        ..StepError::new(kind, message)
    })
}

fn stale(name: &str, sections: &[PackSection]) -> Option<StepError> {
    let stale: Vec<String> = sections
        .iter()
        .filter(|section| section.breaks_strict())
        .map(|section| match section.status {
            SectionStatus::Failed => format!("`{}` failed", section.id),
            status => format!("`{}` is {}", section.id, status.as_str()),
        })
        .collect();
    if stale.is_empty() {
        return None;
    }
    let message = format!(
        "runbook `{name}` has the policy `freshness: strict`, and its evidence is stale: {}",
        stale.join(", ")
    );
    let help = "run that runbook alone to see the state of its evidence";
    Some(StepError::new(ErrorKind::Stale, message).help(help))
}

/// Warns about failed steps and incomplete sections. The outer run only gets the entries, from
/// which it couldn't tell.
fn caveat(name: &str, result: &RunResult, sections: &[PackSection]) -> Option<Caveat> {
    let failed = result.steps.iter().filter_map(|step| {
        let error = step.error.as_ref()?;
        Some(Caveat::from(format!("step `{}` failed: {error}", step.id)))
    });
    let missing: Vec<Caveat> = failed.chain(sections.iter().filter_map(lacking)).collect();
    let gravest = Caveat::gravest(missing.iter())?;
    let texts: Vec<&str> = missing.iter().map(|caveat| &*caveat.text).collect();
    Some(Caveat {
        text: format!("runbook `{name}`: {}", texts.join("; ")),
        ..gravest.clone()
    })
}

fn lacking(section: &PackSection) -> Option<Caveat> {
    let reason = section.reason.as_ref()?;
    let unproven = section.status == SectionStatus::Failed || section.in_doubt;
    Some(Caveat {
        unproven,
        help: section.help.clone(),
        next_action: section.next_action.clone(),
        ..Caveat::from(format!("section `{}`: {reason}", section.id))
    })
}

fn answer(
    name: String,
    result: &RunResult,
    sections: Vec<PackSection>,
) -> Result<StepOutput, StepError> {
    let caveat = caveat(&name, result, &sections);
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
    Ok(StepOutput {
        notes,
        caveat,
        ..output
    })
}
