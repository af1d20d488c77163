//! Starts and ends the record of a run. If anything goes wrong, the run goes on without a record.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_engine::{Observer, RunResult};
use windlass_notebook::RunbookFile;
use windlass_packs::{Ending, Pack, StoredResult};
use windlass_plan::{Given, Policy, Status};
use windlass_redact::redact_value;
use windlass_repo::Owner;
use windlass_site::{Environment, Error, Site};
use windlass_store::{LineLog, StoreError};

use crate::records::{
    ENDING, Line, RecordLimits, RecordedRunbook, Recorder, RunEnd, RunHead, RunId, RunRecords,
    SCHEMA_VERSION,
};
use crate::refresh_request::{Part, RefreshRequest};

/// Limits on everything in a record except for its pack, which is limited by the budget.
const LIMITS: RecordLimits = RecordLimits {
    max_output_bytes: 4 << 20,
    max_bytes: 32 << 20,
};

/// Number of IDs to try. An ID consists of the time in seconds and a seed, so it should be very
/// rare that even the first one is taken.
const MAX_TRIES: u16 = 16;

/// The record of a run that has not started yet.
pub(crate) struct Recording {
    log: LineLog,
    environment: Arc<Environment>,
}

/// Reason why the pack is not part of the record.
#[derive(Debug, thiserror::Error)]
#[error("a file name in its pack contains a secret value, so the pack is not recorded")]
pub(crate) struct SecretPack;

/// The record of a run that has started.
pub(crate) struct ActiveRecording {
    recorder: Arc<Recorder>,
}

/// Starts the record of a run. Returns `None` if the user has switched records off with
/// `WINDLASS_RUNS`.
///
/// # Errors
/// Returns an error if the record cannot be created or written.
pub(super) fn start_record(
    site: &Site,
    records: &RunRecords,
    request: &RefreshRequest,
    runbook: &RunbookFile,
    seed: u16,
) -> Result<Option<Recording>, Error> {
    let environment = Arc::clone(site.environment());
    if environment.switches_off("WINDLASS_RUNS") {
        return Ok(None);
    }
    // The full identity of the repository takes a git call, and that's slower than many runs.
    let owner = Owner::without_lineage(site.repo());
    let (id, mut log) = create_log(site, records, seed)?;
    let head = head(site, id, request, runbook, owner);
    let line = Line::Head {
        run: Box::new(head),
    };
    let text = serde_json::to_vec(&line).map_err(Error::internal);
    log.append(&[&*text?, b"\n"].concat())?;
    Ok(Some(Recording { log, environment }))
}

fn create_log(site: &Site, records: &RunRecords, seed: u16) -> Result<(RunId, LineLog), Error> {
    let (folder, environment) = (records.runs_folder()?, site.environment());
    let now = environment.now();
    let mut tried = 0;
    loop {
        let id = RunId::new(now, seed.wrapping_add(tried));
        let id = id.ok_or_else(|| Error::internal("the clock shows no date".to_owned()))?;
        match LineLog::create(&folder.join(format!("{id}{ENDING}"))) {
            Ok(log) => return Ok((id, log)),
            Err(error) if tried < MAX_TRIES && is_taken(&error) => tried += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

fn head(
    site: &Site,
    id: RunId,
    request: &RefreshRequest,
    runbook: &RunbookFile,
    owner: Owner,
) -> RunHead {
    let mut head = RunHead {
        schema_version: SCHEMA_VERSION,
        id,
        started_at: site.environment().precise_timestamp().unwrap_or_default(),
        windlass: env!("CARGO_PKG_VERSION").to_owned(),
        runbook: RecordedRunbook::of(runbook),
        inputs: BTreeMap::new(),
        withheld: Vec::new(),
        from: None,
        only: Vec::new(),
        resumes: None,
        owner,
    };
    match &request.part {
        Part::Whole => {}
        Part::From(step) => head.from = Some(step.clone()),
        Part::Only(steps) => head.only.clone_from(steps),
        Part::Resume { run, only } => {
            head.resumes = Some(run.clone());
            head.only.clone_from(only);
        }
    }
    for (name, given) in &request.inputs {
        let value = match given {
            Given::Text(text) => Value::String(text.clone()),
            Given::Json(value) => value.clone(),
        };
        // A resumed run will ask the user for these again.
        if is_secret(name, &value) {
            head.withheld.push(name.clone());
        } else {
            head.inputs.insert(name.clone(), value);
        }
    }
    head
}

fn is_taken(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { cause, .. } if cause.kind() == ErrorKind::AlreadyExists)
}

fn is_secret(name: &str, value: &Value) -> bool {
    let named = Value::Object(Map::from_iter([(name.to_owned(), value.clone())]));
    redact_value(named.clone()) != named
}

impl Recording {
    /// Starts to record events, which are passed on to `next`.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub(crate) fn listen(self, next: Arc<dyn Observer>) -> Result<ActiveRecording, Error> {
        let elapsed = self.environment.elapsed;
        let began = elapsed();
        let since = Arc::new(move || elapsed().saturating_sub(began));
        let recorder = Recorder::start(self.log, LIMITS, since, next)
            .map_err(|error| Error::internal(format!("cannot start a thread: {error}")))?;
        Ok(ActiveRecording {
            recorder: Arc::new(recorder),
        })
    }
}

impl ActiveRecording {
    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.recorder) as Arc<dyn Observer>
    }

    /// Records the pack, or fails if it contains a secret.
    pub(crate) fn pack(&self, pack: &Pack, policy: &Policy) -> Result<(), SecretPack> {
        let pack = Box::new(StoredResult::of(pack, policy).ok_or(SecretPack)?);
        self.recorder.line(&Line::Pack { pack });
        Ok(())
    }

    /// Records the outcome and waits until everything is written. This fails if any write has
    /// failed.
    pub(crate) fn end(&self, ending: Ending, failed: usize) -> Result<(), StoreError> {
        let at_us = self.recorder.now_us();
        self.recorder.finish(|is_whole| {
            let end = RunEnd {
                ending,
                at_us,
                failed,
                incomplete: !is_whole,
            };
            Line::End { end }
        })
    }
}

pub(crate) fn failed(result: &RunResult) -> usize {
    let steps = result.steps.iter();
    steps.filter(|step| step.status == Status::Failed).count()
}
