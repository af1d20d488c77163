//! The interface between the engine and the kinds of steps.

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

/// The maximum number of nested runs.
///
/// Each of them is charged this fraction of the memory limit. Without that charge, nested runs
/// could multiply forever, since none of them has to produce any output.
const MAX_NESTED_RUNS: usize = 20_000;

/// A step kind: the code behind the `uses` of a step.
///
/// One value serves all steps of the kind. Attempts may run concurrently and in any order.
pub trait Step: Send + Sync {
    /// The kind's name in `uses`, which is the one in [`spec`](Self::spec) by default. Override
    /// this if it is expensive to build the specification.
    fn name(&self) -> &str {
        &self.spec().name
    }

    /// The specification for planning.
    fn spec(&self) -> &KindSpec;

    /// Returns true if the kind's threads end soon after a stop. When an attempt exceeds its time
    /// limit, the engine waits for the answer of such a kind. It does not wait for other threads.
    fn ends_promptly(&self) -> bool {
        false
    }

    /// The grace period for a step with this input: the time between a request to stop and the
    /// moment when the engine drops the future. `None` stands for the run's default.
    fn grace(&self, input: &Value) -> Option<Duration> {
        let _ = input;
        None
    }

    /// Prepares expensive things shared by all attempts, such as compiled code. Returns `None` if
    /// there is nothing to prepare.
    ///
    /// Preparation does not count towards time limits, but a stop cancels it. It cannot report an
    /// error, so leave errors to the attempt.
    fn prepare<'a>(&'a self, call: &'a Call) -> Option<Preparing<'a>> {
        let _ = call;
        None
    }

    /// Runs one attempt.
    ///
    /// Once `call.stop` is raised, the engine waits for the grace period, and then drops the
    /// future. On [`crate::StopLevel::Kill`], it does not wait. Everything that the future has
    /// started must end with it.
    ///
    /// A kind with nested runs (`effects.nested`) has to pass the signal on to them. After a
    /// cancel, the engine waits for such a kind until its time limit, and after a kill, for one
    /// grace period.
    fn run(&self, call: Call) -> StepFuture<'_>;
}

/// The future of an attempt.
pub type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<StepOutput, StepError>> + Send + 'a>>;

/// The future of a preparation, which cannot fail.
pub type Preparing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The arguments of an attempt, and access to its run.
#[derive(Clone)]
pub struct Call {
    /// The path of the step, for messages.
    pub path: String,
    /// The `with` value with all references resolved. From here on, this is data. Text that looks
    /// like a reference, for example from a file, must not be resolved again.
    pub input: Value,
    /// The attempt's number (1-based).
    pub attempt: u32,
    /// Ends this attempt when it is raised. Other attempts are not affected.
    pub stop: Stop,
    /// The number of enclosing runs, i.e. 0 in the outermost one.
    pub depth: u32,
    /// This and the following fields up to `options` are for nested runs.
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) earlier: Option<Arc<dyn Earlier>>,
    pub(crate) slots: Slots,
    pub(crate) held: Held,
    pub(crate) options: RunOptions,
    /// The step's slot. It is `None` for a kind with nested runs, because their steps need the
    /// slots.
    pub(crate) place: Option<Place>,
    /// Slots to wait for, in case a kind without a slot of its own has to compute something.
    pub(crate) places: Places,
}

impl Call {
    /// The ID of the step in its runbook, e.g. `routes` for the path `outer/routes[3]`.
    #[must_use]
    pub fn step_id(&self) -> &str {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        last.split('[').next().unwrap_or_default()
    }

    /// Parses the input as `T`, the kind's input type.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Invalid`] if the input does not match the type. The message names the
    /// field.
    pub fn input<T: for<'de> Deserialize<'de>>(&self) -> Result<T, StepError> {
        T::deserialize(&self.input)
            .map_err(|error| StepError::invalid(format!("invalid input: {error}")))
    }

