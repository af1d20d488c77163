//! Starts ready steps.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use windlass_base::{Digest, memory_of};
use windlass_plan::{Event, StepIndex};

use super::progress::{Prepared, Record};
use super::{Driver, Ended, Running};
use crate::attempt::{attempt, prepared};
use crate::basis::digest_of_input;
use crate::slots::{Place, Places};
use crate::{Call, Earlier, ErrorKind, RunEvent, Step, StepError, StepOutput, Stop, StopLevel};

/// Memory charged for each instance of a fan-out, in bytes, in addition to its item and output.
///
/// This is a rough estimate. If there were no such charge, a fan-out over very many tiny items
/// would look almost free.
const INSTANCE: usize = 1024;

impl Driver<'_> {
    /// Starts ready steps, lowest index first, as long as there's a free slot both in this run and
    /// for all runs together.
    pub(super) fn start_what_is_ready(&mut self, mut place: Option<Place>) {
        while self.running.len() < self.progress.options.jobs.get() {
            let Some(step) = self.progress.schedule.next_ready() else {
                return;
            };
            if self.takes_a_place(step) && place.is_none() {
                // If we're in line already, this method is called again as soon as we get the slot.
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
            // A step that turns out to be skipped doesn't take the slot, so the next one gets it.
            self.start(step, &mut place);
        }
    }

    /// Returns the slots for new steps. After a stop, only clean-up starts, which has separate
    /// slots, so that threads that ignore the stop can't hold it up.
    fn places(&self) -> Places {
        if self.known_stop >= StopLevel::Cancel {
            self.context.slots.for_clean_up()
        } else {
            self.context.slots.for_work()
        }
    }

    /// Returns true if a step needs a slot.
    ///
    /// A fan-out or a nested run doesn't, since its instances or steps take one each. If a nested
    /// run kept a slot while it waits for its steps, the run could deadlock.
    fn takes_a_place(&self, step: StepIndex) -> bool {
        let nested = |kind: &Arc<dyn Step>| kind.spec().effects.nested;
        !self.progress.fans_out(step)
            && !self
                .registry
                .get(&self.progress.planned(step).uses)
                .is_some_and(nested)
    }

    fn start(&mut self, step: StepIndex, place: &mut Option<Place>) {
        match self.progress.prepare(step) {
            Ok(Prepared::Call { input }) => self.start_attempt(step, input, place),
            Ok(Prepared::FanOut { items }) => self.fan_out(step, items),
            Ok(Prepared::Skip { why }) => {
                self.progress.record_mut(step).skipped = Some(why);
                self.apply_and_tell(step, Event::Skipped { step });
            }
            Err(error) => self.failed(step, self.progress.schedule.attempt(step), error),
        }
    }

    fn start_attempt(&mut self, step: StepIndex, input: Value, place: &mut Option<Place>) {
        let (planned, attempt_number) = (
            self.progress.planned(step),
            self.progress.schedule.attempt(step),
        );
        let path = self.path(step);
        let Some(kind) = self.registry.get(&planned.uses) else {
            let message = format!("there is no step kind `{}` in this program", planned.uses);
            return self.failed(
                step,
                attempt_number,
                StepError::new(ErrorKind::Internal, message),
            );
        };
        let limits = self.progress.attempt_limits(step);
        let nested = kind.spec().effects.nested;
        self.tell(&RunEvent::StepStarted {
            step: path.clone(),
            uses: planned.uses.clone(),
            attempt: attempt_number,
        });
        let earlier = self.context.earlier.clone();
        // Hashing the input takes time, so only do it if somebody needs the digest.
        if earlier.is_some() || self.context.observer.keeps_outputs() {
            self.progress.record_mut(step).input = Some(digest_of_input(&input));
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
            options: self.progress.options.clone(),
            place: if nested { None } else { place.take() },
            places: self.places(),
        };
        let running = Running {
            stop: call.stop.clone(),
            nested,
        };
        self.running.insert(step, running);
        let recall = earlier.zip(self.progress.record(step).input);
        let kind = Arc::clone(kind);
        self.waiting.push(Box::pin(async move {
            let kept = match recall {
                Some((earlier, input)) => earlier_output(earlier, kind.name(), &call, input).await,
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

    fn fan_out(&mut self, step: StepIndex, items: Vec<Value>) {
        let count = items.len();
        let memory = items.iter().map(|item| memory_of(item) + INSTANCE);
        self.context.held.add(memory.sum());
        self.tell(&RunEvent::StepFannedOut {
            step: self.path(step),
            count,
        });
        let first = StepIndex::new(self.progress.schedule.len());
        self.progress.record_mut(step).fan_out = Some((items, first));
        self.progress
            .records
            .resize_with(self.progress.schedule.len() + count, Record::default);
        let event = Event::FannedOut {
            step,
            attempt: self.progress.schedule.attempt(step),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        };
        // There are no instances to wait for, so the fan-out ends right away.
        if count == 0 {
            self.progress.record_mut(step).output = Some(Arc::new(Value::Array(Vec::new())));
            self.apply_and_tell(step, event);
        } else {
            self.apply(event);
        }
    }
}

/// Asks for the step's output in an earlier run. The look-up may block, so it happens on a thread.
async fn earlier_output(
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
