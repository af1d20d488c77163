//! TodoLists and Plans as molecules: pouring them, working on them, and writing the progress back
//! into the document.

use serde_json::Value;

use crate::by;
use crate::support::{Answer, Sandbox};

const PLAN: &str = r#"{
  "vContextInfo": {"version": "0.4", "x-own": 1.50},
  "plan": {
    "title": "Feature",
    "status": "approved",
    "narratives": {"proposal": "Build it."},
    "items": [
      {"id": "old", "title": "Ask", "status": "completed"},
      {"id": "design", "title": "Design", "status": "pending",   "x-kept": [1,2]},
      {"id": "build", "title": "Build", "status": "pending", "subItems": [
        {"id": "api", "title": "API", "status": "pending"},
        {"id": "ui", "title": "UI", "status": "pending", "dependencies": ["api"]}
      ]}
    ]
  }
}
"#;

const TASKS: &str = r#"class T: id, title, status
# by hand
vContextInfo: {version: "0.4"}
todoList: {items: [
  T("a", "one", "pending"), # the first
  T("b", "two", "blocked"),
  T("c", "three", "cancelled"),
  {"id": "d", "title": "four", "status": "pending", "dependencies": ["a", "c"]}
]}
"#;

fn json(sandbox: &Sandbox, actor: &str, args: &[&str]) -> Value {
    by(sandbox, actor, &[args, &["--format", "json"]].concat())
        .succeeds()
        .json()
}

