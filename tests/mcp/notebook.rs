use serde_json::json;

use super::client::{Era, text};
use super::{ERAS, anchored, client, next_calls};

#[test]
fn anchors_are_saved_shown_and_undone() {
    for era in ERAS {
        let sandbox = anchored();
        let mut client = client(&sandbox, era);
        let anchor = json!({ "id": "errors", "at": "docs/limits.md:4", "label": "Errors", "kind": "contract" });
        let operations = json!([{ "op": "upsert_anchor", "anchor": anchor }]);
        let tried = client.data(
            "notebook_edit",
            json!({ "operations": operations, "dry_run": true }),
        );
        assert_eq!(tried["anchors"], json!({ "errors": "added" }));
        assert_eq!(client.data("notebook_pack", json!({}))["revision"], 2);
        let saved = client.data("notebook_edit", json!({ "operations": operations }));
        assert_eq!(saved["revision"], 3);
        let list = client.data("notebook_pack", json!({ "kinds": ["contract"] }));
        assert_eq!(list["anchors"][0]["id"], "errors", "{list}");
        // A finished edit proposes no next call. If it proposed the undo, an agent following
        // proposals would revert its own work.
        assert_eq!(next_calls(&saved), []);
        let undo = &saved["undo"];
        client.data(undo["tool"].as_str().unwrap(), undo["args"].clone());
        let list = client.data("notebook_pack", json!({ "kinds": ["contract"] }));
        assert_eq!(list["anchors"], json!([]));
    }
}

#[test]
fn edit_is_all_or_nothing() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let operations = json!([
        { "op": "upsert_anchor", "anchor": { "id": "good", "at": "docs/limits.md:1" } },
        { "op": "upsert_anchor", "anchor": { "id": "bad", "at": "docs/limits.md:99" } }
    ]);
    let result = client.tool("notebook_edit", json!({ "operations": operations }));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("99"), "{}", text(&result));
    assert_eq!(client.data("notebook_pack", json!({}))["revision"], 2);
    let stale =
        json!({ "operations": [{ "op": "delete_anchor", "id": "routes" }], "if_revision": 1 });
    let result = client.tool("notebook_edit", stale);
    assert_eq!(
        result["structuredContent"]["error"]["code"], "conflict",
        "{result}"
    );
}

#[test]
fn edit_is_reported_in_any_budget() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let anchor = |nr: u32| json!({ "op": "upsert_anchor", "anchor": { "id": format!("anchor-{nr}"), "at": "src/routes.rs:1-3" } });
    let operations: Vec<_> = (0..200).map(anchor).collect();
    let small = client.tool(
        "notebook_edit",
        json!({ "operations": operations, "max_chars": 100 }),
    );
    assert_eq!(small["structuredContent"]["error"]["code"], "invalid");
    let saved = client.tool(
        "notebook_edit",
        json!({ "operations": operations, "max_chars": 1000 }),
    );
    assert_ne!(saved["isError"], true, "{saved}");
    assert!(text(&saved).chars().count() <= 1_000);
    let data = &saved["structuredContent"];
    assert!(data.to_string().chars().count() <= 1_000);
    assert_eq!(
        (&data["revision"], &data["cut"]),
        (&json!(3), &json!(["anchors"]))
    );
    assert_eq!(data["undo"]["tool"], "notebook_suggest");
}

#[test]
fn suggestions_are_applied_and_undone() {
    let sandbox = anchored();
    sandbox.write(
        "Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"0.1.0\"\n",
    );
    sandbox.write("src/main.rs", "fn main() {\n    println!(\"x\");\n}\n");
    sandbox.commit("more");
    let mut client = client(&sandbox, Era::Stateless);
    let seen = client.data("notebook_suggest", json!({ "action": "preview" }));
    assert!(seen["total"].as_u64().unwrap() > 0);
    let (tool, apply) = next_calls(&seen)
        .into_iter()
        .find(|(_, call)| call["action"] == "apply")
        .unwrap();
    let saved = client.data(&tool, apply);
    assert_eq!(saved["before"], 2);
    for (tool, call) in next_calls(&saved) {
        client.data(&tool, call);
    }
    let undo = saved["undo"]["args"].clone();
    assert_eq!(undo, json!({ "action": "rollback", "revision": 2 }));
    client.data("notebook_suggest", undo);
    let wrong = client.tool("notebook_suggest", json!({ "action": "rollback" }));
    assert!(
        text(&wrong).contains("`rollback` needs `revision`"),
        "{}",
        text(&wrong)
    );
}

#[test]
fn clone_imports_shared_anchors() {
    let sandbox = anchored();
    sandbox.windlass(&["notebook", "export"]).succeeds();
    sandbox.commit("anchors");
    let clone = sandbox.cloned();
    let mut client = client(&clone, Era::Sessions);
    let checked = client.data("anchor", json!({ "action": "check" }));
    let calls = next_calls(&checked).into_iter();
    let import = calls
        .filter(|(tool, _)| tool == "notebook_suggest")
        .find(|(_, args)| args["action"] == "import");
    let (tool, args) = import.unwrap_or_else(|| panic!("{checked}"));
    let taken = client.data(&tool, args);
    assert_eq!(taken["entries"].as_array().unwrap().len(), 2, "{taken}");
    assert_eq!(taken["undo"]["args"]["action"], "rollback", "{taken}");
    let checked = client.data("anchor", json!({ "action": "check" }));
    assert_eq!(next_calls(&checked), []);
}
