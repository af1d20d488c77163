use serde_json::{Value, json};

use super::client::{Client, Era, text};
use super::support::{self, Sandbox};
use super::{ERAS, anchored, client, next_calls};

#[test]
fn one_call_restores_context() {
    for era in ERAS {
        let sandbox = anchored();
        let mut client = client(&sandbox, era);
        let result = client.tool("runbook_pack", json!({ "runbook": "api" }));
        assert_ne!(result["isError"], true);
        let pack = &result["structuredContent"];
        let item = &pack["sections"][0]["items"][0];
        assert_eq!(item["evidence"][0]["file"], "src/routes.rs", "{pack}");
        assert_eq!(item["evidence"][0]["status"], "fresh");
        assert!(
            text(&result).contains("line number 10"),
            "{}",
            text(&result)
        );
    }
}

#[test]
fn two_calls_refresh_subsystem() {
    let sandbox = anchored();
    sandbox.write(
        "src/routes.rs",
        format!("// new\n{}", support::numbered(1, 60)),
    );
    let mut client = client(&sandbox, Era::Sessions);
    let pack = client.data("runbook_pack", json!({ "runbook": "api" }));
    let (tool, arguments) = next_calls(&pack).remove(0);
    assert_eq!(tool, "anchor_repair");
    client.data(&tool, arguments);
    let pack = client.data("runbook_pack", json!({ "runbook": "api" }));
    let fresh = &pack["sections"][0]["items"][0]["evidence"][0];
    assert_eq!(
        (&fresh["status"], &fresh["start_line"]),
        (&json!("fresh"), &json!(11))
    );
}

/// Creates a repository with a runbook that has more to show than fits.
fn long() -> Sandbox {
    let sandbox = Sandbox::git();
    for nr in 0..40 {
        sandbox.write(&format!("src/f{nr:02}.txt"), format!("needle {nr}\n"));
    }
    sandbox.write(
        "runbooks/long.yaml",
        "schema_version: 1\nid: long\ntitle: Long\nsteps:\n  - { id: s, uses: search, with: { pattern: needle, paths: [src] } }\n\
         outputs:\n  - { id: s, title: S, from: s, limit: 100 }\n",
    );
    sandbox.commit("first");
    sandbox
}

