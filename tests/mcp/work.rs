use serde_json::{Value, json};

use super::client::{Client, Era, text};
use super::support::Sandbox;
use super::{anchored, client, next_calls};

fn with_formula() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write(
        ".beads/formulas/tidy.formula.toml",
        "formula = \"tidy\"\nversion = 1\ndescription = \"Tidy up {{what}}.\"\n[vars.what]\nrequired = true\n\
         [[steps]]\nid = \"look\"\ntitle = \"Look at {{what}}\"\n\
         [[steps]]\nid = \"sweep\"\ntitle = \"Sweep {{what}}\"\nneeds = [\"look\"]\n",
    );
    sandbox.commit("first");
    sandbox
}

fn call(client: &mut Client, tool: &str, action: &str, mut own: Value) -> Value {
    own["action"] = json!(action);
    own["actor"] = json!("gastown/crew/ann");
    client.data(tool, own)
}

#[test]
fn molecule_is_finished_by_next_actions() {
    let sandbox = with_formula();
    let mut client = client(&sandbox, Era::Stateless);
    let poured = call(
        &mut client,
        "molecule",
        "pour",
        json!({ "formula": "tidy", "vars": { "what": "the attic" } }),
    );
    // From here on, every call is one that the previous answer recommends.
    let (tool, arguments) = next_calls(&poured).remove(0);
    let claimed = client.data(&tool, arguments);
    assert_eq!(
        (&claimed["step_id"], &claimed["title"]),
        (&json!("look"), &json!("Look at the attic"))
    );
    let (tool, mut arguments) = next_calls(&claimed).remove(0);
    assert_eq!(arguments["action"], "complete");
    arguments["output"] = json!({ "found": ["dust"] });
    arguments["claim_next"] = json!(true);
    let completed = client.data(&tool, arguments);
    assert_eq!(completed["next"]["step_id"], "sweep", "{completed}");
    let (tool, last) = next_calls(&completed).remove(0);
    let done = client.data(&tool, last.clone());
    assert_eq!(
        (&done["completed"], &done["outcome"]),
        (&json!(true), &json!("completed")),
        "{done}"
    );
    // The claim is gone.
    let mut after = last;
    after["action"] = json!("heartbeat");
    let refused = client.tool(&tool, after);
    assert_eq!(
        refused["structuredContent"]["error"]["code"], "conflict",
        "{refused}"
    );
    let list = call(&mut client, "molecule", "list", json!({}));
    assert_eq!(list["total"], 1);
}

#[test]
fn claim_returns_the_step_pack() {
    let sandbox = with_formula();
    let formula = ".beads/formulas/tidy.formula.toml";
    sandbox.edit(
        formula,
        "title = \"Look at {{what}}\"",
        "title = \"Look at {{what}}\"\npack = true",
    );
    sandbox.write("docs/PLAN.md", "# Plan\n\nThe attic is tidied first.\n");
    let mut client = client(&sandbox, Era::Sessions);
    let vars = json!({ "formula": "tidy", "vars": { "what": "the attic" } });
    call(&mut client, "molecule", "pour", vars);
    let claimed = call(&mut client, "molecule", "claim", json!({}));
    assert!(
        claimed["pack"]["ref"]
            .as_str()
            .unwrap()
            .starts_with("pack:")
    );
    let pack = claimed["notes"][0].as_str().unwrap();
    assert!(
        pack.contains("docs/PLAN.md") && pack.contains("Look at the attic"),
        "{pack}"
    );
}

#[test]
fn released_step_goes_to_next_session() {
    let sandbox = with_formula();
    let mut first = client(&sandbox, Era::Sessions);
    call(
        &mut first,
        "molecule",
        "pour",
        json!({ "formula": "tidy", "vars": { "what": "x" } }),
    );
    let claimed = call(&mut first, "molecule", "claim", json!({}));
    let mut claim = json!({ "mol": claimed["mol_id"], "step": "look", "token": claimed["token"] });
    claim["body"] = json!("the lamp is broken");
    call(&mut first, "molecule", "hand_over", claim);
    assert_eq!(first.leave(), Some(0));
    let mut second = client(&sandbox, Era::Sessions);
    let inbox = call(&mut second, "molecule", "inbox", json!({}));
    assert_eq!(inbox["unread"], 1);
    let (tool, read) = next_calls(&inbox).remove(0);
    let message = second.data(&tool, read);
    assert_eq!(message["body"], "the lamp is broken");
    assert_eq!(message["metadata"]["step_id"], "look");
}

