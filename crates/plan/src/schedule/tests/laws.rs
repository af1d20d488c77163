//! Invariants that hold for any plan and any order of events.

use proptest::prelude::*;

use super::*;

/// The fate of a step in a random plan.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Complete,
    Fail,
    Skip,
    FailOnceThenComplete,
    FanOut(u32),
}

#[derive(Debug, Clone)]
struct RandomPlan {
    specs: Vec<NodeSpec>,
    fates: Vec<Fate>,
}

fn random_plan() -> impl Strategy<Value = RandomPlan> {
    let fate = prop_oneof![
        6 => Just(Fate::Complete),
        2 => Just(Fate::Fail),
        2 => Just(Fate::Skip),
        1 => Just(Fate::FailOnceThenComplete),
        1 => (0_u32..4).prop_map(Fate::FanOut),
    ];
    let step = (fate, any::<u64>(), any::<bool>(), 0_u8..8, any::<u64>());
    prop::collection::vec(step, 0..24).prop_map(|steps| {
        let mut plan = RandomPlan {
            specs: Vec::new(),
            fates: Vec::new(),
        };
        for (at, (fate, needs, continue_on_failure, rare, weak)) in steps.into_iter().enumerate() {
            let finally = rare == 0;
            let legal =
                |need: &usize| needs >> need & 5 == 5 && (finally || !plan.specs[*need].finally);
            let needs: Vec<_> = (0..at).filter(legal).map(StepIndex::new).collect();
            let retry = Retry {
                max_attempts: 2,
                ..Retry::default()
            };
            let (needs, after) = after_some(needs, weak);
            plan.specs.push(NodeSpec {
                needs,
                after,
                retry,
                continue_on_failure,
                finally,
            });
            plan.fates.push(fate);
        }
        plan
    })
}

/// Splits `needs` into steps that must succeed and steps that only have to end.
fn after_some(needs: Vec<StepIndex>, weak: u64) -> (Vec<StepIndex>, Vec<StepIndex>) {
    needs
        .into_iter()
        .partition(|need| weak >> need.index() & 3 != 3)
}

/// Runs `plan` to the end, and returns the final states.
///
/// `choices` decides about the order of events.
fn run(
    plan: &RandomPlan,
    choices: &mut impl Iterator<Item = usize>,
    jobs: usize,
) -> (Vec<(Status, Option<Because>)>, Outcome) {
    let mut schedule = Schedule::new(plan.specs.clone(), ScheduleOptions::default());
    schedule.begin();
    let mut running: Vec<StepIndex> = Vec::new();
    let mut waiting: Vec<StepIndex> = Vec::new();
    while schedule.outcome().is_none() {
        let startable = if running.len() < jobs {
            schedule.ready().count()
        } else {
            0
        };
        let options = startable + running.len() + waiting.len();
        assert!(options > 0, "stalled");
        let choice = choices.next().unwrap_or(0) % options;
        let event = if choice < startable {
            let step = schedule.ready().nth(choice).unwrap();
            running.push(step);
            assert_needs_satisfied(&schedule, plan, step);
            Event::Started { step }
        } else if choice < startable + running.len() {
            let step = running.swap_remove(choice - startable);
            end(&schedule, plan, step)
        } else {
            Event::RetryDue {
                step: waiting.swap_remove(choice - startable - running.len()),
            }
        };
        for action in schedule.apply(event).unwrap() {
            if let Action::Retry { step, .. } = action {
                waiting.push(step);
            }
        }
    }
    let steps = (0..plan.specs.len()).map(StepIndex::new);
    let statuses = steps
        .map(|step| (schedule.status(step), schedule.because(step)))
        .collect();
    (statuses, schedule.outcome().unwrap())
}

fn end(schedule: &Schedule, plan: &RandomPlan, step: StepIndex) -> Event {
    let attempt = schedule.attempt(step);
    let instance = schedule.origin(step);
    let fate = plan.fates[instance.map_or(step, |(parent, _)| parent).index()];
    match fate {
        Fate::Skip => Event::Skipped { step },
        Fate::Fail => Event::Failed {
            step,
            attempt,
            retryable: false,
        },
        Fate::FailOnceThenComplete if attempt == 1 => Event::Failed {
            step,
            attempt,
            retryable: true,
        },
        Fate::FanOut(count) if instance.is_none() => Event::FannedOut {
            step,
            attempt,
            count,
        },
        Fate::Complete | Fate::FailOnceThenComplete | Fate::FanOut(_) => {
            Event::Completed { step, attempt }
        }
    }
}

/// Checks that a step only starts once its needs have completed, were skipped, or failed with
/// `continue_on_failure`.
fn assert_needs_satisfied(schedule: &Schedule, plan: &RandomPlan, step: StepIndex) {
    let Some(spec) = plan.specs.get(step.index()) else {
        return;
    };
    for need in &spec.needs {
        let needed = &plan.specs[need.index()];
        let satisfied = match schedule.status(*need) {
            Status::Completed | Status::Skipped => true,
            Status::Failed => needed.continue_on_failure || spec.finally,
            // A `finally` step also runs if a main step was held back.
            Status::Blocked => spec.finally && !needed.finally,
            _ => false,
        };
        assert!(
            satisfied,
            "{step} started although {need} is {:?}",
            schedule.status(*need)
        );
    }
}

