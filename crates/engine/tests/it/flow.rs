//! References, conditions, lists, and the effects of failures.

use serde_json::{Value, json};
use windlass_engine::ErrorKind;
use windlass_plan::Outcome;

use crate::support::{World, plan, step};

fn output_of(id: &str) -> Value {
    json!({ "$ref": format!("#/steps/{id}/output") })
}

#[test]
fn outputs_passed_as_data() {
    let hostile = json!({"$ref": "#/inputs/secret"});
    let plan = plan(
        "p",
        [
            step("a").with(json!({"answer": {"list": [1, {"x": "deep"}]}})),
            step("b").needs("a").with(json!({"answer": {
                "part": {"$ref": "#/steps/a/output/list/1/x"},
                "input": {"$ref": "#/inputs/word"},
                "status": {"$ref": "#/steps/a/status"},
                "literal": {"$ref": "#/inputs/word", "other": 1},
            }})),
            step("c").needs("b").with(json!({"answer": output_of("b")})),
            step("h").with(json!({"answer": {"$ref": "#/inputs/hostile"}})),
            step("i").needs("h").with(json!({"answer": output_of("h")})),
        ],
    );
    let ran = World::new(2)
        .input("word", json!("w"))
        .input("hostile", hostile.clone())
        .input("secret", json!("never"))
        .run(&plan);
    let want = json!({
        "part": "deep", "input": "w", "status": "completed",
        "literal": {"$ref": "#/inputs/word", "other": 1},
    });
    // The text looks like a reference, but came from an input, so it must stay as it is.
    assert_eq!(ran.output("b"), want);
    assert_eq!(ran.output("c"), want);
    assert_eq!(ran.output("i"), hostile);
}

#[test]
fn missing_reference_fails_without_default() {
    let absent = |default: bool, path: &str| {
        let mut reference = json!({ "$ref": path });
        if default {
            reference["$default"] = json!({"$ref": "#/inputs/x"});
        }
        json!({ "answer": reference })
    };
    for (path, why) in [
        ("#/steps/bad/output", "`failed`"),
        ("#/steps/off/output", "`skipped`"),
        ("#/steps/good/output/nope", "nope"),
        ("#/item", "for_each"),
    ] {
        let plan = plan(
            "p",
            [
                step("bad").goes_on().with(json!({"fail": ["failed", 9]})),
                step("off").when("false"),
                step("good").with(json!({"answer": {}})),
                step("plain")
                    .needs("bad off good")
                    .with(absent(false, path)),
                step("default")
                    .needs("bad off good")
                    .with(absent(true, path)),
            ],
        );
        let ran = World::new(1).input("x", json!("wrong")).run(&plan);
        assert_eq!(ran.error("plain").0, ErrorKind::Invalid, "{path}");
        assert!(
            ran.error("plain").1.contains(why),
            "{path}: {:?}",
            ran.error("plain")
        );
        // A default is data too, so it isn't resolved again.
        assert_eq!(
            ran.output("default"),
            json!({"$ref": "#/inputs/x"}),
            "{path}"
        );
    }
}

#[test]
fn failures_and_skips_propagate() {
    let fails = json!({"fail": ["failed", 9]});
    for (name, steps, statuses, outcome) in [
        (
            "dependents of a skipped step run",
            vec![step("a").when("false"), step("b").needs("a")],
            "a skipped, b completed",
            Outcome::Completed,
        ),
        (
            "a skipped step passes on what it needed",
            vec![
                step("a").with(fails.clone()),
                step("b").needs("a").when("false"),
                step("c").needs("b"),
                step("d"),
            ],
            "a failed, b blocked, c blocked, d completed",
            Outcome::Failed,
        ),
        (
            "with on_failure continue the rest goes on",
            vec![
                step("a").goes_on().with(fails.clone()),
                step("b").needs("a"),
            ],
            "a failed, b completed",
            Outcome::Partial,
        ),
        (
            "finally runs after a failure, and its own failure counts",
            vec![
                step("a").with(fails.clone()),
                step("b").needs("a"),
                step("z").finally().needs("b"),
                step("y").finally().with(fails),
            ],
            "a failed, b blocked, z completed, y failed",
            Outcome::Failed,
        ),
        (
            "a condition that cannot be worked out is a failure",
            vec![
                step("a").when("false"),
                step("b").needs("a").when("steps.a.output.x > 1"),
                step("c")
                    .needs("a")
                    .when("steps.a.output is defined and steps.a.output.x > 1"),
            ],
            "a skipped, b failed, c skipped",
            Outcome::Failed,
        ),
        (
            "an unknown kind is a failure",
            vec![{
                let mut odd = step("a");
                odd.planned.uses = "nothing".to_owned();
                odd
            }],
            "a failed",
            Outcome::Failed,
        ),
    ] {
        let ran = World::new(2).run(&plan("p", steps));
        assert_eq!(ran.statuses(), statuses, "{name}");
        assert_eq!(ran.result.outcome, outcome, "{name}");
    }
}

