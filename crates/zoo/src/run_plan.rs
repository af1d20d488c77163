//! Execution of a run as a plan: every piece of work is a step of one kind, run by the engine with its
//! progress and stop. Pieces start in the given order, the longest first.

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

/// The kind of step that all are of.
const KIND: &str = "measure";
/// No piece of work takes as long as this, on any machine.
const PATIENCE: Duration = Duration::from_secs(6 * 3_600);
/// How long a run that was stopped waits for what has not heard of it yet, so that it leaves nothing behind.
const TO_END: Duration = Duration::from_secs(20);

/// What a piece of work is told: that it is to end, and whom to tell how far it is.
pub(crate) struct Doing<'a> {
    /// Raised when it is to end.
    pub(crate) cancel: &'a Cancel,
    /// Told that so much is done, of so much.
    pub(crate) progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Doing<'_> {
    /// # Errors
    /// When it is to end.
    pub(crate) fn go_on(&self) -> Result<(), ZooError> {
        match self.cancel.is_cancelled() {
            true => Err(ZooError::Stopped),
            false => Ok(()),
        }
    }
}

/// A piece of work.
pub(crate) trait Piece: Send + Sync + 'static {
    /// What comes of it.
    type Found: Serialize + DeserializeOwned;

    /// What it is called: a word.
    fn name(&self) -> String;

    /// Does it.
    ///
    /// # Errors
    /// Why it cannot be done at all; [`ZooError::Stopped`] when it was stopped before its end.
    fn found(&self, doing: &Doing<'_>) -> Result<Self::Found, ZooError>;
}

/// Does all of `pieces`, `jobs` at once; what they found, in their order.
///
/// # Errors
/// The first that a piece fails with, or [`ZooError::Stopped`].
pub(crate) async fn done<P: Piece>(
    pieces: Vec<P>,
    jobs: NonZeroUsize,
    observer: Arc<dyn Observer>,
    stop: Stop,
) -> Result<Vec<P::Found>, ZooError> {
    let told = |error: &dyn std::fmt::Display| ZooError::Request(error.to_string());
    let ident = |text: &str| Ident::parse(text).map_err(|error| told(&error));
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
    // A thread that was given up has a folder of its own, which goes when it ends.
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
        found.push(P::Found::deserialize(&*output).map_err(|error| told(&error))?);
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

/// The kind of step.
struct Measure<P> {
    spec: KindSpec,
    pieces: Arc<[P]>,
    /// Why pieces could not be done, by number.
    failed: Arc<Mutex<BTreeMap<usize, ZooError>>>,
    /// Held by every thread that still works.
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
                    let told = StepError::failed(error.to_string());
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.insert(at, error);
                    told
                })?;
                StepOutput::of(&found)
            };
            call.blocking(work).await
        })
    }
}