#[test]
fn actions_name_missing_fields() {
    let sandbox = with_formula();
    let mut client = client(&sandbox, Era::Sessions);
    for (tool, arguments, said) in [
        (
            "molecule",
            json!({ "action": "complete", "mol": "x" }),
            "`complete` needs `step`, `token`",
        ),
        (
            "molecule",
            json!({ "action": "ready", "token": "x" }),
            "`ready` takes no `token`",
        ),
        (
            "molecule",
            json!({ "action": "klaim" }),
            "did you mean `claim`?",
        ),
        (
            "molecule",
            json!({ "action": "pour", "formula": "tidi" }),
            "did you mean `tidy`?",
        ),
        (
            "bead",
            json!({ "action": "show", "id": "nothing-1" }),
            "nothing-1",
        ),
        (
            "bead",
            json!({ "action": "update", "id": "x" }),
            "no change given",
        ),
        (
            "document",
            json!({ "action": "check", "file": "../x.json" }),
            "outside of this repository",
        ),
        ("anchor", json!({ "action": "show" }), "`show` needs `ids`"),
    ] {
        let result = client.tool(tool, arguments);
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains(said), "{said}: {}", text(&result));
        // Every command not covered by a tool is marked as one for a shell.
        let commands = text(&result).matches("`windlass ").count();
        assert_eq!(
            text(&result).matches("` (in a shell").count(),
            commands,
            "{result}"
        );
    }
}

#[test]
fn beads_are_created_claimed_and_closed() {
    let sandbox = with_formula();
    let mut client = client(&sandbox, Era::Sessions);
    let first = call(
        &mut client,
        "bead",
        "create",
        json!({ "title": "First", "priority": 0 }),
    );
    let second = call(
        &mut client,
        "bead",
        "create",
        json!({ "title": "Second", "needs": [first["id"]] }),
    );
    let ready = call(&mut client, "bead", "ready", json!({}));
    assert_eq!(
        (&ready["total"], &ready["beads"][0]["id"]),
        (&json!(1), &first["id"])
    );
    let (tool, claim) = next_calls(&ready).remove(0);
    let claimed = client.data(&tool, claim);
    assert_eq!(claimed["assignee"], "gastown/crew/ann");
    let (tool, close) = next_calls(&claimed).remove(0);
    client.data(&tool, close);
    let ready = call(&mut client, "bead", "ready", json!({}));
    assert_eq!(ready["beads"][0]["id"], second["id"]);
    let updated = call(
        &mut client,
        "bead",
        "update",
        json!({ "id": second["id"], "priority": 1, "labels": ["x"] }),
    );
    assert_eq!(
        (&updated["priority"], &updated["labels"]),
        (&json!(1), &json!(["x"]))
    );
    let found = call(
        &mut client,
        "bead",
        "list",
        json!({ "text": "second", "all": true }),
    );
    assert_eq!(found["total"], 1);
}

#[test]
fn cut_bead_list_continues() {
    let sandbox = with_formula();
    let mut client = client(&sandbox, Era::Stateless);
    for nr in 0..30 {
        call(
            &mut client,
            "bead",
            "create",
            json!({ "title": format!("Bead number {nr}") }),
        );
    }
    let mut arguments = json!({ "action": "list", "max_chars": 4000 });
    let (mut seen, mut tool) = (Vec::new(), "bead".to_owned());
    loop {
        let result = client.tool(&tool, arguments.clone());
        assert!(text(&result).chars().count() <= 4_000);
        let page = &result["structuredContent"];
        assert!(page.to_string().chars().count() <= 4_000);
        seen.extend(
            page["beads"]
                .as_array()
                .unwrap()
                .iter()
                .map(|bead| bead["id"].to_string()),
        );
        match next_calls(page).pop() {
            Some((next, more)) if page["next_cursor"].is_string() => {
                (tool, arguments) = (next, more);
            }
            _ => break,
        }
    }
    // The pages have all beads, and none is repeated at the start of the next page.
    let count = seen.len();
    seen.dedup();
    assert_eq!((count, seen.len()), (30, 30));
    // The list has changed in the meantime.
    call(
        &mut client,
        "bead",
        "create",
        json!({ "title": "one more" }),
    );
    let stale = client.tool(&tool, arguments);
    assert_eq!(
        stale["structuredContent"]["error"]["code"], "not_found",
        "{stale}"
    );
}

