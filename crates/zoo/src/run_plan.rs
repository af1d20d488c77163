//! Runs the pieces of a run as a plan.
//!
//! Each piece is a step, so the engine takes care of parallelism, progress and cancellation. Pieces
//! start in the order in which they are given. Put long ones first; otherwise, one of them may end
//! up running alone.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::mpsc::{Sender, channel};
use windlass::engine::{
    Call, Held, Observer, Registry, RunContext, RunOptions, Slots, Step, StepError, StepFuture,
    StepOutput, Stop, StopLevel, run,
};
use windlass::plan::{Effects, InputReading, KindSpec, Plan, PlanParts, PlannedStep};
use windlass_base::{Cancel, Ident};

use crate::ZooError;

/// The kind of all steps.
const KIND: &str = "measure";
/// Not even on a slow machine should a piece take this long.
const PATIENCE: Duration = Duration::from_secs(6 * 3_600);
/// Time for the threads of a stopped run to end. Before that, they remove their temporary folders.
const TO_END: Duration = Duration::from_secs(20);

/// Lets a piece report its progress, and notice that the run was stopped.
pub(crate) struct Doing<'a> {
    pub(crate) cancel: &'a Cancel,
    /// Takes the amount that is done, and the total.
    pub(crate) progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Doing<'_> {
    /// Fails if the run was stopped. A piece has to call this often.
    ///
    /// # Errors
    ///
    /// Returns an error if the run was stopped.
    pub(crate) fn go_on(&self) -> Result<(), ZooError> {
        match self.cancel.is_cancelled() {
            true => Err(ZooError::Stopped),
            false => Ok(()),
        }
    }
}

pub(crate) trait Piece: Send + Sync + 'static {
    /// The result of the piece.
    type Found: Serialize + DeserializeOwned;

    /// A name that is a valid step ID.
    fn name(&self) -> String;

    /// Does the work.
    ///
    /// # Errors
    ///
    /// Returns [`ZooError::Stopped`] if the run was stopped, or an error if the work cannot be
    /// done.
    fn found(&self, doing: &Doing<'_>) -> Result<Self::Found, ZooError>;
}

/// Runs up to `jobs` pieces at the same time, and returns their results in the order of the pieces.
///
/// # Errors
///
/// Returns the first error of a piece, or [`ZooError::Stopped`] if the run is stopped.
pub(crate) async fn done<P: Piece>(
    pieces: Vec<P>,
    jobs: NonZeroUsize,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Vec<P::Found>, ZooError> {
    let request_error = |error: &dyn std::fmt::Display| ZooError::Request(error.to_string());
    let ident = |text: &str| Ident::parse(text).map_err(|error| request_error(&error));
    let mut parts = PlanParts::new(ident("zoo")?);
    for (at, piece) in pieces.iter().enumerate() {
        let mut step = PlannedStep::new(ident(&piece.name())?, KIND);
        step.with = json!({ "piece": at });
        parts.steps.push(step);
    }
    let plan = Plan::from_parts(parts).map_err(ZooError::Document)?;
    let (alive, mut all_gone) = channel(1);
    let failed = Arc::default();
    let mut registry = Registry::default();
    registry.add(Measure {
        spec: spec(),
        pieces: pieces.into(),
        failed: Arc::clone(&failed),
        alive,
    });
    let context = RunContext {
        observer,
        stop: stop.clone(),
        slots: Slots::new(jobs),
        held: Held::default(),
        depth: 0,
        prefix: String::new(),
        earlier: None,
    };
    let options = RunOptions {
        default_timeout: PATIENCE,
        ..RunOptions::with_jobs(jobs)
    };
    let result = run(&plan, &BTreeMap::new(), &registry, &options, context).await;
    // Each thread removes its temporary folder at the end. Wait for that.
    drop(registry);
    let _ = tokio::time::timeout(TO_END, all_gone.recv()).await;
    if stop.level() >= StopLevel::Cancel {
        return Err(ZooError::Stopped);
    }
    let first = failed
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pop_first();
    if let Some((_, error)) = first {
        return Err(error);
    }
    let mut found = Vec::new();
    for step in result.steps {
        let output = match (step.output, step.error) {
            (Some(output), _) => output,
            (None, error) => {
                let why = error.map_or_else(|| "it was left out".to_owned(), |error| error.message);
                return Err(ZooError::Request(format!("{}: {why}", step.id)));
            }
        };
        found.push(P::Found::deserialize(&*output).map_err(|error| request_error(&error))?);
    }
    Ok(found)
}

fn spec() -> KindSpec {
    KindSpec {
        name: KIND.to_owned(),
        summary: "Measures a piece of the zoo.".to_owned(),
        input_schema: json!({ "type": "object" }),
        output_schema: json!({}).into(),
        main: None,
        effects: Effects::default(),
        asks: Default::default(),
        worst_first: false,
        reads: InputReading::default(),
    }
}

/// Measures one of the pieces.
struct Measure<P> {
    spec: KindSpec,
    pieces: Arc<[P]>,
    /// Errors by the index of the piece.
    failed: Arc<Mutex<BTreeMap<usize, ZooError>>>,
    /// Every thread that is working has one of these. Once all have ended, the channel closes.
    alive: Sender<()>,
}

#[derive(Deserialize)]
struct Input {
    piece: usize,
}

impl<P: Piece> Step for Measure<P> {
    fn spec(&self) -> &KindSpec {
        &self.spec
    }

    fn run(&self, call: Call) -> StepFuture<'_> {
        let (pieces, failed) = (Arc::clone(&self.pieces), Arc::clone(&self.failed));
        let alive = self.alive.clone();
        Box::pin(async move {
            let Input { piece: at } = call.input()?;
            let (progress, cancel) = (call.progress(), call.stop.flag().clone());
            let work = move || {
                let _alive = alive;
                let piece = pieces
                    .get(at)
                    .ok_or_else(|| StepError::failed("there is no such piece"))?;
                let doing = Doing {
                    cancel: &cancel,
                    progress: &progress,
                };
                let found = piece.found(&doing).map_err(|error| {
                    let step_error = StepError::failed(error.to_string());
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.insert(at, error);
                    step_error
                })?;
                StepOutput::of(&found)
            };
            call.blocking(work).await
        })
    }
}
