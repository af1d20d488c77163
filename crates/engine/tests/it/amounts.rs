//! Size limits for single and total inputs and outputs. Results mustn't depend on `--jobs`.

use serde_json::{Value, json};
use windlass_engine::{ErrorKind, RunResult};
use windlass_plan::{Outcome, Plan};

use crate::support::{World, nested, plan, step};

/// Runs `plan` with several job counts and delays, and checks that all results are equal, because a
/// limit must not depend on the order in which the steps happen to end.
fn in_any_order(plan: &Plan, world: &World) -> RunResult {
    let mut results: Vec<RunResult> = Vec::new();
    for (jobs, delays) in [
        (1, vec![]),
        (2, vec![3, 1]),
        (7, vec![1, 5, 2]),
        (16, vec![9, 0, 4, 7]),
    ] {
        let mut world = world.clone();
        world.options.jobs = jobs.try_into().unwrap();
        world.delays = delays;
        results.push(world.run(plan).result);
    }
    for result in &results[1..] {
        assert_eq!(result, &results[0]);
    }
    results.swap_remove(0)
}

fn error<'a>(result: &'a RunResult, id: &str) -> (ErrorKind, &'a str) {
    let error = result.step(id).unwrap().error.as_ref().unwrap();
    (error.kind, &error.message)
}

fn statuses(result: &RunResult) -> Vec<&str> {
    let steps = result.steps.iter();
    steps.map(|step| step.status.as_str()).collect()
}

/// A text of exactly `bytes` bytes as JSON.
fn text(bytes: usize) -> Value {
    json!("x".repeat(bytes - 2))
}

#[test]
fn input_total_size_limited() {
    let of = |count: usize| {
        let answer = vec![json!({ "$ref": "#/steps/a/output" }); count];
        let steps = [
            step("a").with(json!({ "answer": text(100) })),
            step("b").needs("a").with(json!({ "answer": answer })),
        ];
        let mut world = World::new(1);
        world.options.max_input_bytes = 300;
        in_any_order(&plan("p", steps), &world)
    };
    assert_eq!(statuses(&of(3)), ["completed", "completed"]);
    let result = of(4);
    let message = "with `#/steps/a/output` its input is larger than the limit of 300 bytes";
    assert_eq!(error(&result, "b"), (ErrorKind::TooLarge, message));
    assert!(
        result
            .step("b")
            .unwrap()
            .error
            .as_ref()
            .unwrap()
            .help
            .is_some()
    );
}

#[test]
fn fan_out_list_size_limited() {
    let of = |items: Vec<Value>| {
        let each = json!({ "$ref": "#/steps/a/output" });
        let steps = [
            step("a").with(json!({ "answer": items })),
            step("b").needs("a").each(each),
        ];
        let mut world = World::new(1);
        (world.options.max_input_bytes, world.options.max_instances) = (300, 5);
        in_any_order(&plan("p", steps), &world)
    };
    assert_eq!(statuses(&of(vec![text(50); 5])), ["completed", "completed"]);
    let message = "its `for_each` has 6 items, more than the limit of 5";
    let many = of(vec![json!(1); 6]);
    assert_eq!(error(&many, "b"), (ErrorKind::TooLarge, message));
    let message = "with `#/steps/a/output` its input is larger than the limit of 300 bytes";
    let large = of(vec![text(100); 3]);
    assert_eq!(error(&large, "b"), (ErrorKind::TooLarge, message));
}

#[test]
fn fan_out_total_output_limited() {
    let of = |sizes: &[usize]| {
        let items: Vec<Value> = sizes.iter().map(|size| text(*size)).collect();
        let with = json!({ "answer": { "$ref": "#/item" } });
        let steps = [
            step("a").each(json!(items)).with(with).goes_on(),
            step("b").needs("a"),
        ];
        let mut world = World::new(1);
        world.options.max_output_bytes = 300;
        in_any_order(&plan("p", steps), &world)
    };
    // The total includes a comma per output, and the brackets.
    let fits = of(&[99, 20, 177]);
    assert_eq!(statuses(&fits), ["completed", "completed"]);
    let gathered = fits.step("a").unwrap().output.as_deref().unwrap();
    assert_eq!(*gathered, json!([text(99), text(20), text(177)]));
    let large = of(&[99, 20, 10, 179, 5]);
    let message = "the total output of its 5 instances exceeds the limit of 300 bytes";
    assert_eq!(error(&large, "a"), (ErrorKind::TooLarge, message));
    assert_eq!(large.step("a").unwrap().output, None);
    assert_eq!(statuses(&large), ["failed", "completed"]);
}

#[test]
fn run_memory_exceeded_fails_run() {
    let of = |count: usize| {
        let large = |at| step(&format!("s{at}")).goes_on();
        let steps = (0..count).map(|at| large(at).with(json!({ "answer": text(1000) })));
        let mut world = World::new(1);
        world.options.max_run_memory = 10 << 10;
        in_any_order(&plan("p", steps.collect::<Vec<_>>()), &world)
    };
    assert_eq!(of(8).outcome, Outcome::Completed);
    let result = of(30);
    assert_eq!(result.outcome, Outcome::Failed);
    for at in 0..30 {
        let (kind, message) = error(&result, &format!("s{at}"));
        assert_eq!(kind, ErrorKind::TooLarge);
        assert!(
            message.contains("more memory than the limit of 0 MiB"),
            "{message}"
        );
    }
    // Which steps had completed by then depends on timing, so none of them shows its output.
    assert!(result.steps.iter().all(|step| step.output.is_none()));
}

#[test]
fn run_memory_counts_nested_runs() {
    let large = step("large").with(json!({ "answer": text(1000) }));
    let inner = plan("inner", [large]);
    let of = |runs: usize, memory: usize| {
        let list = json!(vec![Value::Null; runs]);
        let outer = plan("p", [nested("n", "inner").each(list)]);
        let mut world = World::new(1).knows([inner.clone()]);
        world.options.max_run_memory = memory;
        in_any_order(&outer, &world).outcome
    };
    assert_eq!(of(5, 20 << 10), Outcome::Completed);
    assert_eq!(of(20, 20 << 10), Outcome::Failed);
    // Fifty instances are charged 1 KiB each, even though their outputs are tiny.
    let many = plan("p", [step("a").each(json!(vec![0; 50]))]);
    let mut world = World::new(1);
    world.options.max_run_memory = 50 << 10;
    assert_eq!(in_any_order(&many, &world).outcome, Outcome::Failed);
    world.options.max_run_memory = 70 << 10;
    assert_eq!(in_any_order(&many, &world).outcome, Outcome::Completed);
}