#[test]
fn playbook_is_checked_shown_and_appended() {
    let sandbox = Sandbox::git();
    let playbook = json!({
        "vContextInfo": { "version": "0.4" },
        "playbook": { "version": 1, "created": "2026-01-02T03:04:05Z", "updated": "2026-01-02T03:04:05Z", "items": [] }
    });
    sandbox
        .write("playbook.json", playbook.to_string())
        .commit("first");
    let mut client = client(&sandbox, Era::Sessions);
    let checked = client.data(
        "document",
        json!({ "action": "check", "file": "playbook.json" }),
    );
    assert_eq!(checked["valid"], true, "{checked}");
    let learned = json!({
        "action": "append", "file": "playbook.json", "target": "lock-order", "kind": "rule", "title": "Locks",
        "text": "Take the log's lock before the bead's.", "evidence": ["src/log.rs:10"]
    });
    client.data("document", learned);
    let shown = client.data(
        "document",
        json!({ "action": "show", "file": "playbook.json" }),
    );
    assert_eq!(shown["items"][0]["title"], "Locks", "{shown}");
    let tron = client.data(
        "document",
        json!({ "action": "convert", "file": "playbook.json", "to": "tron" }),
    );
    assert!(tron["document"].as_str().unwrap().contains("lock-order"));
}

#[test]
fn concurrent_playbook_entry_is_resolved() {
    let sandbox = Sandbox::git();
    let event = |id: &str, more: Value| {
        let mut event =
            json!({ "eventId": id, "targetId": "t", "createdAt": "2026-01-02T03:04:05Z" });
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        event
    };
    let says = |text: &str| json!({ "Overview": text });
    let update =
        |text: &str| json!({ "operation": "update", "prevEventId": "e1", "narrative": says(text) });
    let first = json!({ "operation": "append", "kind": "rule", "status": "active", "narrative": says("One.") });
    let playbook = json!({
        "vContextInfo": { "version": "0.4" },
        "plan": {
            "title": "P", "status": "draft", "narratives": { "proposal": "x" }, "items": [], "sequence": 1, "changeLog": [{
                "sequence": 1, "timestamp": "2026-01-02T03:04:05Z", "agent": { "id": "ann", "type": "human" }, "operation": "create"
            }],
            "playbook": {
                "version": 1, "created": "2026-01-02T03:04:05Z", "updated": "2026-01-02T03:04:05Z",
                "items": [event("e1", first), event("e2", update("Two.")), event("e3", update("Three."))]
            }
        }
    });
    sandbox
        .write("plan.json", playbook.to_string())
        .commit("first");
    let mut client = client(&sandbox, Era::Sessions);
    let own = |more: Value| {
        let mut own = json!({ "file": "plan.json" });
        own.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        own
    };
    let resolve = own(json!({ "target": "t", "keep": "e2", "text": "Two and three." }));
    call(&mut client, "document", "resolve", resolve);
    let written: Value = serde_json::from_str(&sandbox.read("plan.json")).unwrap();
    let (plan, events) = (&written["plan"], &written["plan"]["playbook"]["items"]);
    assert_eq!(events[3]["prevEventId"], "e2");
    assert_eq!(plan["changeLog"][1]["agent"]["id"], "gastown/crew/ann");
    // There are no concurrent entries left.
    let again = client.tool(
        "document",
        own(json!({ "action": "resolve", "target": "t" })),
    );
    assert_eq!(again["isError"], true, "{again}");
    let other = own(json!({ "target": "u", "kind": "rule", "text": "two and three" }));
    call(&mut client, "document", "append", other);
    let looked = call(
        &mut client,
        "document",
        "dedupe",
        own(json!({ "dry_run": true })),
    );
    let done = call(&mut client, "document", "dedupe", own(json!({})));
    assert_eq!(done["duplicates"], looked["duplicates"]);
    assert_eq!(done["duplicates"][0]["targetId"], "u", "{done}");
}

#[test]
fn impact_lists_stale_anchors() {
    let sandbox = anchored();
    sandbox.edit("docs/limits.md", "100", "50");
    let mut client = client(&sandbox, Era::Sessions);
    let impact = client.data("anchor", json!({ "action": "impact" }));
    assert_eq!(impact["anchors"][0]["id"], "limits", "{impact}");
    let (tool, show) = next_calls(&impact).remove(0);
    let shown = client.tool(&tool, show);
    assert!(text(&shown).contains("50"), "{}", text(&shown));
    let checked = client.data("anchor", json!({ "action": "check" }));
    let ids: Vec<&Value> = checked["anchors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, ["limits"]);
}
