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

/// Maximum number of runs inside of a run, all levels together: each counts as that part of the memory which a run may
/// hold.
const MAX_NESTED_RUNS: usize = 20_000;

/// A kind of step.
///
/// One value serves every step of its kind and every attempt, at once and in any order.
pub trait Step: Send + Sync {
    /// What stands after `uses`: the name in [`Step::spec`]. A kind whose schemas are made when they are
    /// first needed gives it without making them.
    fn name(&self) -> &str {
        &self.spec().name
    }

    /// What the plan must know of it.
    fn spec(&self) -> &KindSpec;

    /// Whether its threads end as soon as they are stopped, so that what they have to say then is waited for.
    fn ends_promptly(&self) -> bool {
        false
    }

    /// The grace of a step with this input: the time from being asked to stop until its future is dropped. `None` for
    /// that of the run.
    fn grace(&self, input: &Value) -> Option<Duration> {
        let _ = input;
        None
    }

    /// Makes ready what attempts need and the first one would spend its time on, such as compiled code; `None` where that is
    /// there. It is outside of the time limits of the step, and given up as soon as the step is to stop. What goes wrong is
    /// for the attempt to find out and to tell.
    fn prepare<'a>(&'a self, call: &'a Call) -> Option<Preparing<'a>> {
        let _ = call;
        None
    }

    /// Does the work of one attempt.
    ///
    /// The future is dropped when the step has not ended a grace period after `call.stop` was raised, or as
    /// soon as it is raised to [`crate::StopLevel::Kill`]; whatever it started must end then. A kind that runs
    /// runs of its own (`effects.nested`) passes the signal on to them instead, and is waited for: until its
    /// time limit after a cancel, a grace period after a kill.
    fn run(&self, call: Call) -> StepFuture<'_>;
}

/// The work of one attempt.
pub type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<StepOutput, StepError>> + Send + 'a>>;

/// The work that is done before an attempt.
pub type Preparing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The things that one attempt is given.
#[derive(Clone)]
pub struct Call {
    /// The step's path, for messages.
    pub path: String,
    /// Its input: `with`, with all references resolved. Data, never to be resolved again.
    pub input: Value,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Raised when the attempt is to end.
    pub stop: Stop,
    /// The number of runbooks that this one is nested in.
    pub depth: u32,
    /// Who listens to the run, its places and its limits: they hold for runs inside the step as well.
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) earlier: Option<Arc<dyn Earlier>>,
    pub(crate) slots: Slots,
    pub(crate) held: Held,
    pub(crate) options: RunOptions,
    /// Where the step runs; a kind that runs runs of its own leaves that to their steps.
    pub(crate) place: Option<Place>,
    /// Where a kind without a place of its own gets one for what it computes itself.
    pub(crate) places: Places,
}

impl Call {
    /// The step's id in its runbook; instances of one step have the same.
    #[must_use]
    pub fn step_id(&self) -> &str {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        last.split('[').next().unwrap_or_default()
    }

    /// Reads the input as the kind's own type.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`], naming the field.
    pub fn input<T: for<'de> Deserialize<'de>>(&self) -> Result<T, StepError> {
        T::deserialize(&self.input)
            .map_err(|error| StepError::invalid(format!("the input does not fit: {error}")))
    }

    /// True if somebody wants to know what the output rests on: see [`Basis`].
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.earlier.is_some() || self.observer.keeps_outputs()
    }

    /// Returns what tells those who listen how far the attempt has come: `done` of `total`, which is 0 where it is not known.
    pub fn progress(&self) -> impl Fn(u64, u64) + Send + Sync + use<> {
        let (observer, path) = (Arc::clone(&self.observer), self.path.clone());
        move |done, total| observer.progress(&path, done, total)
    }

    /// True if the input is so small that working on it takes less than handing it to another thread.
    #[must_use]
    pub fn is_small(&self) -> bool {
        /// Values, and bytes of texts by the hundred.
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

    /// Runs `work` where it may block or compute for long.
    ///
    /// A thread cannot be ended from outside: `work` looks at `stop.flag()`. When the attempt is over before
    /// it ends, because of a time limit, it keeps the step's place among those that run at once. A kind that runs runs
    /// of its own stands in line for a place first.
    ///
    /// # Errors
    /// What `work` answers, [`ErrorKind::Internal`] when it panicked, or [`ErrorKind::Cancelled`] when the attempt was
    /// stopped in line.
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
    /// Runs `plan` inside this step. Its steps share the places of the run that the step stands in and obey its
    /// limits, `fail_fast` among them; it ends when the step is stopped.
    pub async fn run_nested(
        &self,
        plan: &Plan,
        inputs: &BTreeMap<String, Value>,
        registry: &Registry,
    ) -> RunResult {
        // Runs in runs multiply before any of them puts something out.
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

/// The answer of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepOutput {
    /// The result, as its kind's output schema says.
    pub value: Value,
    /// Notes for a person about how it came to be: files that were left out.
    pub notes: Vec<String>,
    /// The lack in the result, where it is less than was asked for.
    pub caveat: Option<Caveat>,
    /// The ground it rests on.
    pub basis: Basis,
    /// True if it comes from an earlier run.
    pub kept: bool,
}

/// A lack in a result that is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Caveat {
    /// One sentence, lower case, no full stop.
    pub text: String,
    /// True if something that was asked for by name could not be shown to hold, so that the result as a whole
    /// is not proven. Otherwise there is only more of the same.
    pub unproven: bool,
    /// The thing to do about it, for people.
    pub help: Option<String>,
    /// A call that helps.
    pub next_action: Option<NextAction>,
}

impl Caveat {
    /// Something that was asked for by name could not be shown to hold.
    #[must_use]
    pub fn unproven(text: impl Into<String>) -> Self {
        Self {
            unproven: true,
            ..Self::from(text.into())
        }
    }

    /// What is missing in the results of instances together: what the gravest says, of which instance it says
    /// so, and how many others have something to say. What each says is true of it alone.
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

    /// The one that weighs most; the first of several.
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
    /// A result without notes.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] when `value` has no JSON form.
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

    /// Says what is missing in the result.
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

/// The reason why a step failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct StepError {
    /// The sort of failure.
    pub kind: ErrorKind,
    /// The event: one sentence, lower case, no full stop.
    pub message: String,
    /// The thing to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Things that the step saw before it failed, such as what its program printed: observations, shown as those of a
    /// step that did not fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Value>,
}

impl StepError {
    /// A failure of the given sort.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            seen: Vec::new(),
        }
    }

    /// The input cannot be worked with.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// The work failed, and would fail again.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Shows what the step saw before it failed.
    #[must_use]
    pub fn seen(mut self, value: Value) -> Self {
        self.seen.push(value);
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Sorts of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The input cannot be worked with.
    Invalid,
    /// The work failed, and would fail again.
    Failed,
    /// The work failed, and may succeed another time.
    Transient,
    /// The attempt took longer than it may.
    TimedOut,
    /// Evidence no longer stands, and a policy says that this is an error.
    Stale,
    /// It is not allowed.
    Refused,
    /// The input or the output is larger than it may be, or what all steps put out together.
    TooLarge,
    /// The run was stopped.
    Cancelled,
    /// A bug.
    Internal,
}

impl ErrorKind {
    /// Whether another attempt could succeed.
    pub(crate) fn is_retryable(self) -> bool {
        matches!(self, Self::Transient | Self::TimedOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_instances_the_gravest_speaks_and_the_others_are_counted() {
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