    /// Returns true if a later run may ask for the output's dependencies. The step then has to
    /// record them in [`StepOutput::basis`].
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.earlier.is_some() || self.observer.keeps_outputs()
    }

    /// Returns a callback for [`Observer::progress`], which adds the path of the step.
    pub fn progress(&self) -> impl Fn(u64, u64) + Send + Sync + use<> {
        let (observer, path) = (Arc::clone(&self.observer), self.path.clone());
        move |done, total| observer.progress(&path, done, total)
    }

    /// True if the input is so small that a thread would probably take longer to start than to
    /// work.
    #[must_use]
    pub fn is_small(&self) -> bool {
        /// Maximum number of values in a small input. A string counts as one more value for each
        /// 100 bytes.
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

    /// Runs `work`, which may block or compute for a long time, on another thread.
    ///
    /// A thread cannot be ended from outside, so `work` has to check `stop.flag()` from time to
    /// time. If the attempt ends first, for example at a time limit, the thread keeps the slot. A
    /// kind with nested runs has no slot, so it waits for one here.
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
            // Keep the slot until `work` returns, even if the attempt has ended by then.
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
    /// Runs `plan` inside of this step. The nested run shares the slots and limits of the enclosing
    /// one, including `fail_fast`, and ends when this step is stopped.
    pub async fn run_nested(
        &self,
        plan: &Plan,
        inputs: &BTreeMap<String, Value>,
        registry: &Registry,
    ) -> RunResult {
        // See `MAX_NESTED_RUNS`.
        self.held.add(self.options.max_run_memory / MAX_NESTED_RUNS);
        let options = RunOptions {
            // The shared slots already limit the number of steps, and `only` is about the outer
            // plan.
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

/// The result of a successful attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutput {
    /// The output, which should match the kind's output schema.
    pub value: Value,
    /// Remarks on the result in words, for example about skipped files.
    pub notes: Vec<String>,
    /// A warning, if the result is incomplete.
    pub caveat: Option<Caveat>,
    /// The dependencies of the output, from which a later run decides if it can reuse the output.
    pub basis: Basis,
    /// If true, the output was taken from an earlier run.
    pub kept: bool,
}

/// A warning about an incomplete result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Caveat {
    /// One sentence in lower case, without a full stop.
    pub text: String,
    /// True if a requested item could not be verified, so that the result as a whole is not proven.
    /// False if only further items are missing.
    pub unproven: bool,
    /// Advice for the user.
    pub help: Option<String>,
    /// A call that may complete the result.
    pub next_action: Option<NextAction>,
}

impl Caveat {
    /// Warns about a requested item that could not be verified.
    #[must_use]
    pub fn unproven(text: impl Into<String>) -> Self {
        Self {
            unproven: true,
            ..Self::from(text.into())
        }
    }

    /// Combines the warnings of a fan-out's instances. This is the most serious one, with the index
    /// of its instance and the number of other warnings.
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

    /// Picks the most serious warning. If there are several, the first one wins.
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
    /// Creates a result without notes, warnings or known dependencies.
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

    /// Marks the result as incomplete.
    #[must_use]
    pub fn caveat(mut self, caveat: impl Into<Caveat>) -> Self {
        self.caveat = Some(caveat.into());
        self
    }

    /// Adds a remark on the result.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// The error of a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StepError {
    /// The kind of error, which also decides if the step may be retried.
    pub kind: ErrorKind,
    /// One sentence in lower case, without a full stop.
    pub message: String,
    /// Advice on how to fix the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The step's observations before it failed, such as the output of a program. They are shown
    /// like the output of a successful step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Value>,
}

impl StepError {
    /// Creates an error without help or observations.
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

    /// Creates an error for a failure that a retry cannot fix.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Adds an observation from before the failure.
    #[must_use]
    pub fn seen(mut self, value: Value) -> Self {
        self.seen.push(value);
        self
    }

    /// Sets the advice for the user.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Kinds of errors. Only [`Transient`](Self::Transient) and [`TimedOut`](Self::TimedOut) may be
/// retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The input is unusable.
    Invalid,
    /// The step failed, and would fail again.
    Failed,
    /// The step failed for a reason that may be temporary.
    Transient,
    /// The attempt took too long.
    TimedOut,
    /// Evidence is stale, and the policy makes that an error.
    Stale,
    /// The user or the policy does not allow the step.
    Refused,
    /// The input, the output or the memory of the whole run exceeds its limit.
    TooLarge,
    /// The run was stopped.
    Cancelled,
    /// A bug in Windlass or the step kind.
    Internal,
}

impl ErrorKind {
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
