use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::NextAction;
use windlass_plan::{KindSpec, Plan};

use crate::attempt::{cancelled, panicked};
use crate::slots::{Place, Places};
use crate::{
    Basis, Earlier, Held, Observer, Registry, RunContext, RunOptions, RunResult, Slots, Stop,
    StopLevel, run,
};

/// Maximum number of nested runs on all levels together. Each is charged this fraction of the
/// memory limit. Otherwise nested runs could multiply forever before any of them has output.
const MAX_NESTED_RUNS: usize = 20_000;

/// A step kind the engine can run.
///
/// A single value serves all steps of the kind. Attempts may run concurrently and in any order.
pub trait Step: Send + Sync {
    /// Returns the kind's name as written in `uses`. The default builds the specification, so a
    /// kind with lazily built schemas should override this.
    fn name(&self) -> &str {
        &self.spec().name
    }

    /// Returns the specification used for planning.
    fn spec(&self) -> &KindSpec;

    /// Returns true if the kind's threads end promptly after a stop, so that the engine can wait
    /// for their answers.
    fn ends_promptly(&self) -> bool {
        false
    }

    /// Returns the grace period for a step with this input: the time from the stop request until we
    /// drop the step's future. `None` means the run's default.
    fn grace(&self, input: &Value) -> Option<Duration> {
        let _ = input;
        None
    }

    /// Prepares whatever is expensive and needed for attempts, such as compiled code. Returns
    /// `None` if there's nothing to prepare.
    ///
    /// Preparation doesn't count towards the time limits, and a stop cancels it. It can't report
    /// errors, so that's left to the attempt.
    fn prepare<'a>(&'a self, call: &'a Call) -> Option<Preparing<'a>> {
        let _ = call;
        None
    }

    /// Runs one attempt.
    ///
    /// Once `call.stop` is raised, the engine waits for the grace period and then drops the future.
    /// On [`crate::StopLevel::Kill`] it drops it immediately. Anything started by the future must
    /// end with it.
    ///
    /// A kind with nested runs (`effects.nested`) passes the signal on instead. The engine waits
    /// for it until its time limit after a cancel, and for a grace period after a kill.
    fn run(&self, call: Call) -> StepFuture<'_>;
}

/// A future that runs one attempt.
pub type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<StepOutput, StepError>> + Send + 'a>>;

/// A future that prepares an attempt.
pub type Preparing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The arguments of one attempt.
#[derive(Clone)]
pub struct Call {
    /// The step's path, for messages.
    pub path: String,
    /// The `with` value with all references resolved. From here on it's data, and references in it
    /// must never be resolved again.
    pub input: Value,
    /// The attempt's number, from 1.
    pub attempt: u32,
    /// The attempt's stop signal.
    pub stop: Stop,
    /// Number of enclosing runs, or 0 in the outermost run.
    pub depth: u32,
    /// The run's observer, earlier outputs, slots and limits, all shared with nested runs.
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) earlier: Option<Arc<dyn Earlier>>,
    pub(crate) slots: Slots,
    pub(crate) held: Held,
    pub(crate) options: RunOptions,
    /// The step's slot. A kind with nested runs has none, because its steps take the slots.
    pub(crate) place: Option<Place>,
    /// Source of slots for kinds without one of their own, which still need one to compute.
    pub(crate) places: Places,
}

impl Call {
    /// Returns the step's id in its runbook, without the index of a fan-out instance.
    #[must_use]
    pub fn step_id(&self) -> &str {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        last.split('[').next().unwrap_or_default()
    }

    /// Parses the input as `T`, the kind's own type.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] if the input does not match the type. The message names the
    /// field.
    pub fn input<T: for<'de> Deserialize<'de>>(&self) -> Result<T, StepError> {
        T::deserialize(&self.input)
            .map_err(|error| StepError::invalid(format!("invalid input: {error}")))
    }

