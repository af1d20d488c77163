//! vContext documents: checked, converted, migrated, planned.

use crate::support::Sandbox;

pub(crate) const LIST: &str = r#"{
  "vContextInfo": {
    "version": "0.4",
    "x-kept": 1.0
  },
  "todoList": {
    "items": [
      {
        "id": "a",
        "title": "one",
        "status": "completed"
      },
      {
        "id": "b",
        "title": "two",
        "status": "pending",
        "dependencies": [
          "a"
        ]
      }
    ]
  }
}
"#;

pub(crate) const PLAYBOOK: &str = r#"{
  "vContextInfo": {
    "version": "0.4"
  },
  "playbook": {
    "version": 1,
    "created": "2025-01-01T00:00:00Z",
    "updated": "2025-01-01T00:00:00Z",
    "items": []
  }
}
"#;

#[test]
fn documents_are_checked_by_both_commands() {
    let sandbox = Sandbox::git();
    sandbox.write("tasks.vcontext.json", LIST);
    sandbox.write("bad.tron", "vContextInfo: {version: \"0.4\"}\ntodoList: {items: [\n  {title: \"x\", status: \"done\"}\n]}\n");
    for command in [&["check"][..], &["doc", "check"]] {
        let good = [command, &["tasks.vcontext.json"]].concat();
        let answer = sandbox.windlass(&good).succeeds();
        assert_eq!(answer.stdout, "tasks.vcontext.json: valid\n");
        let bad = [command, &["bad.tron"]].concat();
        let answer = sandbox.windlass(&bad).exits_with(2);
        assert!(
            answer.stderr.contains("error[unknown-word]"),
            "{}",
            answer.stderr
        );
        assert!(answer.stderr.contains("bad.tron:3:24"), "{}", answer.stderr);
    }
    sandbox.edit(
        "tasks.vcontext.json",
        "\"version\": \"0.4\"",
        "\"version\": \"0.6\"",
    );
    let answer = sandbox.windlass(&["doc", "check", "tasks.vcontext.json", "--format", "json"]);
    let answer = answer.exits_with(2).json();
    assert_eq!(
        answer["documents"][0]["findings"][0]["rule"],
        "later-version"
    );
    sandbox
        .windlass(&["doc", "check", "nothing.json"])
        .exits_with(3);
}

#[test]
fn a_document_comes_back_from_tron_as_it_was() {
    let sandbox = Sandbox::git();
    sandbox.write("a.json", LIST);
    let convert = |from: &str, to: &str, out: &str| {
        sandbox
            .windlass(&["doc", "convert", from, "--to", to, "--out", out])
            .succeeds();
    };
    convert("a.json", "tron", "sub/a.tron");
    convert("sub/a.tron", "json", "b.json");
    assert_eq!(sandbox.read("b.json"), LIST);
    sandbox
        .windlass(&["doc", "diff", "a.json", "sub/a.tron"])
        .succeeds();
    let shown = sandbox
        .windlass(&["doc", "convert", "a.json", "--to", "markdown"])
        .succeeds();
    assert_eq!(
        shown.stdout,
        "# TodoList\n\n- [x] `a` one\n- [ ] `b` two (after `a`)\n"
    );
    let stats = sandbox
        .windlass(&["doc", "stats", "a.json", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(stats["documents"][0]["encodings"][2]["encoding"], "JSON");
    sandbox.write("c.json", LIST.replace("two", "three"));
    let answer = sandbox
        .windlass(&["doc", "diff", "a.json", "c.json"])
        .exits_with(1);
    assert_eq!(
        answer.stdout,
        "/todoList/items/1/title\n  - \"two\"\n  + \"three\"\n"
    );
    // What is secret is neither read nor written.
    sandbox
        .windlass(&["doc", "convert", "a.json", "--to", "json", "--out", ".env"])
        .exits_with(4);
}

#[test]
fn an_older_document_is_migrated_where_it_stands() {
    let sandbox = Sandbox::git();
    let old = r#"{"vAgendaInfo": {"version": "0.3"}, "plan": {"title": "P", "status": "draft", "narratives": {"proposal": "x"}, "phases": [{"title": "a", "status": "pending"}]}}"#;
    sandbox.write("p.json", old);
    let answer = sandbox.windlass(&["doc", "check", "p.json"]).exits_with(2);
    assert!(
        answer.stderr.contains("error[older-shape]"),
        "{}",
        answer.stderr
    );
    let shown = sandbox.windlass(&["doc", "migrate", "p.json"]).succeeds();
    assert_eq!(sandbox.read("p.json"), old);
    assert!(shown.stdout.contains("vContextInfo") && shown.stderr.contains("/plan/phases"));
    sandbox
        .windlass(&["doc", "migrate", "p.json", "--write"])
        .succeeds();
    // What does not change stays as it was written.
    let new = old
        .replace("vAgendaInfo", "vContextInfo")
        .replace("0.3", "0.4")
        .replace("phases", "items");
    assert_eq!(sandbox.read("p.json"), new);
    sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    let again = sandbox
        .windlass(&["doc", "migrate", "p.json", "--write"])
        .succeeds();
    assert!(again.stderr.contains("already"), "{}", again.stderr);
}

#[test]
fn a_document_is_a_plan() {
    let sandbox = Sandbox::git();
    sandbox.write("tasks.json", LIST);
    let answer = sandbox.windlass(&["plan", "tasks.json"]).succeeds();
    assert!(
        answer.stdout.contains("└─ b  two (pending)  ← a"),
        "{}",
        answer.stdout
    );
    sandbox
        .windlass(&["plan", "tasks.json", "--format", "svg"])
        .succeeds();
    sandbox
        .windlass(&["plan", "tasks.json", "--explain"])
        .exits_with(2);
    sandbox.edit("tasks.json", "\"a\"\n", "\"z\"\n");
    let answer = sandbox.windlass(&["plan", "tasks.json"]).exits_with(2);
    assert!(
        answer.stderr.contains("unknown-dependency"),
        "{}",
        answer.stderr
    );
}
