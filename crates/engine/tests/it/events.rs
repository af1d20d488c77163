//! The events of a run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use windlass_engine::RunResult;
use windlass_plan::Plan;

use crate::support::{Ran, Told, World, nested, plan, step};

/// Checks the events of a run.
///
/// Every started attempt must end or be retried, and every step must end exactly once, with the
/// status in the result. An event of a nested step must be between the start and the end of the
/// outer one.
pub(crate) fn check(plan: &Plan, ran: &Ran) {
    let story = ran.told().join("\n");
    let mut running = BTreeSet::new();
    let mut ended: BTreeMap<&str, &str> = BTreeMap::new();
    for told in &ran.events {
        if let Some(path) = path_of(told)
            && let Some((outer, _)) = path.rsplit_once('/')
        {
            assert!(
                running.contains(outer),
                "`{told}` outside of {outer}:\n{story}"
            );
        }
        match told {
            Told::Start(path, _) => {
                // A nested step may start again, since the outer step may be retried.
                let again = ended.remove(path.as_str()).is_none() || path.contains('/');
                assert!(again, "{path} starts after its end:\n{story}");
                assert!(running.insert(path.as_str()), "{path} runs twice:\n{story}");
            }
            Told::Retry(path, ..) => {
                assert!(running.remove(path.as_str()), "{told}:\n{story}");
            }
            Told::End(path, status) => {
                running.remove(path.as_str());
                let before = ended.insert(path, status);
                assert!(
                    before.is_none() || path.contains('/'),
                    "{path} ends twice:\n{story}"
                );
            }
            Told::Run(_) | Told::Over(_) | Told::Fan(..) => {}
        }
    }
    assert!(running.is_empty(), "{running:?} never ended:\n{story}");
    assert_eq!(ran.events.first(), Some(&Told::Run(plan.id().to_string())));
    assert_eq!(ran.events.last(), Some(&Told::Over(plan.id().to_string())));
    let of_plan: Vec<_> = ran
        .result
        .steps
        .iter()
        .map(|step| (step.id.as_str(), step.status.as_str()))
        .collect();
    for (id, status) in of_plan {
        if is_too_large(&ran.result) {
            continue;
        }
        assert_eq!(ended.get(id), Some(&status), "{id}:\n{story}");
    }
    assert_eq!(ran.left_running, 0, "somebody still works:\n{story}");
}

/// If true, the run ended because of its memory limit, without any results of its steps.
fn is_too_large(result: &RunResult) -> bool {
    let mut errors = result.steps.iter().map(|step| step.error.as_ref());
    errors.any(|error| {
        error.is_some_and(|error| {
            error
                .message
                .contains("outputs of this run take more memory")
        })
    })
}

fn path_of(told: &Told) -> Option<&str> {
    match told {
        Told::Start(path, _) | Told::Fan(path, _) | Told::Retry(path, ..) | Told::End(path, _) => {
            Some(path)
        }
        Told::Run(_) | Told::Over(_) => None,
    }
}

#[test]
fn event_cause_precedes_effect() {
    let plan = plan(
        "p",
        [
            step("a")
                .retry(2, 10)
                .with(json!({"fail": ["transient", 9]})),
            step("b").needs("a"),
            step("c").needs("b"),
        ],
    );
    assert_eq!(
        World::new(4).run(&plan).told(),
        [
            "run p",
            "start a 1",
            "retry a 2 10ms",
            "start a 2",
            "end a failed",
            "end b blocked",
            "end c blocked",
            "over p",
        ]
    );
}

#[test]
fn events_use_step_paths() {
    let inner = plan("inner", [step("x"), step("y").needs("x")]);
    let plan = plan(
        "p",
        [
            step("a").each(json!([1, 2])).when("index == 1"),
            nested("n", "inner").needs("a").each(json!(["only"])),
        ],
    );
    assert_eq!(
        World::new(1).knows([inner]).run(&plan).told(),
        [
            "run p",
            "fan a 2",
            "end a[0] skipped",
            "start a[1] 1",
            "end a[1] completed",
            "end a completed",
            "fan n 1",
            "start n[0] 1",
            "run inner",
            "start n[0]/x 1",
            "end n[0]/x completed",
            "start n[0]/y 1",
            "end n[0]/y completed",
            "over inner",
            "end n[0] completed",
            "end n completed",
            "over p",
        ]
    );
}

#[test]
fn start_event_waits_for_slot() {
    let many = (0..5).map(|at| step(&format!("s{at}")).with(json!({"wait": 10})));
    let inner = plan("inner", many);
    let outer = plan("p", [nested("n", "inner")]);
    let told = World::new(2).knows([inner]).run(&outer).told();
    // There are two slots, so no more than two of the nested steps may be in progress at once.
    let mut at_once = 0;
    for line in told.iter().filter(|line| line.contains("n/")) {
        at_once += if line.starts_with("start") { 1 } else { -1 };
        assert!((0..=2).contains(&at_once), "{told:#?}");
    }
}
