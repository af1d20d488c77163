//! Runs in runs share the places at which steps run.

use serde_json::json;
use windlass_plan::Outcome;

use crate::support::{World, ms, nested, plan, step};

#[test]
fn runs_in_runs_never_exceed_the_limit_and_never_block_each_other() {
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
    // Every plan has 2 x 8 pieces of work and 2 more.
    for (jobs, took) in [(1, 180), (2, 90), (16, 30)] {
        let world = World::new(jobs).knows([leaf.clone(), middle.clone()]);
        let ran = world.run(&outer);
        assert_eq!(ran.result.outcome, Outcome::Completed, "{jobs}");
        assert!(
            ran.most_at_once <= jobs,
            "{} with {jobs} jobs",
            ran.most_at_once
        );
        assert!(ran.took >= ms(took), "{:?} with {jobs} jobs", ran.took);
        assert!(jobs > 1 || ran.took == ms(took), "{:?}", ran.took);
        assert_eq!(
            ran.output("m")["statuses"],
            json!(["completed"; 4].to_vec())
        );
    }
}

#[test]
fn a_run_nested_deep_gets_by_with_one_place() {
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
    assert_eq!(ran.took, ms(1 << 7));
}

#[test]
fn waiting_for_a_place_does_not_count_against_a_time_limit() {
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
    let ran = World::new(1).knows([inner]).run(&outer);
    assert_eq!((ran.result.outcome, ran.took), (Outcome::Completed, ms(50)));
}

#[test]
fn a_nested_step_can_be_tried_again() {
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
