//! The MCP server as seen by a client: the real command, over pipes, in both protocol versions.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod agent;
mod client;
mod client_health;
#[cfg(unix)]
mod client_hooks;
mod context;
mod hostile;
mod http;
mod notebook;
mod offered_roots;
mod packs;
mod recall;
mod resources;
mod roots;
mod set_up;
#[path = "../support/mod.rs"]
mod support;
mod work;

use client::{Client, Era};
use serde_json::{Value, json};
use support::Sandbox;

const ERAS: [Era; 2] = [Era::Sessions, Era::Stateless];

/// Creates a repository with two anchors and a runbook that shows both.
fn anchored() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("src/routes.rs", support::numbered(1, 60));
    sandbox.write(
        "docs/limits.md",
        "# Limits\n\nAt most 100 requests a minute.\nErrors are 429.\n",
    );
    sandbox.write(
        "runbooks/api.yaml",
        "schema_version: 1\nid: api\ntitle: API\ninputs:\n  focus: { type: string, default: src }\n\
         steps:\n  - { id: anchors, uses: anchors, with: { ids: [routes, limits] } }\n\
         outputs:\n  - { id: anchors, title: Anchors, from: anchors }\n",
    );
    sandbox.commit("first");
    for (id, place) in [
        ("routes", "src/routes.rs:10-14"),
        ("limits", "docs/limits.md:3-4"),
    ] {
        sandbox.windlass(&["anchor", "add", id, place]).succeeds();
    }
    sandbox
}

fn client(sandbox: &Sandbox, era: Era) -> Client {
    Client::start(sandbox.command(sandbox.root(), &["mcp"]), era)
}

#[test]
fn tool_list_is_the_same_for_all() {
    let sandbox = anchored();
    let lists = ERAS.map(|era| {
        let mut client = client(&sandbox, era);
        let first = client.request("tools/list", json!({}));
        assert_eq!(first, client.request("tools/list", json!({})));
        first["tools"].clone()
    });
    assert_eq!(lists[0], lists[1]);
    let names = lists[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"]);
    assert_eq!(names.into_iter().next().unwrap(), "runbook_pack");
}

#[test]
fn each_version_is_answered_in_kind() {
    let sandbox = anchored();
    let session = client(&sandbox, Era::Sessions);
    assert_eq!(session.welcome["protocolVersion"], "2025-11-25");
    assert_eq!(session.welcome["serverInfo"]["name"], "windlass");
    assert!(session.welcome["instructions"].as_str().unwrap().len() <= 2_048);
    let mut stateless = client(&sandbox, Era::Stateless);
    let versions = &stateless.welcome["supportedVersions"];
    assert!(
        versions.as_array().unwrap().contains(&json!("2026-07-28")),
        "{versions}"
    );
    let list = stateless.request("tools/list", json!({}));
    assert_eq!(list["resultType"], "complete");
    assert!(
        list["ttlMs"].is_u64() && list["cacheScope"] == "public",
        "{list}"
    );
    assert_eq!(stateless.leave(), Some(0));
    assert_eq!(session.leave(), Some(0));
}

fn next_calls(value: &Value) -> Vec<(String, Value)> {
    let calls = value["next_actions"].as_array().into_iter().flatten();
    calls
        .map(|call| {
            (
                call["tool"].as_str().unwrap().to_owned(),
                call["args"].clone(),
            )
        })
        .collect()
}

#[test]
fn next_actions_can_be_sent_unchanged() {
    for era in ERAS {
        let sandbox = anchored();
        let mut lines = support::numbered(1, 60);
        lines.insert_str(0, "// a new first line\n");
        sandbox.write("src/routes.rs", lines);
        sandbox.edit(
            "docs/limits.md",
            "At most 100 requests a minute.\nErrors are 429.\n",
            "",
        );
        let mut client = client(&sandbox, era);
        let mut open = vec![
            (
                "runbook_pack".to_owned(),
                json!({ "runbook": "api", "mode": "full" }),
            ),
            ("notebook_pack".to_owned(), json!({})),
            (
                "notebook_suggest".to_owned(),
                json!({ "action": "preview", "max_chars": 1000 }),
            ),
        ];
        let mut made = Vec::new();
        // Follow all next actions, including those of the answers to earlier ones.
        while let Some((tool, arguments)) = open.pop() {
            if made.contains(&(tool.clone(), arguments.clone())) || made.len() > 40 {
                continue;
            }
            let result = client.tool(&tool, arguments.clone());
            let code = &result["structuredContent"]["error"]["code"];
            assert_ne!(code, "invalid", "{tool} {arguments}: {result}");
            assert_ne!(code, "internal", "{tool} {arguments}: {result}");
            open.extend(next_calls(&result["structuredContent"]));
            made.push((tool, arguments));
        }
        let tools: Vec<&str> = made.iter().map(|(tool, _)| tool.as_str()).collect();
        assert!(tools.contains(&"anchor_repair"), "{tools:?}");
    }
}
