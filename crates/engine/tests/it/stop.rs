//! Fail-fast, cancel and kill.

use proptest::prelude::*;
use serde_json::json;
use windlass_engine::{ErrorKind, StopLevel};
use windlass_plan::{Outcome, Status};

use crate::same_result::random_plan;
use crate::support::{World, ms, nested, plan, step};

#[test]
fn fail_fast_starts_only_clean_up() {
    let fails = json!({"wait": 10, "fail": ["failed", 9]});
    let plan = plan(
        "p",
        [
            step("bad").with(fails),
            step("runs").with(json!({"wait": 30})),
            step("waits")
                .retry(5, 500)
                .with(json!({"fail": ["transient", 9]})),
            step("list")
                .each(json!([50, 50, 50]))
                .with(json!({"wait": {"$ref": "#/item"}})),
            step("late").needs("runs"),
            step("cleans").finally(),
        ],
    );
    let ran = World::new(4).fail_fast().run(&plan);
    assert_eq!(
        ran.statuses(),
        "bad failed, runs completed, waits failed, list failed, late blocked, cleans completed"
    );
    assert_eq!(ran.result.outcome, Outcome::Failed);
    assert_eq!(
        ran.error("waits"),
        (ErrorKind::Transient, "attempt 1 of waits")
    );
    assert_eq!(
        ran.step("late").reason.as_deref(),
        Some("the run was stopped first")
    );
}

#[test]
fn retry_due_after_halt_dropped() {
    // The clean-up is still running when the retry of `waits` is due.
    let plan = plan(
        "p",
        [
            step("waits")
                .retry(5, 100)
                .with(json!({"fail": ["transient", 9]})),
            step("cleans").finally().with(json!({"wait": 1000})),
        ],
    );
    let ran = World::new(4).stop_at(50, StopLevel::Cancel).run(&plan);
    assert_eq!(ran.statuses(), "waits failed, cleans completed");
    assert_eq!(ran.took, ms(1050));
}

#[test]
fn cancel_ends_steps_and_cleans_up() {
    let plan = plan(
        "p",
        [
            step("hears").with(json!({"wait": 500})),
            step("answers").with(json!({"wait": 500, "lingers": 20, "answer": "saved"})),
            step("deaf").with(json!({"wait": 90_000, "deaf": true})),
            step("later").needs("hears"),
            step("cleans").finally().with(json!({"wait": 7})),
        ],
    );
    let ran = World::new(4).stop_at(100, StopLevel::Cancel).run(&plan);
    assert_eq!(
        ran.statuses(),
        "hears failed, answers completed, deaf failed, later blocked, cleans completed"
    );
    assert_eq!(ran.result.outcome, Outcome::Cancelled);
    assert_eq!(ran.error("hears").0, ErrorKind::Cancelled);
    assert_eq!(ran.output("answers"), json!("saved"));
    // The step that ignores the stop takes its whole grace period, and the clean-up runs after
    // that.
    assert_eq!(ran.took, ms(100 + 2000 + 7));
}

#[test]
fn kill_ends_everything() {
    let plan = plan(
        "p",
        [
            step("deaf").with(json!({"wait": 90_000, "deaf": true})),
            step("list")
                .each(json!([1, 2]))
                .with(json!({"wait": 9_000, "deaf": true})),
            step("cleans").finally(),
        ],
    );
    for stops in [
        vec![(100, StopLevel::Kill)],
        vec![(60, StopLevel::Cancel), (100, StopLevel::Kill)],
    ] {
        let mut world = World::new(4);
        world.stops = stops;
        let ran = world.run(&plan);
        assert_eq!(ran.statuses(), "deaf failed, list failed, cleans blocked");
        assert_eq!(
            (ran.result.outcome, ran.took),
            (Outcome::Cancelled, ms(100))
        );
    }
}

#[test]
fn stop_before_start_runs_nothing() {
    let plan = plan(
        "p",
        [step("a"), step("z").finally().with(json!({"wait": 5}))],
    );
    let cancelled = World::new(2).stop_at(0, StopLevel::Cancel).run(&plan);
    assert_eq!(cancelled.statuses(), "a blocked, z completed");
    assert!(
        !cancelled
            .told()
            .iter()
            .any(|line| line.starts_with("start a"))
    );
    let killed = World::new(2).stop_at(0, StopLevel::Kill).run(&plan);
    assert_eq!(killed.statuses(), "a blocked, z blocked");
}

#[test]
fn nested_run_cancelled_cleans_up() {
    let inner = plan(
        "inner",
        [
            step("works").with(json!({"wait": 9_000})),
            step("cleans").finally().with(json!({"wait": 5_000})),
        ],
    );
    let outer = plan("p", [nested("n", "inner"), step("z").finally()]);
    let world = World::new(2).knows([inner]);
    let cancelled = world.clone().stop_at(100, StopLevel::Cancel).run(&outer);
    assert_eq!(cancelled.statuses(), "n failed, z completed");
    assert!(
        cancelled
            .told()
            .contains(&"end n/cleans completed".to_owned())
    );
    assert_eq!(cancelled.took, ms(5_100));
    let killed = world
        .stop_at(100, StopLevel::Cancel)
        .stop_at(200, StopLevel::Kill)
        .run(&outer);
    // The kill also ends the clean-up of the nested run.
    assert_eq!(
        (killed.statuses().as_str(), killed.took),
        ("n failed, z blocked", ms(200))
    );
}

#[test]
fn nested_run_timeout_cancels_then_kills() {
    let inner = |cleans: u64| {
        plan(
            "inner",
            [
                step("works").with(json!({"wait": 9_000})),
                step("cleans").finally().with(json!({"wait": cleans})),
            ],
        )
    };
    for (cleans, took) in [(500, 100 + 500), (5_000, 100 + 2_000)] {
        // A clean-up of 5 s doesn't fit into the grace period of 2 s, so it's killed.
        let outer = plan("p", [nested("n", "inner").timeout(100)]);
        let ran = World::new(2).knows([inner(cleans)]).run(&outer);
        assert_eq!(
            (ran.error("n").0, ran.took),
            (ErrorKind::TimedOut, ms(took))
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn stop_any_moment_run_ends(
        random in random_plan(),
        jobs in 1_usize..5,
        delays in prop::collection::vec(0_u64..40, 1..8),
        stops in prop::collection::vec(
            (0_u64..150, prop_oneof![Just(StopLevel::Cancel), Just(StopLevel::Kill)]),
            1..3,
        ),
        fail_fast in any::<bool>(),
    ) {
        let mut world = World::new(jobs).knows([random.inner]);
        world.options.fail_fast = fail_fast;
        world.delays = delays;
        world.stops = stops;
        // `World::run` checks the events against the result.
        let ran = world.run(&random.plan);
        for step in &ran.result.steps {
            let last = matches!(
                step.status,
                Status::Completed | Status::Failed | Status::Skipped | Status::Blocked
            );
            prop_assert!(last, "{step:?}");
            prop_assert_eq!(step.error.is_some(), step.status == Status::Failed, "{:?}", step);
            // A failed fan-out keeps the results of its instances.
            let found = match step.status {
                Status::Completed => step.output.is_some(),
                Status::Failed => step.output.as_deref().is_none_or(serde_json::Value::is_array),
                _ => step.output.is_none(),
            };
            prop_assert!(found, "{step:?}");
            let told = step.status == Status::Blocked || step.status == Status::Skipped;
            prop_assert_eq!(step.reason.is_some(), told, "{:?}", step);
        }
    }
}
