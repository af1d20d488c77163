//! Connects a molecule with the scheduler that runbooks use as well.

use serde::{Deserialize, Serialize};
use windlass_plan::{Action, Because, Event, Rejected, Schedule, ScheduleOptions, StepIndex};

use super::{MolStep, Molecule};
use crate::Stamp;
use crate::stored_record::Refusal;

/// A molecule's schedule. We only store the events passed to it, and rebuild the schedule by
/// replaying them when we need it. Commands that only read a molecule never do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct MolSchedule {
    history: Vec<Event>,
    #[serde(skip)]
    schedule: Option<Schedule>,
}

impl MolSchedule {
    fn bare(steps: &[MolStep]) -> Schedule {
        let specs = steps.iter().map(MolStep::spec).collect();
        Schedule::new(specs, ScheduleOptions::default())
    }

    pub(super) fn begin(&mut self, steps: &[MolStep]) -> Vec<Action> {
        self.schedule.insert(Self::bare(steps)).begin()
    }

    fn apply(&mut self, steps: &[MolStep], event: Event) -> Result<Vec<Action>, Rejected> {
        let Self { history, schedule } = self;
        let schedule = schedule.get_or_insert_with(|| {
            let mut schedule = Self::bare(steps);
            schedule.begin();
            for event in history.iter() {
                // The schedule accepted the same events in the same order before, so none can fail
                // now.
                let _ = schedule.apply(*event);
            }
            schedule
        });
        let actions = schedule.apply(event)?;
        history.push(event);
        Ok(actions)
    }
}

impl Molecule {
    /// Passes an event to the schedule at the time `at`, and carries out the actions that follow
    /// from it.
    ///
    /// # Errors
    /// Returns an error if the schedule does not allow the event. Nothing has changed in that case.
    pub(crate) fn tell(&mut self, event: Event, at: Stamp) -> Result<(), Refusal> {
        let actions = self.schedule.apply(&self.steps, event);
        let actions = actions.map_err(|rejected| Refusal::new(self.in_words(rejected)))?;
        self.follow(actions, at);
        Ok(())
    }

    fn in_words(&self, rejected: Rejected) -> String {
        // The schedule only knows the indices of steps, and users only know their ids.
        use Rejected as R;
        let (R::UnknownStep { step }
        | R::NotReady { step, .. }
        | R::NotRunning { step, .. }
        | R::StaleAttempt { step, .. }
        | R::AlreadySettled { step, .. }
        | R::NotEnded { step, .. }
        | R::NestedFanOut { step }
        | R::NoRetryDue { step, .. }) = rejected;
        let name = self.steps.get(step.index());
        let name = name.map(|step| format!("step `{}` of `{}`", step.id, self.id));
        let text = rejected.to_string();
        name.map_or(text.clone(), |name| {
            text.replacen(&format!("step {step}"), &name, 1)
        })
    }

    pub(super) fn follow(&mut self, actions: Vec<Action>, at: Stamp) {
        let mut due = Vec::new();
        let time = self.time;
        for action in actions {
            let mut with = |step: StepIndex, work: &mut dyn FnMut(&mut MolStep)| {
                if let Some(step) = self.steps.get_mut(step.index()) {
                    work(step);
                }
            };
            match action {
                Action::Ready { step } => with(step, &mut |step| {
                    step.retry_at = None;
                    if step.reached_at.is_none() {
                        step.reach(at, time);
                    }
                }),
                // This step is due right away, but the schedule can't take another event while
                // we're going through its actions.
                Action::Retry { step, after, .. } if after.is_zero() => due.push(step),
                Action::Retry { step, after, .. } => with(step, &mut |step| {
                    let micros = i64::try_from(after.as_micros()).unwrap_or(i64::MAX);
                    step.retry_at = Some(Stamp::from_micros(at.micros().saturating_add(micros)));
                    step.moments.failed = time.moment();
                }),
                Action::Reopened { step } => with(step, &mut MolStep::reset),
                Action::HeldBack { .. }
                | Action::GivenUp { .. }
                | Action::Grown { .. }
                | Action::Gathered { .. }
                | Action::Finished { .. } => {}
            }
        }
        self.look(at);
        for step in due {
            let _ = self.tell(Event::RetryDue { step }, at);
        }
    }

    /// Copies each step's status from the schedule, which is easier than to update it for every
    /// single action. `at` is the time of the change.
    fn look(&mut self, at: Stamp) {
        let Some(schedule) = &self.schedule.schedule else {
            return;
        };
        for (number, step) in self.steps.iter_mut().enumerate() {
            let number = StepIndex::new(number);
            step.status = schedule.status(number);
            step.attempt = schedule.attempt(number);
            step.held_by = match schedule.because(number) {
                Some(Because::Failed(by)) => Some(by),
                _ => None,
            };
        }
        self.outcome = schedule.outcome();
        self.ended_at = self.outcome.and(self.ended_at.or(Some(at)));
        // A push-back has reopened the molecule, so its summary no longer applies.
        if self.outcome.is_none() {
            self.summary = None;
        }
    }
}
