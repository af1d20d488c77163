//! Tests attempts that are released and work that is repeated.

use super::*;

#[test]
fn released_attempt_not_counted() {
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
fn push_back_restarts_dependents() {
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
fn push_back_revives_failed_schedule() {
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
