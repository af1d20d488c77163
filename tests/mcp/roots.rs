use serde_json::json;

use super::client::{Client, Era, text};
use super::support::Sandbox;
use super::{anchored, client};

#[test]
fn call_with_root_uses_that_notebook() {
    let (here, there) = (anchored(), Sandbox::git());
    there.write("a.txt", "x\n").commit("first");
    let mut client = client(&here, Era::Sessions);
    let root = there.root().to_str().unwrap();
    let list = client.data("notebook_pack", json!({ "root": root }));
    assert_eq!(list["anchors"], json!([]), "{list}");
    let anchor = json!([{ "op": "upsert_anchor", "anchor": { "id": "a", "at": "a.txt:1" } }]);
    let saved = client.data(
        "notebook_edit",
        json!({ "root": root, "operations": anchor }),
    );
    // The undo call names the same repository.
    assert_eq!(saved["undo"]["args"]["root"], root);
    let own = client.data("notebook_pack", json!({}));
    let ids: Vec<_> = own["anchors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, ["routes", "limits"]);
}

#[test]
fn server_with_root_serves_no_other() {
    let (here, there) = (anchored(), anchored());
    let root = here.root().to_str().unwrap();
    let command = here.command(there.root(), &["mcp", "--root", root]);
    let mut client = Client::start(command, Era::Stateless);
    client.data("runbook_pack", json!({ "runbook": "api" }));
    client.data("runbook_pack", json!({ "runbook": "api", "root": root }));
    let other = there.root().to_str().unwrap();
    let refused = client.tool("runbook_pack", json!({ "runbook": "api", "root": other }));
    assert_eq!(
        refused["structuredContent"]["error"]["code"], "refused",
        "{refused}"
    );
}

#[test]
fn relative_root_is_the_repository_around() {
    let sandbox = anchored();
    let inner = sandbox.root().join("src");
    let mut client = Client::start(
        sandbox.command(&inner, &["mcp", "--root", "."]),
        Era::Sessions,
    );
    client.data("runbook_pack", json!({ "runbook": "api" }));
    // A folder in the home must not stand for the home, even if that is a repository.
    let mut command = sandbox.command(&inner, &["mcp", "--root", "."]);
    command.env("HOME", sandbox.root());
    let list = Client::start(command, Era::Sessions).data("notebook_pack", json!({}));
    assert_eq!(list["anchors"], json!([]), "{list}");
}

#[test]
fn folder_without_git_is_not_served_by_root() {
    let (here, folder) = (anchored(), Sandbox::folder());
    folder.write("private.txt", "nobody's business\n");
    let mut client = client(&here, Era::Sessions);
    let root = folder.root().to_str().unwrap();
    let refused = client.tool(
        "notebook_suggest",
        json!({ "action": "preview", "root": root }),
    );
    assert_eq!(
        refused["structuredContent"]["error"]["code"], "refused",
        "{refused}"
    );
    assert!(text(&refused).contains("not in a git repository"));
}

#[test]
fn read_only_server_offers_no_changes() {
    let sandbox = anchored();
    let mut client = Client::start(
        sandbox.command(sandbox.root(), &["mcp", "--read-only"]),
        Era::Sessions,
    );
    let list = client.request("tools/list", json!({}));
    for tool in list["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let id = client.send(
        "tools/call",
        json!({ "name": "notebook_edit", "arguments": { "operations": [] } }),
    );
    assert!(
        client.answer_to(id)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("is read-only")
    );
    let apply = client.tool("notebook_suggest", json!({ "action": "apply" }));
    assert_eq!(apply["isError"], true);
    assert!(text(&apply).contains("is read-only"), "{}", text(&apply));
    // The proposed next calls are available on this server.
    sandbox.write("src/routes.rs", "// new\n// lines\nfn routes() {}\n");
    let check = client.tool("anchor", json!({ "action": "check" }));
    assert!(!check.to_string().contains("anchor_repair"), "{check}");
    let listed = client.request("prompts/list", json!({}));
    assert!(!listed.to_string().contains("hand_over"), "{listed}");
}

#[test]
fn folder_that_is_no_project_is_refused() {
    let folder = Sandbox::folder();
    folder.write("private.txt", "nobody's business\n");
    let mut client = client(&folder, Era::Stateless);
    let refused = client.tool("notebook_suggest", json!({ "action": "preview" }));
    assert_eq!(
        refused["structuredContent"]["error"]["code"], "refused",
        "{refused}"
    );
    assert!(text(&refused).contains("`root`"), "{}", text(&refused));
    // A configuration file makes the folder a project.
    folder.write(".windlass/config.toml", "");
    client.data("notebook_pack", json!({}));
}

#[test]
fn actor_option_names_the_claimer() {
    let sandbox = anchored();
    let bead = json!({ "action": "create", "title": "Look", "actor": null, "priority": null });
    let claim = json!({ "action": "claim" });
    let mut named = Client::start(
        sandbox.command(sandbox.root(), &["mcp", "--actor", "al"]),
        Era::Sessions,
    );
    named.data("bead", bead.clone());
    assert_eq!(named.data("bead", claim.clone())["assignee"], "al");
    let mut command = sandbox.command(sandbox.root(), &["mcp"]);
    for name in ["BD_ACTOR", "USER", "USERNAME", "LOGNAME"] {
        command.env_remove(name);
    }
    let mut by_client = Client::start(command, Era::Stateless);
    by_client.data("bead", bead);
    assert_eq!(by_client.data("bead", claim)["assignee"], "test");
}

#[test]
fn invalid_parameter_shape_is_named() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let id = client.send("tools/call", json!({ "name": "recall", "arguments": [1] }));
    let error = client.answer_to(id)["error"].clone();
    assert_eq!(error["code"], -32602, "{error}");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("`arguments` an object"),
        "{error}"
    );
}

#[test]
fn read_only_server_starts_no_program() {
    let sandbox = anchored();
    sandbox.write(
        "runbooks/say.yaml",
        "schema_version: 1\nid: say\ntitle: S\nsteps:\n  - { id: s, uses: command, with: { argv: [sh, -c, 'echo > started'] } }\n\
         outputs: [{ id: s, from: s }]\n",
    );
    sandbox.write(
        "runbooks/outer.yaml",
        "schema_version: 1\nid: outer\ntitle: O\nsteps:\n  - { id: o, uses: runbook, with: { name: say } }\n\
         outputs: [{ id: o, from: o }]\n",
    );
    for name in ["say", "outer"] {
        sandbox.windlass(&["trust", name]).succeeds();
    }
    let started = sandbox.root().join("started");
    let only_reading = sandbox.command(sandbox.root(), &["mcp", "--read-only"]);
    let mut reader = Client::start(only_reading, Era::Sessions);
    for name in ["say", "outer"] {
        let refused = reader.tool("runbook_pack", json!({ "runbook": name }));
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(
            text(&refused).contains("no program is started, since nothing may be changed"),
            "{}",
            text(&refused)
        );
        assert!(!started.exists());
    }
    reader.data("runbook_pack", json!({ "runbook": "api" }));
    client(&sandbox, Era::Sessions).data("runbook_pack", json!({ "runbook": "outer" }));
    assert!(started.exists());
}
