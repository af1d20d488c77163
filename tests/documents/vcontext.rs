//! vContext documents: checks, conversions, migrations and plans.

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
fn both_commands_check_documents() {
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
fn tron_round_trip_is_lossless() {
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
    // A secret path is neither read nor written.
    sandbox
        .windlass(&["doc", "convert", "a.json", "--to", "json", "--out", ".env"])
        .exits_with(4);
}

#[test]
fn older_document_is_migrated_in_place() {
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
    let new = old
        .replace("vAgendaInfo", "vContextInfo")
        .replace("0.3", "0.4")
        .replace("phases", "items")
        .replace(": ", ":")
        .replace(", ", ",");
    assert_eq!(sandbox.read("p.json"), new);
    sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    let again = sandbox
        .windlass(&["doc", "migrate", "p.json", "--write"])
        .succeeds();
    assert!(again.stderr.contains("already"), "{}", again.stderr);
}

#[test]
fn document_can_be_planned() {
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

#[test]
fn token_counts_are_optional() {
    let sandbox = Sandbox::git();
    // Here, TRON classes save characters but cost tokens.
    let text = r#"{"vContextInfo":{"version":"0.4","x":[{"constructor":true},{"constructor":{" lead":false}}]},"todoList":{"items":[]},"other":{}}"#;
    sandbox.write("odd.json", text);
    let stats = ["doc", "stats", "odd.json", "--format", "json"];
    let stats = sandbox.windlass(&stats).succeeds().json();
    let all = stats["documents"][0]["encodings"].as_array().unwrap();
    let tokens = |encoding: &str| {
        let one = all.iter().find(|one| one["encoding"] == encoding);
        one.unwrap()["tokens"].as_u64().unwrap()
    };
    assert!(tokens("TRON") > tokens("JSON"));
    assert_eq!(tokens("TRON, tokens"), tokens("JSON"));
    let convert = [
        "doc",
        "convert",
        "odd.json",
        "--to",
        "tron",
        "--compact=tokens",
    ];
    let lightest = sandbox.windlass(&convert).succeeds().stdout;
    assert_eq!(lightest.trim_end(), text);
}

#[test]
fn unresolvable_names_are_suggested() {
    let sandbox = Sandbox::git();
    sandbox.write("a.json", LIST);
    let show = ["doc", "show", "a.json", "--id", "aa"];
    let told = sandbox.windlass(&show).exits_with(3).stderr;
    assert!(told.contains("unknown item `aa`"), "{told}");
    let items: Vec<String> = (0..9)
        .map(|at| format!(r#"{{"id":"item-{at}","title":"T","status":"pending"}}"#))
        .collect();
    let head = r#"{"vContextInfo":{"version":"0.4"},"todoList":{"items":["#;
    sandbox.write("many.json", format!("{head}{}]}}}}", items.join(",")));
    let convert = [
        "doc",
        "convert",
        "many.json",
        "--to",
        "tron",
        "--out",
        "b.json",
    ];
    let told = sandbox.windlass(&convert).exits_with(2).stderr;
    assert!(told.contains(".tron"), "{told}");
    assert!(!sandbox.root().join("b.json").exists());
    sandbox.write(
        "old.json",
        r#"{"vContextInfo":{"version":"0.3"},"todoList":{"items":[]}}"#,
    );
    let told = sandbox
        .windlass(&["doc", "check", "old.json"])
        .exits_with(2)
        .stderr;
    assert!(told.contains("version \"0.3\" becomes"), "{told}");
}

#[test]
fn terminal_controls_stay_escaped() {
    let sandbox = Sandbox::git();
    let text = "{\"vContextInfo\":{\"version\":\"0.4\"},\"todoList\":{\"items\":[{\"title\":\"a\u{7f}b\u{2028}c\",\"status\":\"pending\"}]}}";
    sandbox.write("a.json", text);
    for to in ["json", "tron"] {
        let answer = sandbox.windlass(&["doc", "convert", "a.json", "--to", to]);
        let answer = answer.succeeds();
        assert!(
            answer.stdout.contains(r"a\u007fb\u2028c"),
            "{}",
            answer.stdout
        );
        assert_eq!(answer.stderr, "");
        sandbox.write("b.tron", &answer.stdout);
        sandbox
            .windlass(&["doc", "diff", "a.json", "b.tron"])
            .succeeds();
    }
}

#[test]
fn document_may_come_from_stdin() {
    use std::io::Write as _;
    let sandbox = Sandbox::git();
    let mut command = sandbox.command(sandbox.root(), &["doc", "show", "-", "--format", "json"]);
    command.stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(LIST.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["total"], 2);
}

#[test]
fn reopened_item_is_not_complete() {
    let sandbox = Sandbox::git();
    let done = LIST.replace("\"completed\"", "\"completed\", \"percentComplete\": 100");
    sandbox.write("a.json", done);
    let set = ["doc", "item", "set", "a.json", "a", "-s", "pending"];
    sandbox.windlass(&set).succeeds();
    assert!(sandbox.read("a.json").contains("\"percentComplete\": 0"));
    let answer = sandbox.windlass(&["doc", "check", "a.json"]).succeeds();
    assert_eq!(answer.stderr, "");
}
