//! Nested runs and their shared slots.

use serde_json::json;
use windlass_plan::Outcome;

use crate::support::{World, ms, nested, plan, step};

#[test]
fn nested_runs_share_slots_no_deadlock() {
    let work = |id: &str| step(id).with(json!({"wait": 10}));
    let leaf = plan("leaf", ["a", "b", "c"].map(work));
    let middle = plan(
        "middle",
        [
            nested("x", "leaf"),
            nested("y", "leaf"),
            work("z"),
            work("w").needs("x y"),
        ],
    );
    let outer = plan(
        "p",
        [
            nested("m", "middle"),
            work("o"),
            nested("n", "middle"),
            work("end").needs("m n o"),
        ],
    );
    // Each plan contains 2 × 8 working steps, plus 2 more.
    for (jobs, took) in [(1, 180), (2, 90), (16, 30)] {
        let world = World::new(jobs).knows([leaf.clone(), middle.clone()]);
        let ran = world.run(&outer);
        assert_eq!(ran.result.outcome, Outcome::Completed, "{jobs}");
        assert!(
            ran.most_at_once <= jobs,
            "{} with {jobs} jobs",
            ran.most_at_once
        );
        // With several jobs, `needs` may leave some of the slots unused for a while.
        assert!(ran.took >= ms(took), "{:?} with {jobs} jobs", ran.took);
        assert!(jobs > 1 || ran.took == ms(took), "{:?}", ran.took);
        assert_eq!(
            ran.output("m")["statuses"],
            json!(["completed"; 4].to_vec())
        );
    }
}

#[test]
fn deep_nesting_works_with_one_slot() {
    let mut plans = vec![plan("d0", [step("work").with(json!({"wait": 1}))])];
    for depth in 1..8 {
        let below = format!("d{}", depth - 1);
        plans.push(plan(
            &format!("d{depth}"),
            [nested("n", &below), nested("o", &below).needs("n")],
        ));
    }
    let outer = plan("p", [nested("top", "d7")]);
    let ran = World::new(1).knows(plans).run(&outer);
    assert_eq!(
        (ran.result.outcome, ran.most_at_once),
        (Outcome::Completed, 1)
    );
    // Each level doubles the number of working steps, which run one after the other.
    assert_eq!(ran.took, ms(1 << 7));
}

#[test]
fn slot_wait_not_in_time_limit() {
    let inner = plan(
        "inner",
        (0..5).map(|at| {
            step(&format!("s{at}"))
                .timeout(15)
                .max_duration(15)
                .with(json!({"wait": 10}))
        }),
    );
    let outer = plan("p", [nested("n", "inner")]);
    // Each step waits up to 40 ms for the only slot, which doesn't count towards its 15 ms.
    let ran = World::new(1).knows([inner]).run(&outer);
    assert_eq!((ran.result.outcome, ran.took), (Outcome::Completed, ms(50)));
}

#[test]
fn nested_run_retried() {
    let inner = plan("inner", [step("a").with(json!({"wait": 20}))]);
    let outer = plan("p", [nested("n", "inner").timeout(10).retry(3, 1)]);
    let ran = World::new(1).knows([inner]).run(&outer);
    let starts = ran
        .told()
        .iter()
        .filter(|line| line.starts_with("start n/a"))
        .count();
    assert_eq!(starts, 3);
}

#[test]
fn fail_fast_drains_nested_runs() {
    let slow = plan(
        "slow",
        [
            step("goes-on").with(json!({"wait": 50})),
            step("later").needs("goes-on"),
            step("cleans").finally().with(json!({"wait": 5})),
        ],
    );
    let middle = plan("middle", [nested("n", "slow"), step("tail").needs("n")]);
    let outer = plan(
        "p",
        [
            nested("m", "middle"),
            step("fails").with(json!({"wait": 10, "fail": ["failed", 9]})),
        ],
    );
    let world = World::new(4).knows([slow, middle]);
    let ran = world.clone().fail_fast().run(&outer);
    assert_eq!(ran.statuses(), "m failed, fails failed");
    assert_eq!(ran.took, ms(55));
    let told = ran.told();
    for want in [
        "end m/n/goes-on completed",
        "end m/n/later blocked",
        "end m/n/cleans completed",
        "end m/tail blocked",
    ] {
        assert!(told.contains(&want.to_owned()), "{want}: {told:#?}");
    }
    let patient = world.run(&outer);
    assert_eq!(patient.statuses(), "m completed, fails failed");
}

#[test]
fn fail_fast_applies_to_nested_runs() {
    let inner = plan(
        "inner",
        [
            step("fails").with(json!({"fail": ["failed", 9]})),
            step("slow").with(json!({"wait": 10})),
            step("later").needs("slow"),
        ],
    );
    let outer = plan("p", [nested("n", "inner").goes_on(), step("z").needs("n")]);
    let world = World::new(4).knows([inner]);
    let ran = world.clone().fail_fast().run(&outer);
    assert!(ran.told().contains(&"end n/later blocked".to_owned()));
    // The outer run tolerates the failure of the nested run.
    assert_eq!(ran.statuses(), "n failed, z completed");
    assert!(
        world
            .run(&outer)
            .told()
            .contains(&"end n/later completed".to_owned())
    );
}

#[test]
fn nested_clean_up_not_stopped() {
    let inner = plan(
        "inner",
        [
            step("a").with(json!({"wait": 10})),
            step("b").needs("a").with(json!({"wait": 10})),
        ],
    );
    let outer = plan(
        "p",
        [
            step("fails").with(json!({"fail": ["failed", 9]})),
            nested("cleans", "inner").finally(),
            step("also").finally().with(json!({"wait": 5})),
        ],
    );
    let ran = World::new(4).knows([inner]).fail_fast().run(&outer);
    assert_eq!(
        ran.statuses(),
        "fails failed, cleans completed, also completed"
    );
}

#[test]
fn output_limit_applies_to_nested_runs() {
    let inner = plan(
        "inner",
        [step("large").with(json!({"answer": "x".repeat(100)}))],
    );
    let outer = plan("p", [nested("n", "inner")]);
    let mut world = World::new(1).knows([inner]);
    world.options.max_output_bytes = 100;
    let ran = world.run(&outer);
    assert!(ran.told().contains(&"end n/large failed".to_owned()));
    assert_eq!(ran.statuses(), "n failed");
}