proptest! {
    #[test]
    fn outcome_any_event_order_same(
        plan in random_plan(),
        choices in prop::collection::vec(any::<u16>(), 0..200),
        jobs in 1_usize..20,
    ) {
        // The reference run takes the first possible event each time.
        let reference = run(&plan, &mut std::iter::repeat(0), 1);
        let shuffled = run(&plan, &mut choices.into_iter().map(usize::from), jobs);
        prop_assert_eq!(reference, shuffled);
    }

    #[test]
    fn halt_any_moment_schedule_ends(
        plan in random_plan(),
        choices in prop::collection::vec(any::<u16>(), 0..60),
        after in 0_usize..40,
        halt in prop_oneof![Just(Halt::FailFast), Just(Halt::Cancel), Just(Halt::Kill)],
    ) {
        let mut schedule = Schedule::new(plan.specs.clone(), ScheduleOptions::default());
        schedule.begin();
        let mut choices = choices.into_iter().map(usize::from);
        let mut running: Vec<StepIndex> = Vec::new();
        let mut waiting: Vec<StepIndex> = Vec::new();
        for turn in 0.. {
            if turn == after {
                schedule.apply(Event::Halted(halt)).unwrap();
            }
            if schedule.outcome().is_some() {
                break;
            }
            let choice = choices.next().unwrap_or(0);
            let event = if let Some(step) = schedule.next_ready().filter(|_| choice % 2 == 0 || running.is_empty()) {
                running.push(step);
                Event::Started { step }
            } else if !running.is_empty() {
                let step = running.swap_remove(choice % running.len());
                end(&schedule, &plan, step)
            } else if let Some(step) = waiting.pop() {
                Event::RetryDue { step }
            } else {
                break;
            };
            if let Ok(actions) = schedule.apply(event) {
                waiting.extend(actions.iter().filter_map(|action| match action {
                    Action::Retry { step, .. } => Some(*step),
                    _ => None,
                }));
            }
        }
        prop_assert!(schedule.outcome().is_some());
    }

    #[test]
    fn push_back_same_outcome(
        plan in random_plan(),
        choices in prop::collection::vec(any::<u16>(), 0..80),
        target in any::<prop::sample::Index>(),
        after in 0_usize..60,
    ) {
        let reference = run(&plan, &mut std::iter::repeat(0), 1);
        let mut schedule = Schedule::new(plan.specs.clone(), ScheduleOptions::default());
        schedule.begin();
        let mut choices = choices.into_iter().map(usize::from);
        let mut pushed = plan.specs.is_empty();
        for turn in 0.. {
            if turn >= after && !pushed {
                let step = StepIndex::new(target.index(plan.specs.len()));
                pushed = schedule.apply(Event::PushedBack { step }).is_ok();
            }
            let running: Vec<_> = with_status(&schedule, Status::InProgress);
            let waiting: Vec<_> = with_status(&schedule, Status::Blocked)
                .into_iter()
                .filter(|step| schedule.because(*step) == Some(Because::Retry))
                .collect();
            let ready: Vec<_> = schedule.ready().collect();
            let all = ready.len() + running.len() + waiting.len();
            if all == 0 {
                break;
            }
            let choice = choices.next().unwrap_or(0) % all;
            let event = if choice < ready.len() {
                Event::Started { step: ready[choice] }
            } else if choice < ready.len() + running.len() {
                end_in_generation(&schedule, &plan, running[choice - ready.len()])
            } else {
                Event::RetryDue { step: waiting[choice - ready.len() - running.len()] }
            };
            schedule.apply(event).unwrap();
        }
        // The step has been repeated, but nothing else may be different.
        let steps = (0..plan.specs.len()).map(StepIndex::new);
        let statuses: Vec<_> = steps.map(|step| (schedule.status(step), schedule.because(step))).collect();
        prop_assert_eq!((statuses, schedule.outcome().unwrap()), reference);
    }
}

/// Leaves out steps that have fanned out, since events go to their instances.
fn with_status(schedule: &Schedule, status: Status) -> Vec<StepIndex> {
    let all = (0..schedule.len()).map(StepIndex::new);
    let fans_out = |step: &StepIndex| {
        let mut all = (0..schedule.len()).map(StepIndex::new);
        let is_open = |at: StepIndex| schedule.status(at) != Status::Skipped;
        all.any(|at| {
            schedule
                .origin(at)
                .is_some_and(|(parent, _)| parent == *step)
                && is_open(at)
        })
    };
    all.filter(|step| schedule.status(*step) == status)
        .filter(|step| status != Status::InProgress || !fans_out(step))
        .collect()
}

/// Like [`end`], but a step that's meant to fail once does so in each generation. Pushing it back
/// must not change the outcome.
fn end_in_generation(schedule: &Schedule, plan: &RandomPlan, step: StepIndex) -> Event {
    let attempt = schedule.attempt(step);
    let fails_once = schedule.origin(step).is_none()
        && matches!(plan.fates[step.index()], Fate::FailOnceThenComplete);
    if fails_once && attempt % 2 == 1 {
        return Event::Failed {
            step,
            attempt,
            retryable: true,
        };
    }
    match end(schedule, plan, step) {
        Event::Failed {
            retryable: true, ..
        } => Event::Completed { step, attempt },
        other => other,
    }
}
