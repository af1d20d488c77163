//! Runs a runbook of another repository, for the `run` steps of fleets and formulas.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_engine::{ErrorKind, NoObserver, StepError, Stop};
use windlass_ledger::{RunGives, RunInput};
use windlass_packs::{Ending, Format, ViewRequest};
use windlass_plan::Given;
use windlass_runs::{Part, RefreshRequest, RunService};
use windlass_site::{Error, Site};

/// Runs the runbook of `input` in its own repository, and returns the pack.
///
/// `site` is the ledger's repository. Unless `allow` is set, it is the trust of the other
/// repository that decides about programs.
///
/// # Errors
/// Returns an error if the repository cannot be opened or the run fails. If the run fails, its pack
/// is part of the error.
pub(crate) async fn run_elsewhere(
    site: &Site,
    input: &RunInput,
    allow: bool,
    stop: Stop,
) -> Result<Value, StepError> {
    let RunInput {
        repository,
        runbook,
        inputs,
    } = input;
    let root = site.repo().root().join(repository);
    let there = Site::open(&root, site.environment().as_ref().clone());
    let there = there.map_err(|error| {
        StepError::failed(format!("cannot open repository `{repository}`: {error}"))
    })?;
    let given = |(name, text): (&String, &String)| (name.clone(), Given::Text(text.clone()));
    let request = RefreshRequest {
        runbook: runbook.clone(),
        start: root,
        inputs: inputs.iter().map(given).collect(),
        part: Part::Whole,
        jobs: None,
        fail_fast: false,
        allow_commands: allow,
        view: ViewRequest {
            limit: None,
            format: Format::Markdown,
            also: Some(Format::Json),
            mode: None,
        },
    };
    let runs = RunService::new(&there);
    let refresh = runs.refresh(&request, Arc::new(NoObserver), stop).await;
    let refresh = refresh.map_err(|error| failure(repository, &error))?;
    let pack = refresh.also.map(|pack| pack.plain()).unwrap_or_default();
    let gives = RunGives {
        ending: refresh.ending.as_str().to_owned(),
        markdown: refresh.printed.plain(),
        pack: serde_json::from_str(&pack).unwrap_or_default(),
    };
    match refresh.ending {
        Ending::Done => Ok(json!(gives)),
        Ending::Cancelled => Err(StepError::new(ErrorKind::Cancelled, "it was stopped")),
        ending => {
            let (name, words) = (runbook, ending_words(ending));
            let why = format!("runbook `{name}` of `{repository}` {words}");
            Err(StepError::failed(why).seen(json!(gives)))
        }
    }
}

fn failure(repository: &str, error: &Error) -> StepError {
    match error.is_interrupted() {
        true => StepError::new(ErrorKind::Cancelled, "it was stopped"),
        false => StepError::failed(format!("in repository `{repository}`: {error}")),
    }
}

fn ending_words(ending: Ending) -> &'static str {
    match ending {
        Ending::Refused => "was not permitted to start a program",
        Ending::Stale => "is strict, and its evidence is stale",
        _ => "failed",
    }
}