#[track_caller]
fn pour(sandbox: &Sandbox, file: &str) -> String {
    let made = json(sandbox, "mayor", &["mol", "pour", file]);
    made["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn claim_and_end(sandbox: &Sandbox, mol: &str, step: &str, how: &[&str]) -> Answer {
    let claimed = json(sandbox, "ann", &["mol", "claim", mol, step]);
    let token = claimed["token"].as_str().unwrap();
    let end = ["mol", how[0], mol, step, "--token", token];
    by(sandbox, "ann", &[&end, &how[1..]].concat()).succeeds()
}

#[test]
fn plan_progress_is_written_back() {
    let sandbox = Sandbox::git();
    sandbox.write("work/plan.vcontext.json", PLAN);
    let mol = pour(&sandbox, "work/plan.vcontext.json");
    let shown = json(&sandbox, "ann", &["mol", "show", &mol]);
    let steps: Vec<&str> = (shown["steps"].as_array().unwrap().iter())
        .map(|step| step["id"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["design", "build", "api", "ui"]);
    assert_eq!(sandbox.read("work/plan.vcontext.json"), PLAN);

    let set = |text: &str, id: &str, from: &str, to: &str| {
        let at = text.find(&format!("\"id\": \"{id}\"")).unwrap();
        let (before, rest) = text.split_at(at);
        format!(
            "{before}{}",
            rest.replacen(&format!("\"{from}\""), &format!("\"{to}\""), 1)
        )
    };
    let begun = PLAN.replace("\"approved\"", "\"inProgress\"");
    let claimed = json(&sandbox, "ann", &["mol", "claim", &mol]);
    assert_eq!(claimed["step_id"], "design");
    // Only the status words change, all other bytes stay.
    let text = set(&begun, "design", "pending", "inProgress");
    assert_eq!(sandbox.read("work/plan.vcontext.json"), text);
    let release = ["mol", "release", &mol, "design", "--token"];
    let token = claimed["token"].as_str().unwrap();
    by(&sandbox, "ann", &[&release[..], &[token]].concat()).succeeds();
    assert_eq!(sandbox.read("work/plan.vcontext.json"), begun);

    claim_and_end(&sandbox, &mol, "design", &["complete"]);
    claim_and_end(&sandbox, &mol, "api", &["complete"]);
    let text = set(&begun, "design", "pending", "completed");
    let text = set(&text, "api", "pending", "completed");
    let text = set(&text, "build", "pending", "inProgress");
    assert_eq!(sandbox.read("work/plan.vcontext.json"), text);
    // Progress doesn't count as a change to the document.
    let shown = by(&sandbox, "ann", &["mol", "show", &mol]).succeeds();
    assert!(!shown.stdout.contains("changed since"), "{}", shown.stdout);

    claim_and_end(&sandbox, &mol, "ui", &["complete"]);
    let text = set(&text, "ui", "pending", "completed");
    let text = set(&text, "build", "inProgress", "completed");
    let text = text.replacen("\"status\": \"inProgress\"", "\"status\": \"completed\"", 1);
    assert_eq!(sandbox.read("work/plan.vcontext.json"), text);
    let again = by(&sandbox, "ann", &["mol", "pour", "work/plan.vcontext.json"]).exits_with(2);
    assert!(again.stderr.contains("nothing-to-do"), "{}", again.stderr);

    sandbox.edit("work/plan.vcontext.json", "\"UI\"", "\"Screens\"");
    let shown = by(&sandbox, "ann", &["mol", "show", &mol]).succeeds();
    let said = format!("{}{}", shown.stdout, shown.stderr);
    assert!(
        said.contains("the files of the formula changed after it was poured"),
        "{said}"
    );
}

#[test]
fn tron_list_keeps_classes_and_comments() {
    let sandbox = Sandbox::git();
    sandbox.write("tasks.tron", TASKS);
    let mol = pour(&sandbox, "tasks.tron");
    // A blocked item waits for a person's approval.
    let claim = by(&sandbox, "ann", &["mol", "claim", &mol, "b"]);
    assert_ne!(claim.code, 0);
    by(&sandbox, "boss", &["mol", "approve", &mol, "b"]).succeeds();
    claim_and_end(&sandbox, &mol, "b", &["complete"]);
    claim_and_end(&sandbox, &mol, "a", &["fail", "--reason", "no"]);
    // The failed item becomes blocked, along with the one that depends on it.
    let text = TASKS
        .replace("\"two\", \"blocked\"", "\"two\", \"completed\"")
        .replace("\"one\", \"pending\"", "\"one\", \"blocked\"")
        .replace(
            "\"four\", \"status\": \"pending\"",
            "\"four\", \"status\": \"blocked\"",
        );
    assert_eq!(sandbox.read("tasks.tron"), text);
}

#[test]
fn locked_or_edited_items_are_not_overwritten() {
    let sandbox = Sandbox::git();
    let lock = r#""lockedBy": {"agent": {"id": "bob", "type": "human"}, "acquiredAt": "2025-01-01T00:00:00Z", "type": "hard"}"#;
    let tasks = format!(
        r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [
  {{"id": "a", "title": "one", "status": "pending", {lock}}},
  {{"id": "b", "title": "two", "status": "pending"}},
  {{"id": "c", "title": "three", "status": "pending"}}
]}}}}
"#
    );
    sandbox.write("tasks.json", &tasks);
    let mol = pour(&sandbox, "tasks.json");
    let answer = by(&sandbox, "ann", &["mol", "claim", &mol, "a"]).succeeds();
    assert!(
        answer.stderr.contains("`bob` has locked the item `a`"),
        "{}",
        answer.stderr
    );
    assert_eq!(sandbox.read("tasks.json"), tasks);
    // The holder of the lock may write. An item completed by hand stays completed, because the
    // molecule hasn't started it.
    sandbox.edit(
        "tasks.json",
        "\"three\", \"status\": \"pending\"",
        "\"three\", \"status\": \"completed\"",
    );
    let claimed = json(&sandbox, "bob", &["mol", "claim", &mol, "b"]);
    let text = sandbox.read("tasks.json");
    assert!(text.contains(r#""one", "status": "inProgress""#), "{text}");
    assert!(text.contains(r#""two", "status": "inProgress""#), "{text}");
    assert!(text.contains(r#""three", "status": "completed""#), "{text}");
    // A missing item is reported, and the others are written.
    let token = claimed["token"].as_str().unwrap();
    sandbox.write(
        "tasks.json",
        text.replace(
            &format!(
                "{{\"id\": \"a\", \"title\": \"one\", \"status\": \"inProgress\", {lock}}},\n  "
            ),
            "",
        ),
    );
    let complete = ["mol", "complete", &mol, "b", "--token", token];
    let answer = by(&sandbox, "bob", &complete).succeeds();
    assert!(
        answer.stderr.contains("unknown item `a`"),
        "{}",
        answer.stderr
    );
    assert!(
        sandbox
            .read("tasks.json")
            .contains(r#""two", "status": "completed""#)
    );
    // The work continues even if the document is gone.
    sandbox.remove("tasks.json");
    let answer = by(&sandbox, "ann", &["mol", "claim", &mol, "c"]).succeeds();
    assert!(
        answer
            .stderr
            .contains("could not be written into `tasks.json`"),
        "{}",
        answer.stderr
    );
}

#[test]
fn unworkable_document_is_not_poured() {
    let sandbox = Sandbox::git();
    let list = |items: &str| {
        format!(r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [{items}]}}}}"#)
    };
    let twins = r#"{"title": "x", "status": "pending"}, {"title": "x", "status": "pending"}"#;
    sandbox.write("twins.json", list(twins));
    sandbox.write("bad.json", list(r#"{"title": "x", "status": "done"}"#));
    sandbox.write("open.json", list(r#"{"title": "x", "status": "pending"}"#));
    for (file, expected) in [
        ("twins.json", "error[ambiguous-item]"),
        ("bad.json", "bad.json:1:"),
        ("none.json", "none.json"),
    ] {
        let answer = by(&sandbox, "ann", &["mol", "pour", file]);
        assert_ne!(answer.code, 0);
        assert!(
            answer.stderr.contains(expected),
            "{file}: {}",
            answer.stderr
        );
    }
    let vars = ["mol", "pour", "open.json", "--var", "a=b"];
    let answer = by(&sandbox, "ann", &vars).exits_with(2);
    assert!(answer.stderr.contains("no-variables"), "{}", answer.stderr);
    let outside = sandbox.outside().join("open.json");
    std::fs::write(&outside, sandbox.read("open.json")).unwrap();
    let answer = by(&sandbox, "ann", &["mol", "pour", outside.to_str().unwrap()]).exits_with(2);
    assert!(
        answer.stderr.contains("outside the repository"),
        "{}",
        answer.stderr
    );
    let mol = pour(&sandbox, "open.json");
    // A list can't be poured again while a molecule works on it.
    let answer = by(&sandbox, "ann", &["mol", "pour", "open.json"]).exits_with(2);
    assert!(answer.stderr.contains(&mol), "{}", answer.stderr);
}

#[test]
fn sixteen_agents_share_one_list() {
    let sandbox = Sandbox::git();
    let items: Vec<String> = (0..16)
        .map(|at| {
            format!(
                r#"    {{"id": "i{at}", "title": "Item {at}", "status": "pending", "x": {at}}}"#
            )
        })
        .collect();
    let list = format!(
        "{{\n  \"vContextInfo\": {{\"version\": \"0.4\"}},\n  \"todoList\": {{\"sequence\": 1, \"items\": [\n{}\n  ]}}\n}}\n",
        items.join(",\n")
    );
    sandbox.write("tasks.json", &list);
    let mol = pour(&sandbox, "tasks.json");
    std::thread::scope(|scope| {
        for at in 0..16 {
            let (sandbox, mol) = (&sandbox, &mol);
            scope.spawn(move || {
                let (actor, step) = (format!("agent-{at}"), format!("i{at}"));
                let claimed = json(sandbox, &actor, &["mol", "claim", mol, &step]);
                let token = claimed["token"].as_str().unwrap();
                let complete = ["mol", "complete", mol, &step, "--token", token];
                let answer = by(sandbox, &actor, &complete).succeeds();
                assert_eq!(
                    answer.stderr.find("could not be written"),
                    None,
                    "{}",
                    answer.stderr
                );
            });
        }
    });
    let text = sandbox.read("tasks.json");
    // Each item was started and completed, in one write or two.
    let value: Value = serde_json::from_str(&text).unwrap();
    let sequence = value["todoList"]["sequence"].as_u64().unwrap();
    assert!((17..=33).contains(&sequence), "{sequence}");
    let text = text.replace(&format!("\"sequence\": {sequence}"), "\"sequence\": 1");
    assert_eq!(text, list.replace("pending", "completed"));
    by(&sandbox, "ann", &["doc", "check", "tasks.json"]).succeeds();
}

#[test]
fn unwritten_progress_is_written_later() {
    let sandbox = Sandbox::git();
    let lock = r#""lockedBy": {"agent": {"id": "bob", "type": "human"}, "acquiredAt": "2025-01-01T00:00:00Z", "type": "hard"}"#;
    let locked = TASKS.replace(
        "T(\"a\", \"one\", \"pending\")",
        &format!("{{\"id\": \"a\", \"title\": \"one\", \"status\": \"pending\", {lock}}}"),
    );
    sandbox.write("tasks.tron", &locked);
    let answer = by(
        &sandbox,
        "mayor",
        &["mol", "pour", "tasks.tron", "--format", "json"],
    );
    let answer = answer.succeeds();
    let mol = answer.json()["id"].as_str().unwrap().to_owned();
    assert!(
        answer.stderr.contains("`bob` has locked the item `a`"),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("cannot be written"),
        "{}",
        answer.stderr
    );
    claim_and_end(&sandbox, &mol, "a", &["complete"]);
    let examined = ["mol", "doctor", &mol, "--format", "json"];
    let doctor = by(&sandbox, "ann", &examined).exits_with(1).json();
    let found = doctor["findings"].as_array().unwrap();
    let found = found.iter().find(|one| one["trouble"] == "document");
    let message = found.unwrap()["message"].as_str().unwrap();
    assert!(
        message.contains("`tasks.tron`") && message.contains("1 item"),
        "{message}"
    );
    // Bob has released the lock. The next write happens without a change in the molecule.
    sandbox.edit("tasks.tron", &format!(", {lock}"), "");
    by(&sandbox, "ann", &["mol", "drive", &mol]);
    assert!(
        sandbox
            .read("tasks.tron")
            .contains("\"title\": \"one\", \"status\": \"completed\"")
    );
    let examined = ["mol", "doctor", &mol, "--format", "json"];
    let doctor = by(&sandbox, "ann", &examined).exits_with(1).json();
    let all = doctor["findings"].as_array().unwrap();
    assert!(
        all.iter().all(|one| one["trouble"] != "document"),
        "{doctor}"
    );
}