    /// Returns true if the step must record its output's dependencies (see [`Basis`]).
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.earlier.is_some() || self.observer.keeps_outputs()
    }

    /// Returns a callback that reports progress as `done` of `total`, where a `total` of 0 means
    /// unknown.
    pub fn progress(&self) -> impl Fn(u64, u64) + Send + Sync + use<> {
        let (observer, path) = (Arc::clone(&self.observer), self.path.clone());
        move |done, total| observer.progress(&path, done, total)
    }

    /// Returns true if the input is so small that switching threads would take longer than the work
    /// itself.
    #[must_use]
    pub fn is_small(&self) -> bool {
        /// Maximum number of values. Every hundred bytes of text count as one more.
        const SMALL: usize = 1_000;
        fn fits(value: &Value, left: &mut usize) -> bool {
            let own = match value {
                Value::String(text) => 1 + text.len() / 100,
                _ => 1,
            };
            let Some(rest) = left.checked_sub(own) else {
                return false;
            };
            *left = rest;
            match value {
                Value::Array(list) => list.iter().all(|value| fits(value, left)),
                Value::Object(map) => map.values().all(|value| fits(value, left)),
                _ => true,
            }
        }
        let mut left = SMALL;
        fits(&self.input, &mut left)
    }

    /// Runs `work` on a thread, where it may block or compute for a long time.
    ///
    /// We can't end a thread from outside, so `work` must check `stop.flag()`. If the attempt ends
    /// earlier than the thread, for example because of a time limit, the thread keeps the slot. A
    /// kind with nested runs has no slot, so this waits for one first.
    ///
    /// # Errors
    /// Returns the error of `work`, [`ErrorKind::Internal`] if `work` panicked, or
    /// [`ErrorKind::Cancelled`] if the attempt was stopped while it waited for a slot.
    pub async fn blocking<T, F>(&self, work: F) -> Result<T, StepError>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, StepError> + Send + 'static,
    {
        let lent = match &self.place {
            Some(place) => place.lend(),
            None => tokio::select! {
                place = self.places.clone().take() => place.lend(),
                _ = self.stop.beyond(StopLevel::Drain) => return Err(cancelled()),
            },
        };
        let work = move || {
            let _lent = lent;
            work()
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => Err(panicked(&*panic)),
                Err(_) => Err(cancelled()),
            },
        }
    }
}

impl Call {
    /// Runs `plan` inside this step. The nested run shares the enclosing run's slots and limits,
    /// including `fail_fast`, and ends when this step is stopped.
    pub async fn run_nested(
        &self,
        plan: &Plan,
        inputs: &BTreeMap<String, Value>,
        registry: &Registry,
    ) -> RunResult {
        // Nested runs can multiply before any of them has output, so charge for each one in
        // advance.
        self.held.add(self.options.max_run_memory / MAX_NESTED_RUNS);
        let options = RunOptions {
            jobs: NonZeroUsize::MAX,
            only: None,
            ..self.options.clone()
        };
        let context = RunContext {
            observer: Arc::clone(&self.observer),
            stop: self.stop.clone(),
            slots: self.slots.clone(),
            held: self.held.clone(),
            depth: self.depth + 1,
            prefix: format!("{}/", self.path),
            earlier: self.earlier.clone(),
        };
        run(plan, inputs, registry, &options, context).await
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("path", &self.path)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutput {
    /// The output value, as described by the kind's output schema.
    pub value: Value,
    /// Notes about the result for people, for example on skipped files.
    pub notes: Vec<String>,
    /// A warning if the result is incomplete.
    pub caveat: Option<Caveat>,
    /// The output's dependencies, which decide whether a later run can reuse it.
    pub basis: Basis,
    /// True if the output comes from an earlier run.
    pub kept: bool,
}

/// A warning that a result is incomplete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Caveat {
    /// The message: one sentence in lower case, without a full stop.
    pub text: String,
    /// True if a requested item could not be verified, which leaves the whole result unproven.
    /// False if all requested items are proven and only further items are missing.
    pub unproven: bool,
    /// Help for people.
    pub help: Option<String>,
    /// A call that may complete the result.
    pub next_action: Option<NextAction>,
}

impl Caveat {
    /// Creates a warning about a requested item that could not be verified.
    #[must_use]
    pub fn unproven(text: impl Into<String>) -> Self {
        Self {
            unproven: true,
            ..Self::from(text.into())
        }
    }

