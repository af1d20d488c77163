//! Reuse of outputs in a later run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use serde_json::json;
use windlass_base::{Cancel, Digest};
use windlass_engine::{Earlier, Produced, StepOutput};
use windlass_plan::{Outcome, StepIndex};

use crate::support::{World, nested, plan, step};

/// Contains an earlier run's outputs for equal inputs, and records the calls.
struct Kept {
    produced: BTreeMap<String, Produced>,
    asked: Mutex<Vec<String>>,
}

impl Earlier for Kept {
    fn output(&self, path: &str, _: &str, input: &Digest, _: &Cancel) -> Option<StepOutput> {
        self.asked.lock().unwrap().push(path.to_owned());
        let produced = self.produced.get(path).filter(|p| p.input == *input)?;
        let mut output = StepOutput::of(&*produced.output).unwrap();
        output.notes = vec!["kept".to_owned()];
        Some(output)
    }
}

#[test]
fn earlier_outputs_reused_for_same_input() {
    let first = plan(
        "p",
        [
            step("a").with(json!({"answer": 1})),
            step("b").with(json!({"answer": 2})),
            step("each")
                .needs("a")
                .each(json!([1, 2]))
                .with(json!({"answer": {"$ref": "#/item"}})),
            nested("inner", "leaf").needs("b"),
        ],
    );
    let leaf = plan("leaf", [step("work").with(json!({"answer": 3}))]);
    let mut world = World::new(2).knows([leaf]);
    let ran = world.run(&first);
    let paths: Vec<&str> = ran.produced.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        ["a", "b", "each[0]", "each[1]", "inner", "inner/work"]
    );

    let second = plan(
        "p",
        [
            step("a").with(json!({"answer": 1})),
            step("b").with(json!({"answer": "another"})),
            step("each")
                .needs("a")
                .each(json!([2, 1, 1]))
                .with(json!({"answer": {"$ref": "#/item"}})),
        ],
    );
    let kept = Arc::new(Kept {
        produced: ran.produced,
        asked: Mutex::default(),
    });
    world.earlier = Some(Arc::clone(&kept) as Arc<dyn Earlier>);
    let again = world.run(&second);
    assert_eq!(again.output("a"), json!(1));
    assert_eq!(again.output("b"), json!("another"));
    assert_eq!(again.output("each"), json!([2, 1, 1]));
    let served = |path: &str| again.produced[path].kept;
    assert!(served("a") && !served("b"));
    // The items of the list have changed places, so each instance has another input than the one at
    // its path before.
    assert!(!served("each[0]") && !served("each[1]") && !served("each[2]"));
    assert_eq!(again.step("a").notes, ["kept"]);
    let mut asked = kept.asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(asked, ["a", "b", "each[0]", "each[1]", "each[2]"]);
}

#[test]
fn only_selected_steps_run() {
    let plan = plan(
        "p",
        [
            step("a").with(json!({"answer": 1})),
            step("b").needs("a").with(json!({"answer": 2})),
            step("c").needs("b"),
            step("last").finally(),
        ],
    );
    let mut world = World::new(2);
    world.options.only = Some(BTreeSet::from([StepIndex::new(0), StepIndex::new(1)]));
    let ran = world.run(&plan);
    assert_eq!(ran.result.outcome, Outcome::Completed);
    assert_eq!(
        ran.statuses(),
        "a completed, b completed, c skipped, last skipped"
    );
    assert_eq!(ran.step("c").reason.as_deref(), Some("not requested"));
}
