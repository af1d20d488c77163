use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::Retry;

/// `"a; b: a; c: a b !"` : steps in order, what each needs, and marks: `!` goes on after failure,
/// `f` is a `finally` step, `r3` has three attempts, `~a` waits for the end of `a` only.
fn parse(text: &str) -> (Vec<String>, Vec<NodeSpec>) {
    let lines: Vec<&str> = text.split(';').map(str::trim).collect();
    let names: Vec<String> = lines
        .iter()
        .map(|line| line.split(':').next().unwrap().trim().to_owned())
        .collect();
    let specs = lines.iter().map(|line| {
        let mut spec = NodeSpec::default();
        for word in line.split(':').nth(1).unwrap_or("").split_whitespace() {
            match word {
                "!" => spec.continue_on_failure = true,
                "finally" => spec.finally = true,
                ended if ended.starts_with('~') => spec.after.push(StepIndex::new(
                    names.iter().position(|n| *n == ended[1..]).unwrap(),
                )),
                "r3" => {
                    spec.retry = Retry {
                        max_attempts: 3,
                        ..Retry::default()
                    }
                }
                need => spec.needs.push(StepIndex::new(
                    names.iter().position(|n| n == need).unwrap(),
                )),
            }
        }
        spec
    });
    let specs = specs.collect();
    (names, specs)
}

struct Play {
    names: Vec<String>,
    schedule: Schedule,
}

impl Play {
    fn new(text: &str, options: ScheduleOptions) -> Self {
        let (names, specs) = parse(text);
        let mut schedule = Schedule::new(specs, options);
        schedule.begin();
        Self { names, schedule }
    }

    fn step(&self, name: &str) -> StepIndex {
        StepIndex::new(self.names.iter().position(|n| n == name).unwrap())
    }