fn all_files(pages: &[Value]) -> Vec<String> {
    let items = pages
        .iter()
        .flat_map(|page| page["sections"][0]["items"].as_array().unwrap());
    items
        .map(|item| item["evidence"][0]["file"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn cut_pack_continues_in_another_server() {
    let sandbox = long();
    let mut client_now = client(&sandbox, Era::Sessions);
    let limit = 3_000;
    let asked = json!({ "runbook": "long", "max_chars": limit });
    let mut pages = vec![client_now.data("runbook_pack", asked)];
    while let Some(cursor) = pages.last().unwrap()["sections"][0]["next_cursor"].as_str() {
        // Get each page from a new server.
        client_now = client(&sandbox, Era::Stateless);
        let result = client_now.tool(
            "runbook_pack",
            json!({ "cursor": cursor, "max_chars": limit }),
        );
        assert_ne!(result["isError"], true, "{result}");
        assert!(text(&result).chars().count() <= limit);
        let page = result["structuredContent"].clone();
        assert!(page.to_string().chars().count() <= limit);
        pages.push(page);
    }
    let files = all_files(&pages);
    let mut sorted = files.clone();
    sorted.dedup();
    assert_eq!((files.len(), sorted.len()), (40, 40), "{files:?}");
}

#[test]
fn cursor_is_bound_to_its_pack() {
    let (sandbox, other) = (long(), anchored());
    let mut client_here = client(&sandbox, Era::Sessions);
    let pack = client_here.data(
        "runbook_pack",
        json!({ "runbook": "long", "max_chars": 3000 }),
    );
    let cursor = pack["sections"][0]["next_cursor"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused = |client: &mut Client, arguments: Value| {
        let result = client.tool("runbook_pack", arguments);
        assert_eq!(result["isError"], true);
        result["structuredContent"]["error"]["code"].clone()
    };
    // The pack isn't known in another repository.
    let mut elsewhere = client(&other, Era::Sessions);
    assert_eq!(
        refused(&mut elsewhere, json!({ "cursor": cursor })),
        "not_found"
    );
    assert_eq!(
        refused(&mut client_here, json!({ "cursor": "abc" })),
        "invalid"
    );
    let both = json!({ "cursor": cursor, "runbook": "long" });
    assert_eq!(refused(&mut client_here, both), "invalid");
}

#[test]
fn limits_hold_for_text_and_data() {
    let sandbox = long();
    let mut client = client(&sandbox, Era::Sessions);
    let calls = [
        ("runbook_pack", json!({ "runbook": "long" })),
        ("notebook_pack", json!({})),
        ("notebook_suggest", json!({ "action": "preview" })),
        ("runbook_pack", json!({ "runbook": "nothing" })),
    ];
    for (tool, arguments) in calls {
        for limit in [900, 2_000, 5_000] {
            let mut arguments = arguments.clone();
            arguments["max_chars"] = json!(limit);
            let result = client.tool(tool, arguments);
            assert!(
                text(&result).chars().count() <= limit,
                "{tool} {limit}: {}",
                text(&result)
            );
            let data = result["structuredContent"].to_string();
            assert!(data.chars().count() <= limit, "{tool} {limit}: {data}");
        }
    }
}

#[test]
fn mistakes_suggest_value_and_call() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let mut error = |tool: &str, arguments: Value| {
        let result = client.tool(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"].clone()
    };
    let unknown = error("runbook_pack", json!({ "runbok": "api" }));
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("did you mean `runbook`?")
    );
    let word = error("runbook_pack", json!({ "runbook": "api", "mode": "fulll" }));
    assert!(
        word["error"]["message"]
            .as_str()
            .unwrap()
            .contains("did you mean `full`?")
    );
    let name = error("runbook_pack", json!({ "runbook": "apis" }));
    assert_eq!(name["error"]["code"], "not_found");
    assert_eq!(
        name["next_actions"][0]["args"],
        json!({ "runbook": "api" }),
        "{name}"
    );
    let input = error(
        "runbook_pack",
        json!({ "runbook": "api", "inputs": { "focsu": "x" } }),
    );
    assert!(
        input["error"]["message"]
            .as_str()
            .unwrap()
            .contains("focus"),
        "{input}"
    );
    // A client without a shell gets no shell commands.
    let list = client.data("runbook_pack", json!({}));
    assert_eq!(list["runbooks"][0]["name"], "api", "{list}");
    assert_eq!(list["next_actions"][0]["args"], json!({ "runbook": "api" }));
    for told in [unknown, word, name, input, list] {
        assert!(!told.to_string().contains("`windlass "), "{told}");
    }
}

#[test]
fn progress_is_sent_on_request() {
    let sandbox = anchored();
    let mut client = client(&sandbox, Era::Sessions);
    let call = json!({ "name": "runbook_pack", "arguments": { "runbook": "api" }, "_meta": { "progressToken": "p" } });
    let id = client.send("tools/call", call);
    let told = client.until(|message| message["method"] == "notifications/progress");
    assert_eq!(told["params"]["progressToken"], "p");
    assert!(told["params"]["progress"].as_f64().unwrap() > 0.0, "{told}");
    assert!(client.answer_to(id).get("error").is_none());
}

/// Creates a repository with a trusted runbook that starts an endless program.
#[cfg(unix)]
pub(super) fn endless() -> Sandbox {
    let sandbox = anchored();
    sandbox.write(
        "runbooks/endless.yaml",
        "schema_version: 1\nid: endless\ntitle: E\nsteps:\n  - { id: s, uses: command, with: { argv: [sh, -c, 'echo $$ > pid; \
         exec sleep 600'] } }\noutputs: [{ id: s, from: s }]\n",
    );
    sandbox.windlass(&["trust", "endless"]).succeeds();
    sandbox
}

#[cfg(unix)]
pub(super) fn program(sandbox: &Sandbox) -> String {
    let file = sandbox.root().join("pid");
    loop {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_owned();
        }
        std::thread::yield_now();
    }
}

#[cfg(unix)]
pub(super) fn wait_until_gone(program: &str) {
    while std::fs::metadata(format!("/proc/{program}")).is_ok() {
        std::thread::yield_now();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn cancelled_run_stops_server_continues() {
    for era in ERAS {
        let sandbox = endless();
        let mut client = client(&sandbox, era);
        let call = json!({ "name": "runbook_pack", "arguments": { "runbook": "endless" } });
        let id = client.send("tools/call", call);
        let program = program(&sandbox);
        client.write(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }).to_string(),
        );
        wait_until_gone(&program);
        // The server still answers other calls.
        client.data("runbook_pack", json!({ "runbook": "api" }));
        assert_eq!(client.leave(), Some(0));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn vanished_client_leaves_no_program() {
    let sandbox = endless();
    let mut client = client(&sandbox, Era::Sessions);
    client.send(
        "tools/call",
        json!({ "name": "runbook_pack", "arguments": { "runbook": "endless" } }),
    );
    let program = program(&sandbox);
    assert_eq!(client.leave(), Some(0));
    wait_until_gone(&program);
}

#[test]
fn untrusted_programs_are_not_started() {
    let sandbox = anchored();
    sandbox.write(
        "runbooks/say.yaml",
        "schema_version: 1\nid: say\ntitle: S\nsteps:\n  - { id: s, uses: command, with: { argv: [sh, -c, 'echo > started'] } }\n\
         outputs: [{ id: s, from: s }]\n",
    );
    let mut client = client(&sandbox, Era::Sessions);
    let result = client.tool("runbook_pack", json!({ "runbook": "say" }));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("ask your user"), "{}", text(&result));
    assert!(!sandbox.root().join("started").exists());
}
