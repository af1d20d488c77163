use serde_json::json;

use super::client::text;
use super::{ERAS, anchored, client};

#[test]
fn what_was_decided_is_recalled_with_its_place() {
    for era in ERAS {
        let sandbox = anchored();
        sandbox.windlass(&["memory", "init"]).succeeds();
        sandbox
            .windlass(&[
                "memory",
                "remember",
                "decision",
                "Requests are limited per minute",
                "--text",
                "A token bucket was too hard to explain to callers.",
            ])
            .succeeds();
        let mut client = client(&sandbox, era);
        let limit = 3_000;
        let result = client.tool(
            "recall",
            json!({ "query": "why are requests limited per minute?", "max_chars": limit }),
        );
        let data = &result["structuredContent"];
        let first = &data["matches"][0];
        assert_eq!(
            first["title"], "Requests are limited per minute",
            "{result}"
        );
        assert!(text(&result).contains("token bucket"), "{}", text(&result));
        assert!(data.to_string().chars().count() <= limit);
        assert!(text(&result).chars().count() <= limit);
        // No command is named to somebody who has no shell.
        assert_eq!(data["next_actions"], json!([]), "{data}");
    }
}

#[test]
fn without_a_memory_it_is_said_how_to_begin_one() {
    let sandbox = anchored();
    let mut client = client(&sandbox, super::Era::Sessions);
    let result = client.tool("recall", json!({ "query": "limits" }));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("memory"), "{}", text(&result));
    let wrong = client.tool("recall", json!({}));
    assert!(
        text(&wrong).contains("`query` is missing"),
        "{}",
        text(&wrong)
    );
}