    fn ready(&self) -> String {
        let name = |step: StepIndex| match self.schedule.origin(step) {
            Some((parent, at)) => format!("{}[{at}]", self.names[parent.index()]),
            None => self.names[step.index()].clone(),
        };
        self.schedule
            .ready()
            .map(name)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn start(&mut self, name: &str) -> &mut Self {
        let step = self.step(name);
        self.schedule.apply(Event::Started { step }).unwrap();
        self
    }

    fn done(&mut self, name: &str) -> &mut Self {
        let step = self.step(name);
        self.schedule.apply(Event::Started { step }).unwrap();
        self.schedule
            .apply(Event::Completed {
                step,
                attempt: self.schedule.attempt(step),
            })
            .unwrap();
        self
    }

    fn fail(&mut self, name: &str, retryable: bool) -> Vec<Action> {
        let step = self.step(name);
        self.schedule.apply(Event::Started { step }).unwrap();
        let attempt = self.schedule.attempt(step);
        self.schedule
            .apply(Event::Failed {
                step,
                attempt,
                retryable,
            })
            .unwrap()
    }

    fn skip(&mut self, name: &str) -> &mut Self {
        let step = self.step(name);
        self.schedule.apply(Event::Skipped { step }).unwrap();
        self
    }

    fn statuses(&self) -> String {
        let status = |at| self.schedule.status(StepIndex::new(at)).as_str();
        self.names
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{name}={}", status(at)))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[test]
fn a_step_starts_when_all_it_needs_is_done() {
    let mut play = Play::new("a; b; c: a b; d: c", ScheduleOptions::default());
    assert_eq!(play.ready(), "a b");
    assert_eq!(play.done("a").ready(), "b");
    assert_eq!(play.done("b").ready(), "c");
    assert_eq!(
        play.done("c").done("d").schedule.outcome(),
        Some(Outcome::Completed)
    );
}

#[test]
fn an_empty_plan_is_finished_at_once() {
    let mut schedule = Schedule::new(Vec::new(), ScheduleOptions::default());
    assert_eq!(
        schedule.begin(),
        [Action::Finished {
            outcome: Outcome::Completed
        }]
    );
}

#[test]
fn a_halt_says_of_every_step_that_it_is_given_up() {
    let mut play = Play::new("a: r3; b; c: a; d; z: finally", ScheduleOptions::default());
    play.fail("a", true);
    play.start("b").start("d");
    let d = play.step("d");
    let fan_out = Event::FannedOut {
        step: d,
        attempt: 1,
        count: 2,
    };
    play.schedule.apply(fan_out).unwrap();
    let actions = play.schedule.apply(Event::Halted(Halt::Cancel)).unwrap();
    let given_up = |at| Action::GivenUp {
        step: StepIndex::new(at),
    };
    let gathered = Action::Gathered {
        step: d,
        failed: true,
    };
    assert_eq!(
        actions,
        [given_up(0), given_up(2), given_up(5), given_up(6), gathered]
    );
    assert_eq!(
        play.statuses(),
        "a=failed b=in_progress c=blocked d=failed z=pending"
    );
}

#[test]
fn a_failure_holds_back_all_that_needs_it_and_nothing_else() {
    let mut play = Play::new("a; b: a; c: b; d", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(play.statuses(), "a=failed b=blocked c=blocked d=ready");
    let a = play.step("a");
    assert_eq!(
        play.schedule.because(play.step("c")),
        Some(Because::Failed(a))
    );
    assert_eq!(play.done("d").schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn going_on_after_a_failure_makes_the_whole_partial() {
    let mut play = Play::new("a: !; b: a", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(play.ready(), "b");
    assert_eq!(play.done("b").schedule.outcome(), Some(Outcome::Partial));
}

#[test]
fn dependents_inherit_what_a_skipped_step_needed() {
    let mut play = Play::new("a; b: a; c: b", ScheduleOptions::default());
    play.skip("b");
    assert_eq!(play.ready(), "a", "c must still wait for a");
    assert_eq!(play.done("a").ready(), "c");
    assert_eq!(play.done("c").schedule.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_failure_is_felt_through_a_skipped_step() {
    let mut play = Play::new("a; b: a; c: b", ScheduleOptions::default());
    play.skip("b");
    play.fail("a", false);
    assert_eq!(play.statuses(), "a=failed b=skipped c=blocked");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn retries_double_their_delay_and_end() {
    let policy = Retry {
        max_attempts: 9,
        backoff: Duration::from_secs(1),
        max_backoff: Some(Duration::from_secs(5)),
    };
    let delays: Vec<u64> = (1..=5)
        .map(|attempt| policy.delay_after(attempt).as_secs())
        .collect();
    assert_eq!(delays, [1, 2, 4, 5, 5]);
    assert_eq!(policy.delay_after(u32::MAX), Duration::from_secs(5));

    let mut play = Play::new("a: r3", ScheduleOptions::default());
    let a = play.step("a");
    for attempt in 1..3 {
        let actions = play.fail("a", true);
        assert!(
            matches!(actions[..], [Action::Retry { attempt: next, .. }] if next == attempt + 1)
        );
        assert_eq!(play.schedule.because(a), Some(Because::Retry));
        play.schedule.apply(Event::RetryDue { step: a }).unwrap();
    }
    play.fail("a", true);
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn what_cannot_succeed_is_not_tried_again() {
    let mut play = Play::new("a: r3", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn finally_runs_after_everything_even_after_failure_and_cancellation() {
    let mut play = Play::new(
        "a; b: a; clean: a finally; tell: clean finally",
        ScheduleOptions::default(),
    );
    play.fail("a", false);
    assert_eq!(play.ready(), "clean");
    assert_eq!(play.done("clean").ready(), "tell");
    assert_eq!(play.done("tell").schedule.outcome(), Some(Outcome::Failed));

    let mut play = Play::new("a; b; clean: finally", ScheduleOptions::default());
    play.start("a");
    play.schedule.apply(Event::Halted(Halt::Cancel)).unwrap();
    assert_eq!(play.ready(), "", "a is still running");
    let a = play.step("a");
    play.schedule
        .apply(Event::Failed {
            step: a,
            attempt: 1,
            retryable: true,
        })
        .unwrap();
    assert_eq!(play.statuses(), "a=failed b=blocked clean=ready");
    assert_eq!(
        play.done("clean").schedule.outcome(),
        Some(Outcome::Cancelled)
    );
}

#[test]
fn killing_leaves_nothing_to_run() {
    let mut play = Play::new("a; clean: finally", ScheduleOptions::default());
    play.schedule.apply(Event::Halted(Halt::Kill)).unwrap();
    assert_eq!(play.statuses(), "a=blocked clean=blocked");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Cancelled));
}

#[test]
fn fail_fast_starts_nothing_more_and_lets_the_running_end() {
    let mut play = Play::new(
        "a; b; c; clean: finally",
        ScheduleOptions { fail_fast: true },
    );
    play.start("b");
    play.fail("a", false);
    assert_eq!(
        play.statuses(),
        "a=failed b=in_progress c=blocked clean=pending"
    );
    let b = play.step("b");
    play.schedule
        .apply(Event::Completed {
            step: b,
            attempt: 1,
        })
        .unwrap();
    assert_eq!(play.done("clean").schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn a_fan_out_is_done_when_its_last_instance_is() {
    let mut play = Play::new("a; b: a", ScheduleOptions::default());
    let a = play.step("a");
    play.start("a");
    let actions = play
        .schedule
        .apply(Event::FannedOut {
            step: a,
            attempt: 1,
            count: 3,
        })
        .unwrap();
    assert!(matches!(actions[0], Action::Grown { count: 3, .. }));
    assert_eq!(play.ready(), "a[0] a[1] a[2]");
    for _ in 0..3 {
        let step = play.schedule.next_ready().unwrap();
        play.schedule.apply(Event::Started { step }).unwrap();
        play.schedule
            .apply(Event::Completed { step, attempt: 1 })
            .unwrap();
    }
    assert_eq!(play.ready(), "b");
}

#[test]
fn a_fan_out_over_nothing_is_done_at_once() {
    let mut play = Play::new("a; b: a", ScheduleOptions::default());
    let a = play.step("a");
    play.start("a");
    play.schedule
        .apply(Event::FannedOut {
            step: a,
            attempt: 1,
            count: 0,
        })
        .unwrap();
    assert_eq!(play.ready(), "b");
}

#[test]
fn a_fan_out_fails_once_all_its_instances_ended() {
    let mut play = Play::new("a; b: a", ScheduleOptions::default());
    let a = play.step("a");
    play.start("a");
    play.schedule
        .apply(Event::FannedOut {
            step: a,
            attempt: 1,
            count: 2,
        })
        .unwrap();
    let [x, y] = [
        play.schedule.next_ready().unwrap(),
        play.schedule.ready().nth(1).unwrap(),
    ];
    play.schedule.apply(Event::Started { step: x }).unwrap();
    play.schedule
        .apply(Event::Failed {
            step: x,
            attempt: 1,
            retryable: false,
        })
        .unwrap();
    assert_eq!(play.schedule.status(a), Status::InProgress);
    play.schedule.apply(Event::Started { step: y }).unwrap();
    play.schedule
        .apply(Event::Completed {
            step: y,
            attempt: 1,
        })
        .unwrap();
    assert_eq!(play.statuses(), "a=failed b=blocked");
}

#[test]
fn a_halt_ends_a_fan_out_that_has_not_started() {
    let mut play = Play::new("a; b: a", ScheduleOptions::default());
    let a = play.step("a");
    play.start("a");
    play.schedule.apply(Event::Halted(Halt::Cancel)).unwrap();
    play.schedule
        .apply(Event::FannedOut {
            step: a,
            attempt: 1,
            count: 2,
        })
        .unwrap();
    assert_eq!(play.statuses(), "a=failed b=blocked");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Cancelled));
}

#[test]
fn who_waits_for_an_end_goes_on_after_a_failure() {
    let mut play = Play::new("a; b: ~a; c: a; d: b", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(play.statuses(), "a=failed b=ready c=blocked d=pending");
    assert_eq!(play.done("b").ready(), "d");
    assert_eq!(play.done("d").schedule.outcome(), Some(Outcome::Failed));
    let mut play = Play::new("a; b: a; c: ~b", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(
        play.statuses(),
        "a=failed b=blocked c=blocked",
        "what never starts never ends"
    );
}

#[test]
fn an_attempt_that_was_given_back_does_not_count() {
    let mut play = Play::new("a: r3", ScheduleOptions::default());
    let step = play.step("a");
    for attempt in 1..9 {
        play.start("a");
        let released = Event::Released { step, attempt };
        let actions = play.schedule.apply(released).unwrap();
        assert_eq!(actions, [Action::Ready { step }]);
        assert!(play.schedule.apply(released).is_err());
    }
    for attempt in 9..11 {
        let actions = play.fail("a", true);
        assert!(
            matches!(actions[..], [Action::Retry { attempt: next, .. }] if next == attempt + 1)
        );
        play.schedule.apply(Event::RetryDue { step }).unwrap();
    }
    play.fail("a", true);
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
    let mut play = Play::new("a; b: a", ScheduleOptions::default());
    play.start("a");
    play.schedule.apply(Event::Halted(Halt::Cancel)).unwrap();
    let step = play.step("a");
    let released = Event::Released { step, attempt: 1 };
    play.schedule.apply(released).unwrap();
    assert_eq!(play.schedule.outcome(), Some(Outcome::Cancelled));
}

#[test]
fn what_is_pushed_back_to_begins_anew_with_all_that_follows() {
    let mut play = Play::new("a; b: a; c: b; d: a; e", ScheduleOptions::default());
    play.done("a").done("b").done("d").start("c");
    let b = play.step("b");
    let c = play.step("c");
    let actions = play.schedule.apply(Event::PushedBack { step: b }).unwrap();
    assert_eq!(
        actions,
        [
            Action::Reopened { step: b },
            Action::Reopened { step: c },
            Action::Ready { step: b }
        ]
    );
    assert_eq!(
        play.statuses(),
        "a=completed b=ready c=pending d=completed e=ready"
    );
    let late = Event::Completed {
        step: c,
        attempt: 1,
    };
    assert!(play.schedule.apply(late).is_err());
    play.done("b").done("c").done("e");
    assert_eq!(play.schedule.attempt(c), 2);
    assert_eq!(play.schedule.outcome(), Some(Outcome::Completed));
}

#[test]
fn a_failed_schedule_goes_on_once_the_failed_step_is_done_anew() {
    let mut play = Play::new("a: r3; b: a; c; d: c", ScheduleOptions::default());
    play.fail("a", false);
    play.done("c").skip("d");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
    let a = play.step("a");
    play.schedule.apply(Event::PushedBack { step: a }).unwrap();
    assert_eq!(play.statuses(), "a=ready b=pending c=completed d=skipped");
    assert!(play.schedule.outcome().is_none());
    let actions = play.fail("a", true);
    assert!(matches!(actions[..], [Action::Retry { attempt: 3, .. }]));
    play.schedule.apply(Event::RetryDue { step: a }).unwrap();
    play.done("a").done("b");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Completed));
}

#[test]
fn illegal_events_change_nothing() {
    let mut play = Play::new("a; b: a", ScheduleOptions::default());
    let [a, b] = [play.step("a"), play.step("b")];
    let before = play.statuses();
    let illegal = [
        Event::Started { step: b },
        Event::Completed {
            step: a,
            attempt: 1,
        },
        Event::Failed {
            step: b,
            attempt: 1,
            retryable: true,
        },
        Event::RetryDue { step: a },
        Event::PushedBack { step: a },
        Event::Released {
            step: a,
            attempt: 0,
        },
        Event::Started {
            step: StepIndex::new(9),
        },
    ];
    for event in illegal {
        assert!(play.schedule.apply(event).is_err(), "{event:?}");
    }
    assert_eq!(play.statuses(), before);
    play.start("a");
    assert_eq!(
        play.schedule.apply(Event::Completed {
            step: a,
            attempt: 7
        }),
        Err(Rejected::StaleAttempt {
            step: a,
            attempt: 7,
            current: 1
        })
    );
}

/// What a step of a random plan does when it runs.
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

/// Of some of `needs` the end is enough.
fn after_some(needs: Vec<StepIndex>, weak: u64) -> (Vec<StepIndex>, Vec<StepIndex>) {
    needs
        .into_iter()
        .partition(|need| weak >> need.index() & 3 != 3)
}

/// Runs `plan`, choosing among all that could happen next by `choices`, and returns the end.
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

/// Nothing starts before what it needs is completed, skipped, or failed with leave to go on.
fn assert_needs_satisfied(schedule: &Schedule, plan: &RandomPlan, step: StepIndex) {
    let Some(spec) = plan.specs.get(step.index()) else {
        return;
    };
    for need in &spec.needs {
        let needed = &plan.specs[need.index()];
        let satisfied = match schedule.status(*need) {
            Status::Completed | Status::Skipped => true,
            Status::Failed => needed.continue_on_failure || spec.finally,
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
    fn the_end_does_not_depend_on_the_order_of_events(
        plan in random_plan(),
        choices in prop::collection::vec(any::<u16>(), 0..200),
        jobs in 1_usize..20,
    ) {
        let reference = run(&plan, &mut std::iter::repeat(0), 1);
        let shuffled = run(&plan, &mut choices.into_iter().map(usize::from), jobs);
        prop_assert_eq!(reference, shuffled);
    }

    #[test]
    fn a_halt_at_any_moment_lets_every_schedule_end(
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
    fn after_a_push_back_all_ends_as_if_nothing_had_been_done(
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
        let steps = (0..plan.specs.len()).map(StepIndex::new);
        let statuses: Vec<_> = steps.map(|step| (schedule.status(step), schedule.because(step))).collect();
        prop_assert_eq!((statuses, schedule.outcome().unwrap()), reference);
    }
}

/// Steps of the plan and instances that something happens to by an event of their own.
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

/// As [`end`]; what fails once fails once in each generation.
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
