//! Retries, time limits, size limits and panics.

use serde_json::json;
use windlass_engine::{ErrorKind, StopLevel};

use crate::support::{Ran, World, ms, plan, step};

fn attempts(ran: &Ran, id: &str) -> usize {
    let start = format!("start {id} ");
    ran.told()
        .iter()
        .filter(|line| line.starts_with(&start))
        .count()
}

#[test]
fn retry_transient_delay_doubles() {
    for (kind, times, want, took) in [
        ("transient", 2, 3, 10 + 20),
        ("transient", 9, 4, 10 + 20 + 40),
        ("timed_out", 1, 2, 10),
        // These would only fail again, so there's just one attempt.
        ("failed", 1, 1, 0),
        ("invalid", 1, 1, 0),
        ("refused", 1, 1, 0),
        ("internal", 1, 1, 0),
    ] {
        let draft = step("a")
            .retry(4, 10)
            .with(json!({"fail": [kind, times], "answer": "done"}));
        let ran = World::new(1).run(&plan("p", [draft]));
        assert_eq!(
            (attempts(&ran, "a"), ran.took),
            (want, ms(took)),
            "{kind} {times}"
        );
        let completed = want > times as usize;
        assert_eq!(
            ran.step("a").status.as_str(),
            if completed { "completed" } else { "failed" }
        );
        assert_eq!(ran.step("a").error.is_some(), !completed, "{kind} {times}");
    }
}

#[test]
fn timeout_per_attempt_retried() {
    let draft = step("a")
        .timeout(100)
        .retry(3, 10)
        .with(json!({"wait": 500}));
    let ran = World::new(1).run(&plan("p", [draft]));
    assert_eq!(attempts(&ran, "a"), 3);
    assert_eq!(
        ran.error("a"),
        (ErrorKind::TimedOut, "took longer than its limit of 100ms")
    );
    assert_eq!(ran.took, ms(100 + 10 + 100 + 20 + 100));
}

#[test]
fn preparation_not_in_time_limit() {
    let prepares = |wait: u64| step("a").with(json!({"prepare": 700, "wait": wait, "answer": 1}));
    let ran = World::new(1).run(&plan("p", [prepares(90).timeout(100)]));
    assert_eq!((ran.output("a"), ran.took), (json!(1), ms(700 + 90)));
    let ran = World::new(1).run(&plan("p", [prepares(90).timeout(80)]));
    assert_eq!(ran.error("a").0, ErrorKind::TimedOut);
    // Preparation is exempt from `max_duration` as well.
    let fails = step("a")
        .max_duration(200)
        .retry(3, 10)
        .with(json!({"prepare": 700, "wait": 50, "fail": ["transient", 1], "answer": 1}));
    let ran = World::new(1).run(&plan("p", [fails]));
    assert_eq!(ran.output("a"), json!(1));
    assert_eq!(ran.took, ms(700 + 50 + 10 + 50));
}

#[test]
fn stop_cancels_preparation() {
    let ran = World::new(1)
        .stop_at(100, StopLevel::Cancel)
        .run(&plan("p", [step("a").with(json!({"prepare": 100_000}))]));
    assert_eq!(ran.error("a").0, ErrorKind::Cancelled);
    assert_eq!((ran.took, ran.left_running), (ms(100), 0));
    let panics = step("a").with(json!({"panic": "prepare"}));
    let ran = World::new(1).run(&plan("p", [panics]));
    assert_eq!(ran.error("a").0, ErrorKind::Internal);
}

#[test]
fn step_ending_at_limit_completes() {
    // The end of the step and its time limit are due at the same moment. The step has to win every
    // time.
    for _ in 0..20 {
        let draft = step("a")
            .timeout(100)
            .with(json!({"wait": 100, "answer": 1}));
        assert_eq!(World::new(1).run(&plan("p", [draft])).output("a"), json!(1));
    }
}

