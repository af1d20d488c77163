use serde_json::json;

use super::client::text;
use super::{ERAS, anchored, client};

#[test]
fn decision_is_recalled_with_location() {
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
        // A client without a shell gets no shell commands.
        assert_eq!(data["next_actions"], json!([]), "{data}");
    }
}

#[test]
fn recall_searches_all_sources() {
    let sandbox = anchored();
    sandbox.windlass(&["memory", "init"]).succeeds();
    let text = "Callers asked for it.";
    let title = "Limits are counted per minute";
    sandbox
        .windlass(&["memory", "remember", "decision", title, "--text", text])
        .succeeds();
    let when = "2026-01-02T03:04:05Z";
    let playbook = json!({
        "vContextInfo": { "version": "0.4" },
        "playbook": { "version": 1, "created": when, "updated": when, "items": [] }
    });
    sandbox.write("playbook.json", playbook.to_string());
    let mut client = client(&sandbox, super::Era::Sessions);
    let learned = json!({
        "action": "append", "file": "playbook.json", "target": "raise-limits-slowly", "kind": "rule",
        "title": "Raise limits slowly", "text": "Limits are raised by a tenth at most."
    });
    client.data("document", learned);
    let found = client.data("recall", json!({ "query": "which limits are there?" }));
    let sources = |id: &str| {
        let matches = found["matches"].as_array().unwrap();
        let one = matches.iter().find(|one| one["id"] == id);
        one.unwrap_or_else(|| panic!("{id}: {found}"))["sources"].clone()
    };
    assert_eq!(sources("limits-are-counted-per-minute"), json!(["memory"]));
    assert_eq!(sources("limits"), json!(["notebook"]));
    assert_eq!(sources("raise-limits-slowly"), json!(["playbook"]));
}

#[test]
fn missing_memory_names_shell_command() {
    let sandbox = anchored();
    let mut client = client(&sandbox, super::Era::Sessions);
    let found = client.tool("recall", json!({ "query": "limits" }));
    let data = &found["structuredContent"];
    assert_eq!(data["matches"][0]["id"], "limits", "{found}");
    let said = data["diagnostics"][0].as_str().unwrap();
    // Only a person can create a memory.
    assert!(
        said.contains("`windlass memory init` (in a shell: ask"),
        "{said}"
    );
    assert_eq!(data["next_actions"], json!([]));
    let wrong = client.tool("recall", json!({}));
    assert!(
        text(&wrong).contains("`query` is missing"),
        "{}",
        text(&wrong)
    );
}

#[test]
fn invalid_match_count_is_named() {
    let sandbox = anchored();
    let mut client = client(&sandbox, super::Era::Sessions);
    for matches in [-1, 0] {
        let arguments = json!({ "query": "limits", "matches": matches });
        let refused = client.tool("recall", arguments);
        assert_eq!(refused["isError"], true, "{refused}");
        let told = format!("`matches`: expected a number of at least 1, found {matches}");
        assert!(text(&refused).contains(&told), "{refused}");
    }
    let one = json!({ "query": "which limits are there?", "matches": 1 });
    assert_eq!(client.tool("recall", one)["isError"], json!(false));
    // Values that the tool doesn't check itself are named too.
    let arguments = json!({ "operations": [], "if_revision": -1 });
    let refused = client.tool("notebook_edit", arguments);
    assert!(text(&refused).contains("`if_revision`: "), "{refused}");
}
