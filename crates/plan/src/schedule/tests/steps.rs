//! Tests how steps start, fail and are retried.

use super::*;

#[test]
fn step_ready_after_all_needs() {
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
fn empty_plan_finished() {
    let mut schedule = Schedule::new(Vec::new(), ScheduleOptions::default());
    assert_eq!(
        schedule.begin(),
        [Action::Finished {
            outcome: Outcome::Completed
        }]
    );
}

#[test]
fn failure_blocks_only_dependents() {
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
fn continued_failure_partial() {
    let mut play = Play::new("a: !; b: a", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(play.ready(), "b");
    assert_eq!(play.done("b").schedule.outcome(), Some(Outcome::Partial));
}

#[test]
fn skipped_step_needs_inherited() {
    let mut play = Play::new("a; b: a; c: b", ScheduleOptions::default());
    play.skip("b");
    assert_eq!(play.ready(), "a", "c must still wait for a");
    assert_eq!(play.done("a").ready(), "c");
    assert_eq!(play.done("c").schedule.outcome(), Some(Outcome::Completed));
}

#[test]
fn failure_passes_skipped_step() {
    let mut play = Play::new("a; b: a; c: b", ScheduleOptions::default());
    play.skip("b");
    play.fail("a", false);
    assert_eq!(play.statuses(), "a=failed b=skipped c=blocked");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn retry_delay_doubles_then_fails() {
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
fn failure_final_not_retried() {
    let mut play = Play::new("a: r3", ScheduleOptions::default());
    play.fail("a", false);
    assert_eq!(play.schedule.outcome(), Some(Outcome::Failed));
}

#[test]
fn after_edge_released_by_failure() {
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
fn illegal_event_rejected() {
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
