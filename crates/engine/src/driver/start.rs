//! How a ready step begins: what it turned out to be, and within which limits.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use windlass_base::{Digest, memory_of};
use windlass_plan::{Event, StepIndex};

use super::{Driver, Ended, Record, Running};
use crate::attempt::{AttemptLimits, attempt, prepared};
use crate::basis::digest_of_input;
use crate::places::{Place, Places};
use crate::scope::StepScope;
use crate::{Call, Earlier, ErrorKind, RunEvent, Step, StepError, StepOutput, Stop, StopLevel};

/// What a ready step turned out to be.
enum Prepared {
    Call { input: Value },
    FanOut { items: Vec<Value> },
    Skip { why: &'static str },
}

/// What an instance takes in memory beside its item and its output, in bytes.
const INSTANCE: usize = 1024;

impl Driver<'_> {
    /// Starts steps, lowest first, as long as there is room here and a place among all runs.
    pub(super) fn start_what_is_ready(&mut self, mut place: Option<Place>) {
        while self.running.len() < self.options.jobs.get() {
            let Some(step) = self.schedule.next_ready() else {
                return;
            };
            if self.takes_a_place(step) && place.is_none() {
                if self.in_line.is_some() {
                    return;
                }
                let slots = self.places();
                place = slots.try_take();
                if place.is_none() {
                    self.in_line = Some(Box::pin(slots.take()));
                    return;
                }
            }
            self.apply(Event::Started { step });
            self.start(step, &mut place);
        }
    }

    /// The places that steps may take now. After a stop only clean-up starts, and it does not wait for
    /// threads that do not hear of it.
    fn places(&self) -> Places {
        if self.known_stop >= StopLevel::Cancel {
            self.context.slots.for_clean_up()
        } else {
            self.context.slots.for_work()
        }
    }

    /// Whether `step` does work of its own. A fan-out leaves that to its instances, and a kind that runs runs
    /// of its own to the steps of those.
    fn takes_a_place(&self, step: StepIndex) -> bool {
        let nested = |kind: &Arc<dyn Step>| kind.spec().effects.nested;
        !self.fans_out(step)
            && !self
                .registry
                .get(&self.planned(step).uses)
                .is_some_and(nested)
    }

    fn fans_out(&self, step: StepIndex) -> bool {
        self.planned(step).for_each.is_some() && self.schedule.origin(step).is_none()
    }

    fn start(&mut self, step: StepIndex, place: &mut Option<Place>) {
        match self.prepare(step) {
            Ok(Prepared::Call { input }) => self.start_attempt(step, input, place),
            Ok(Prepared::FanOut { items }) => self.fan_out(step, items),
            Ok(Prepared::Skip { why }) => {
                self.records[step.index()].skipped = Some(why);
                self.apply_and_tell(step, Event::Skipped { step });
            }
            Err(error) => self.failed(step, self.schedule.attempt(step), error),
        }
    }

    /// Looks at the condition, the list and the references of `step`, now that what it needs is there.
    fn prepare(&self, step: StepIndex) -> Result<Prepared, StepError> {
        let (planned, instance) = (self.planned(step), self.instance(step));
        let scope = StepScope {
            inputs: self.inputs,
            steps: self,
            instance,
        };
        if self
            .options
            .only
            .as_ref()
            .is_some_and(|only| !only.contains(&self.named(step)))
        {
            return Ok(Prepared::Skip {
                why: "it was not asked for",
            });
        }
        let fans_out = self.fans_out(step);
        if let Some(condition) = &planned.condition {
            // A condition over the item is asked of each instance, any other once.
            let of_item = condition
                .mentions()
                .iter()
                .any(|mention| matches!(mention.path[0].as_str(), "item" | "index"));
            let asked_here = if of_item {
                !fans_out
            } else {
                instance.is_none()
            };
            if asked_here && !scope.holds(condition)? {
                return Ok(Prepared::Skip {
                    why: "its condition does not hold",
                });
            }
        }
        let max_bytes = self.options.max_input_bytes;
        match &planned.for_each {
            Some(list) if fans_out => Ok(Prepared::FanOut {
                items: self.few_enough(scope.list(list, max_bytes)?)?,
            }),
            _ => Ok(Prepared::Call {
                input: scope.resolve(&planned.with, max_bytes)?,
            }),
        }
    }

    /// `items`, if they are no more than a fan-out may have instances.
    fn few_enough(&self, items: Vec<Value>) -> Result<Vec<Value>, StepError> {
        let (count, most) = (items.len(), self.options.max_instances);
        if count <= most {
            return Ok(items);
        }
        let message = format!("its `for_each` has {count} items, more than the limit of {most}");
        Err(StepError::new(ErrorKind::TooLarge, message)
            .help("cut the list first: a `select` step with `path` or `limit`"))
    }