    /// Combines the warnings of a fan-out's instances. The result has the most serious warning with
    /// its instance, and counts the others.
    pub(crate) fn of_instances<'a>(
        caveats: impl Iterator<Item = (usize, &'a Self)> + Clone,
    ) -> Option<Self> {
        let gravest = Self::gravest(caveats.clone().map(|(_, caveat)| caveat))?;
        let (at, _) = caveats.clone().find(|(_, caveat)| *caveat == gravest)?;
        let more = caveats.count() - 1;
        let rest = match more {
            0 => String::new(),
            _ => format!("; and {more} more like it"),
        };
        Some(Self {
            text: format!("instance {at}: {}{rest}", gravest.text),
            ..gravest.clone()
        })
    }

    /// Returns the most serious warning, or the first of several equally serious ones.
    #[must_use]
    pub fn gravest<'a>(caveats: impl Iterator<Item = &'a Self>) -> Option<&'a Self> {
        let mut caveats: Vec<&Self> = caveats.collect();
        caveats.sort_by_key(|caveat| !caveat.unproven);
        caveats.first().copied()
    }
}

impl From<String> for Caveat {
    fn from(text: String) -> Self {
        Self {
            text,
            unproven: false,
            help: None,
            next_action: None,
        }
    }
}

impl StepOutput {
    /// Creates a result without notes.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`] if `value` cannot be serialised as JSON.
    pub fn of<T: Serialize>(value: &T) -> Result<Self, StepError> {
        match serde_json::to_value(value) {
            Ok(value) => Ok(Self {
                value,
                notes: Vec::new(),
                caveat: None,
                basis: Basis::Unknown,
                kept: false,
            }),
            Err(error) => Err(StepError::new(
                ErrorKind::Internal,
                format!("the result has no JSON form: {error}"),
            )),
        }
    }

    /// Sets the warning about an incomplete result.
    #[must_use]
    pub fn caveat(mut self, caveat: impl Into<Caveat>) -> Self {
        self.caveat = Some(caveat.into());
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// The error of a failed step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StepError {
    /// The error's category: see [`ErrorKind`].
    pub kind: ErrorKind,
    /// The message: one sentence in lower case, without a full stop.
    pub message: String,
    /// Advice on how to fix the cause, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Observations made before the failure, such as a program's output. They are shown like those
    /// of a successful step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Value>,
}

impl StepError {
    /// Creates an error of the given category.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            seen: Vec::new(),
        }
    }

    /// Creates an error for an unusable input.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Creates an error for a permanent failure.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Adds an observation made before the failure.
    #[must_use]
    pub fn seen(mut self, value: Value) -> Self {
        self.seen.push(value);
        self
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Categories of failure, which determine whether the step is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The input is unusable.
    Invalid,
    /// The step failed, and a retry would fail again.
    Failed,
    /// The step failed, but a retry may succeed.
    Transient,
    /// The time limit was exceeded.
    TimedOut,
    /// The policy treats stale evidence as an error.
    Stale,
    /// The user or the policy does not permit the step.
    Refused,
    /// The input, the output, or the total memory of the run exceeds its limit.
    TooLarge,
    /// The run was stopped.
    Cancelled,
    /// A bug in Windlass or in the step kind.
    Internal,
}

impl ErrorKind {
    /// True if another attempt could succeed.
    pub(crate) fn is_retryable(self) -> bool {
        matches!(self, Self::Transient | Self::TimedOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caveat_of_instances_gravest_first() {
        let of = |said: &[(usize, bool, &str)]| {
            let caveats: Vec<(usize, Caveat)> = said
                .iter()
                .map(|(at, unproven, text)| {
                    let caveat = Caveat {
                        unproven: *unproven,
                        help: Some(format!("help of {at}")),
                        ..Caveat::from((*text).to_owned())
                    };
                    (*at, caveat)
                })
                .collect();
            let caveats = caveats.iter().map(|(at, caveat)| (*at, caveat));
            Caveat::of_instances(caveats)
                .map(|one| (one.text, one.unproven, one.help.unwrap_or_default()))
        };
        assert_eq!(of(&[]), None);
        let one = of(&[(4, false, "cut")]).unwrap();
        assert_eq!(
            one,
            ("instance 4: cut".to_owned(), false, "help of 4".to_owned())
        );
        let some = of(&[(0, false, "cut"), (2, true, "not read"), (5, true, "gone")]).unwrap();
        let text = "instance 2: not read; and 2 more like it".to_owned();
        assert_eq!(some, (text, true, "help of 2".to_owned()));
    }
}