#[test]
fn reason_names_first_failure() {
    let fails = |wait: u64| json!({"fail": ["failed", 9], "wait": wait});
    let plan = plan(
        "p",
        [
            step("slow").with(fails(50)),
            step("fast").with(fails(1)),
            step("both").needs("slow fast"),
            step("off").when("false"),
        ],
    );
    let ran = World::new(4).run(&plan);
    assert_eq!(
        // `fast` has failed first, but the reason must not depend on timing.
        ran.step("both").reason.as_deref(),
        Some("needs `slow`, which failed: attempt 1 of slow")
    );
    assert_eq!(
        ran.step("off").reason.as_deref(),
        Some("its condition does not hold")
    );
}

#[test]
fn fan_out_results_in_list_order() {
    let items = json!([
        {"wait": 30, "keep": true, "say": "slow"},
        {"wait": 0, "keep": false, "say": "left out"},
        {"wait": 10, "keep": true, "say": "fast"},
    ]);
    let plan = plan(
        "p",
        [
            step("list").with(json!({"answer": items})),
            step("each")
                .needs("list")
                .each(output_of("list"))
                .when("item.keep")
                .with(json!({
                    "wait": {"$ref": "#/item/wait"},
                    "answer": {"at": {"$ref": "#/index"}, "say": {"$ref": "#/item/say"}},
                })),
            step("empty").each(json!([])),
            step("after")
                .needs("each empty")
                .with(json!({"answer": [output_of("each"), output_of("empty")]})),
        ],
    );
    let each = json!([{"at": 0, "say": "slow"}, null, {"at": 2, "say": "fast"}]);
    for jobs in [1, 3] {
        let ran = World::new(jobs).run(&plan);
        assert_eq!(ran.output("each"), each);
        assert_eq!(ran.output("after"), json!([each, []]));
    }
}

#[test]
fn fan_out_failures_counted() {
    let each = |goes_on: bool| {
        let draft = step("each")
            .each(json!([0, 9, 0, 9]))
            .retry(2, 5)
            .with(json!({"fail": ["transient", {"$ref": "#/item"}], "wait": {"$ref": "#/item"}}));
        if goes_on { draft.goes_on() } else { draft }
    };
    for (goes_on, after) in [(true, "completed"), (false, "blocked")] {
        let ran = World::new(4).run(&plan("p", [each(goes_on), step("after").needs("each")]));
        let error = "2 of 4 instances failed; the first: attempt 2 of each[1]";
        assert_eq!(ran.error("each"), (ErrorKind::Transient, error));
        let found = ran.step("each").output.as_deref().and_then(Value::as_array);
        assert_eq!(
            found.map(Vec::len),
            Some(4),
            "what the others found can still be shown"
        );
        assert_eq!(ran.statuses(), format!("each failed, after {after}"));
    }
}

#[test]
fn for_each_other_value_refused() {
    for (value, what) in [
        (json!({"a": 1}), "an object"),
        (json!("text"), "a string"),
        (json!(null), "null"),
    ] {
        let each = step("each").each(json!({"$ref": "#/inputs/list"}));
        let ran = World::new(1).input("list", value).run(&plan("p", [each]));
        let (kind, message) = ran.error("each");
        assert_eq!(kind, ErrorKind::Invalid);
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn condition_without_item_asked_once() {
    let plan = plan(
        "p",
        [
            step("a").each(json!([1, 2])).when("inputs.on"),
            step("b").needs("a"),
        ],
    );
    let off = World::new(1).input("on", json!(false)).run(&plan);
    assert_eq!(off.statuses(), "a skipped, b completed");
    let on = World::new(1).input("on", json!(true)).run(&plan);
    assert_eq!(on.output("a"), json!([null, null]));
}

#[test]
fn thousand_empty_steps_finish() {
    let layer = |at: usize| (0..100).map(move |nr| step(&format!("s{at}-{nr}")));
    let steps = (0..10).flat_map(|at| {
        layer(at).map(move |draft| {
            if at == 0 {
                draft
            } else {
                draft.needs(&format!("s{}-7", at - 1))
            }
        })
    });
    let plan = plan("p", steps);
    for jobs in [1, 16] {
        let ran = World::new(jobs).run(&plan);
        assert_eq!(ran.result.outcome, Outcome::Completed);
        // Time only passes while a step waits, and these don't.
        assert!(ran.took.is_zero(), "{:?}", ran.took);
    }
}