    fn start_attempt(&mut self, step: StepIndex, input: Value, place: &mut Option<Place>) {
        let (planned, attempt_number) = (self.planned(step), self.schedule.attempt(step));
        let path = self.path(step);
        let Some(kind) = self.registry.get(&planned.uses) else {
            let message = format!("there is no step kind `{}` in this program", planned.uses);
            return self.failed(
                step,
                attempt_number,
                StepError::new(ErrorKind::Internal, message),
            );
        };
        let limits = self.attempt_limits(step);
        let nested = kind.spec().effects.nested;
        self.tell(&RunEvent::StepStarted {
            step: &path,
            uses: &planned.uses,
            attempt: attempt_number,
        });
        let earlier = self.context.earlier.clone();
        if earlier.is_some() || self.context.observer.keeps_outputs() {
            self.records[step.index()].input = Some(digest_of_input(&input));
        }
        let call = Call {
            path,
            input,
            attempt: attempt_number,
            stop: Stop::default(),
            depth: self.context.depth,
            observer: Arc::clone(&self.context.observer),
            earlier: self.context.earlier.clone(),
            slots: self.context.slots.clone(),
            held: self.context.held.clone(),
            options: self.options.clone(),
            place: if nested { None } else { place.take() },
            places: self.places(),
        };
        let running = Running {
            stop: call.stop.clone(),
            nested,
        };
        self.running.insert(step, running);
        let recall = earlier.zip(self.records[step.index()].input);
        let kind = Arc::clone(kind);
        self.waiting.push(Box::pin(async move {
            let kept = match recall {
                Some((earlier, input)) => kept(earlier, kind.name(), &call, input).await,
                None => None,
            };
            let mut preparing = Duration::ZERO;
            let result = match kept {
                Some(output) => Ok(output),
                None => match prepared(&*kind, &call).await {
                    Ok(took) => {
                        preparing = took;
                        attempt(kind, call, limits).await
                    }
                    Err(error) => Err(error),
                },
            };
            Ended::Attempt {
                step,
                attempt: attempt_number,
                preparing,
                result: Box::new(result),
            }
        }));
    }

    /// The limits of the next attempt: `timeout`, and what is left of `max_duration`.
    fn attempt_limits(&mut self, step: StepIndex) -> AttemptLimits {
        let planned = self.planned(step);
        let now = tokio::time::Instant::now();
        let started = *self.records[step.index()].started.get_or_insert(now);
        let timeout = planned.timeout.unwrap_or(self.options.default_timeout);
        let left = planned
            .max_duration
            .map(|total| total.saturating_sub(now - started));
        let (timeout, timed_out) = match (left, planned.max_duration) {
            (Some(left), Some(total)) if left < timeout => (left, out_of_time(total)),
            _ => (timeout, timed_out(timeout)),
        };
        AttemptLimits {
            timeout,
            timed_out,
            grace: self.options.grace,
            max_output_bytes: self.options.max_output_bytes,
        }
    }

    /// What the wait before the next attempt of `step` would run into: the limit on all attempts together.
    pub(super) fn out_of_time(&self, step: StepIndex, attempt: u32) -> Option<StepError> {
        let planned = self.planned(step);
        let total = planned.max_duration?;
        let waited = planned.retry.delay_after(attempt);
        let started = self.records[step.index()].started?;
        (started.elapsed().saturating_add(waited) >= total).then(|| out_of_time(total))
    }

    fn fan_out(&mut self, step: StepIndex, items: Vec<Value>) {
        let count = items.len();
        let memory = items.iter().map(|item| memory_of(item) + INSTANCE);
        self.context.held.add(memory.sum());
        self.tell(&RunEvent::StepFannedOut {
            step: &self.path(step),
            count,
        });
        let first = StepIndex::new(self.schedule.len());
        self.records[step.index()].fan_out = Some((items, first));
        self.records
            .resize_with(self.schedule.len() + count, Record::default);
        let event = Event::FannedOut {
            step,
            attempt: self.schedule.attempt(step),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        };
        if count == 0 {
            self.records[step.index()].output = Some(Arc::new(Value::Array(Vec::new())));
            self.apply_and_tell(step, event);
        } else {
            self.apply(event);
        }
    }
}

/// What an earlier run gave for the same input, if it still holds.
async fn kept(
    earlier: Arc<dyn Earlier>,
    uses: &str,
    call: &Call,
    input: Digest,
) -> Option<StepOutput> {
    let (path, uses, stop) = (call.path.clone(), uses.to_owned(), call.stop.clone());
    let look = move || Ok(earlier.output(&path, &uses, &input, stop.flag()));
    let output = call.blocking(look).await.ok()??;
    Some(StepOutput {
        kept: true,
        ..output
    })
}

fn timed_out(limit: Duration) -> StepError {
    let message = format!("took longer than its limit of {limit:?}");
    StepError::new(ErrorKind::TimedOut, message)
        .help("raise `timeout` of the step, or give it less to do")
}

fn out_of_time(limit: Duration) -> StepError {
    let message = format!("all attempts together took longer than its limit of {limit:?}");
    StepError::new(ErrorKind::TimedOut, message).help("raise `max_duration` of the step")
}
