use serde_json::json;

use super::*;

#[test]
fn cooked_step_json_omits_defaults() {
    let step = json!({
        "id": "loop.iter2.build",
        "title": "Build",
        "needs": [{ "step": "loop.iter1.test", "kind": "loop" }],
        "waits_for": { "mode": "any", "of": ["survey"] },
        "gates": [
            { "type": "timer", "duration": "5m", "timeout": "1h" },
            { "type": "condition", "condition": {
                "text": "review.output.ok == true",
                "looks_at": { "what": "steps", "steps": ["review"],
                    "test": { "output": ["ok"], "op": "==", "value": "true" } },
            } },
        ],
        "acceptance": [{ "prose": "it builds" }, { "command": ["cargo", "build"] }],
        "retry": { "max_attempts": 3 },
        "origin": { "source": 0, "line": 7, "via": [{ "loop": { "step": "loop", "iteration": 2 } }] },
    });
    let read: CookedStep = serde_json::from_value(step.clone()).unwrap();
    assert_eq!(read.needs[0].kind, NeedKind::Loop);
    assert_eq!(serde_json::to_value(&read).unwrap(), step);
}