#[test]
fn step_ignoring_limit_dropped() {
    let deaf = step("a")
        .timeout(100)
        .with(json!({"wait": 1_000_000, "deaf": true}));
    let ran = World::new(1).run(&plan("p", [deaf, step("b")]));
    assert_eq!(ran.statuses(), "a failed, b completed");
    // The step ignores the request to stop, so we drop it after the grace period of two seconds.
    assert_eq!(ran.took, ms(100 + 2000));
    // An answer after the time limit comes too late.
    let late = step("a")
        .timeout(100)
        .with(json!({"wait": 300, "lingers": 50, "answer": 1}));
    let ran = World::new(1).run(&plan("p", [late]));
    assert_eq!((ran.error("a").0, ran.took), (ErrorKind::TimedOut, ms(150)));
}

#[test]
fn max_duration_limits_all_attempts() {
    let message = "all attempts together took longer than its limit of 250ms";
    for (name, draft, tried, took) in [
        (
            "an attempt runs into it",
            step("a")
                .retry(9, 0)
                .timeout(100)
                .with(json!({"wait": 500})),
            3,
            250,
        ),
        (
            "a wait would",
            step("a")
                .retry(9, 100)
                .with(json!({"wait": 10, "fail": ["transient", 9]})),
            2,
            120,
        ),
        (
            "without a limit for each",
            step("a").retry(9, 10).with(json!({"wait": 900})),
            1,
            250,
        ),
    ] {
        let ran = World::new(1).run(&plan("p", [draft.max_duration(250)]));
        // An attempt that runs into the limit is cut off, and a wait that would isn't even begun.
        assert_eq!(ran.error("a"), (ErrorKind::TimedOut, message), "{name}");
        assert_eq!((attempts(&ran, "a"), ran.took), (tried, ms(took)), "{name}");
    }
    // A failure without a retry keeps its own message.
    let draft = step("a")
        .max_duration(10)
        .with(json!({"wait": 10, "fail": ["failed", 9]}));
    assert_eq!(
        World::new(1).run(&plan("p", [draft])).error("a"),
        (ErrorKind::Failed, "attempt 1 of a")
    );
}

#[test]
fn panic_fails_only_its_step() {
    for (when, says) in [
        ("sync", "at once"),
        ("first", "before it waited"),
        ("later", "after it waited"),
        ("blocking", "on another thread"),
    ] {
        let draft = step("a")
            .retry(3, 1)
            .with(json!({"panic": when, "wait": 5}));
        let ran = World::new(1).run(&plan("p", [draft, step("b").with(json!({"answer": 1}))]));
        let (kind, message) = ran.error("a");
        assert_eq!(kind, ErrorKind::Internal, "{when}");
        assert!(message.contains(says), "{when}: {message}");
        assert_eq!(attempts(&ran, "a"), 1, "{when}");
        assert_eq!(ran.output("b"), json!(1), "{when}");
    }
}

#[test]
fn output_size_measured_as_json() {
    for (answer, bytes) in [
        (json!("x".repeat(98)), 100),
        (json!("\u{1}\"é".repeat(10)), 2 + 10 * (6 + 2 + 2)),
        (json!([1, -2.5, true, null]), "[1,-2.5,true,null]".len()),
        (json!({"a": {"b": []}}), r#"{"a":{"b":[]}}"#.len()),
    ] {
        for (limit, fits) in [(bytes, true), (bytes - 1, false)] {
            let mut world = World::new(1);
            world.options.max_output_bytes = limit;
            let ran = world.run(&plan("p", [step("a").with(json!({"answer": answer}))]));
            assert_eq!(ran.step("a").output.is_some(), fits, "{answer} in {limit}");
            if !fits {
                assert_eq!(ran.error("a").0, ErrorKind::TooLarge);
            }
        }
    }
}

#[test]
fn concurrency_limited_by_jobs() {
    for jobs in [1, 2, 7, 16] {
        let steps = (0..20).map(|at| step(&format!("s{at}")).with(json!({"wait": 10})));
        let ran = World::new(jobs).run(&plan("p", steps));
        assert_eq!(ran.most_at_once, jobs);
        // Time is paused, so the duration shows exactly how many steps ran at once.
        assert_eq!(ran.took, ms(10 * 20_u64.div_ceil(jobs as u64)));
    }
}
