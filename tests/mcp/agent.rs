//! An agent that knows only the server's instructions and the results of its calls.

use serde_json::{Value, json};

use super::client::{Client, Era, text};
use super::support::{self, Sandbox};
use super::{ERAS, anchored, client, next_calls};

/// An agent's session, which counts its tool calls.
struct Session {
    client: Client,
    calls: usize,
}

impl Session {
    fn begin(sandbox: &Sandbox, era: Era) -> Self {
        let client = client(sandbox, era);
        let told = client.welcome["instructions"].as_str().unwrap();
        assert!(
            told.contains("Begin a session with `runbook_pack`"),
            "{told}"
        );
        Self { client, calls: 0 }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.calls += 1;
        let result = self.client.tool(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result
    }
}

/// Returns the status and location of each piece of evidence in the pack.
fn places(pack: &Value) -> Vec<(String, String)> {
    let sections = pack["sections"].as_array().unwrap().iter();
    let items = sections.flat_map(|section| section["items"].as_array().unwrap());
    let evidence = items.flat_map(|item| item["evidence"].as_array().unwrap());
    evidence
        .map(|place| {
            let (file, line) = (place["file"].as_str().unwrap(), &place["start_line"]);
            (
                place["status"].as_str().unwrap().to_owned(),
                format!("{file}:{line}"),
            )
        })
        .collect()
}

#[test]
fn restore_takes_one_call_refresh_two() {
    for era in ERAS {
        let sandbox = anchored();
        // A new session knows nothing but the runbook's name.
        let mut session = Session::begin(&sandbox, era);
        let restored = session.call("runbook_pack", json!({ "runbook": "api" }));
        assert_eq!(session.calls, 1);
        let pack = &restored["structuredContent"];
        let fresh = |place: &str| ("fresh".to_owned(), place.to_owned());
        assert_eq!(
            places(pack),
            [fresh("src/routes.rs:10"), fresh("docs/limits.md:3")]
        );
        // The text has everything needed for the work, so the agent doesn't have to read files.
        for known in [
            "line number 10",
            "line number 14",
            "At most 100 requests a minute.",
        ] {
            assert!(
                text(&restored).contains(known),
                "{known}: {}",
                text(&restored)
            );
        }
        // The code changes in the meantime, and another session starts.
        let lines = support::numbered(1, 60);
        sandbox.write("src/routes.rs", format!("// first\n// second\n{lines}"));
        sandbox.commit("two lines more");
        let mut session = Session::begin(&sandbox, era);
        let stale = session.call("runbook_pack", json!({ "runbook": "api" }));
        let (tool, arguments) = next_calls(&stale["structuredContent"]).remove(0);
        let refreshed = session.call(&tool, arguments);
        assert_eq!(session.calls, 2);
        assert!(
            text(&refreshed).contains("+ src/routes.rs:12-16"),
            "{}",
            text(&refreshed)
        );
        sandbox.windlass(&["anchor", "check"]).succeeds();
    }
}

#[test]
fn saved_anchor_serves_next_session() {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/retry.rs", support::numbered(1, 30))
        .commit("first");
    let mut session = Session::begin(&sandbox, Era::Stateless);
    let anchor =
        json!({ "id": "retries", "at": ["src/retry.rs:5-9"], "label": "How often is tried again" });
    let runbook = json!({
        "schema_version": 1, "id": "retry", "title": "Retries",
        "steps": [{ "id": "a", "uses": "anchors", "with": { "ids": ["retries"] } }],
        "outputs": [{ "id": "a", "title": "A", "from": "a" }]
    });
    let operations = json!([
        { "op": "upsert_anchor", "anchor": anchor },
        { "op": "upsert_runbook", "runbook": runbook }
    ]);
    session.call("notebook_edit", json!({ "operations": operations }));
    let mut next = Session::begin(&sandbox, Era::Sessions);
    let restored = next.call("runbook_pack", json!({ "runbook": "retry" }));
    assert!(
        text(&restored).contains("line number 5"),
        "{}",
        text(&restored)
    );
}
