//! Conditions: equal scopes give equal answers, and a parsed condition reads back as its own text.

use serde_json::{Value, json};
use windlass_plan::{Condition, Scope, StepView};

struct Fixed {
    input: Value,
    output: Value,
}

impl Scope for Fixed {
    fn input(&self, name: &str) -> Option<&Value> {
        (name == "a").then_some(&self.input)
    }

    fn step(&self, id: &str) -> Option<StepView<'_>> {
        (id == "b").then_some(StepView {
            status: "completed",
            output: Some(&self.output),
        })
    }
}

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(condition) = Condition::parse(&text) else {
        return;
    };
    let again = Condition::parse(condition.as_str()).expect("a condition reads back");
    let scope = Fixed {
        input: json!({"n": 3, "list": [1, "x", null]}),
        output: json!(["x", 2.5, {"k": true}]),
    };
    let (one, other) = (condition.holds(&scope), again.holds(&scope));
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}
