//! Tests `finally` steps and halts.

use super::*;

#[test]
fn halt_gives_up_every_step() {
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
fn finally_runs_after_failure_and_cancel() {
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
fn kill_runs_nothing() {
    let mut play = Play::new("a; clean: finally", ScheduleOptions::default());
    play.schedule.apply(Event::Halted(Halt::Kill)).unwrap();
    assert_eq!(play.statuses(), "a=blocked clean=blocked");
    assert_eq!(play.schedule.outcome(), Some(Outcome::Cancelled));
}

#[test]
fn fail_fast_lets_running_end() {
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
