//! Tests steps with one instance per item of a list.

use super::*;

#[test]
fn fan_out_ends_with_last_instance() {
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
fn fan_out_empty_completed() {
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
fn fan_out_failure_waits_for_all() {
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
fn halt_ends_waiting_fan_out() {
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
