//! vContext documents: checked, converted, migrated, and changed by several at once.

use crate::support::Sandbox;

const LIST: &str = r#"{
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

const PLAYBOOK: &str = r#"{
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
fn events_are_appended_and_nobody_overwrites_another() {
    let sandbox = Sandbox::git();
    sandbox.write("p.json", PLAYBOOK);
    let append = [
        "doc",
        "playbook",
        "append",
        "p.json",
        "stage-first",
        "--kind",
        "rule",
        "--text",
        "Always.",
    ];
    let first = sandbox
        .windlass(&append)
        .succeeds()
        .stdout
        .trim()
        .to_owned();
    sandbox.windlass(&append).exits_with(5);
    let children: Vec<_> = (0..8)
        .map(|at| {
            let target = format!("entry-{at}");
            let args = [
                "doc", "playbook", "append", "p.json", &target, "--kind", "note", "--text", "x",
            ];
            sandbox.command(sandbox.root(), &args).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let update = [
        "doc",
        "playbook",
        "update",
        "p.json",
        "stage-first",
        "--helpful",
        "2",
        "--after",
        &first,
    ];
    sandbox.windlass(&update).succeeds();
    sandbox.windlass(&update).exits_with(5);
    let wrong = [
        "doc",
        "playbook",
        "update",
        "p.json",
        "stage-frist",
        "--helpful",
        "2",
    ];
    let answer = sandbox.windlass(&wrong).exits_with(3);
    assert!(
        answer.stderr.contains("did you mean `stage-first`?"),
        "{}",
        answer.stderr
    );
    let unsure = [
        "doc",
        "playbook",
        "update",
        "p.json",
        "stage-first",
        "--confidence",
        "7",
    ];
    sandbox.windlass(&unsure).exits_with(2);
    sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    let shown = sandbox
        .windlass(&["doc", "playbook", "show", "p.json", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(shown["entries"].as_array().unwrap().len(), 9);
    assert_eq!(shown["entries"][8]["targetId"], "stage-first");
    assert_eq!(shown["entries"][8]["helpfulCount"], 2);
    let end = [
        "doc",
        "playbook",
        "deprecate",
        "p.json",
        "stage-first",
        "--reason",
        "old",
    ];
    sandbox.windlass(&end).succeeds();
    let rules = ["doc", "playbook", "show", "p.json", "--kind", "rule"];
    assert_eq!(sandbox.windlass(&rules).succeeds().stdout, "");
}

#[test]
fn copies_and_versions_are_merged() {
    let sandbox = Sandbox::git();
    sandbox.write("p.json", PLAYBOOK).write("q.json", PLAYBOOK);
    for (file, target) in [("p.json", "one"), ("q.json", "two")] {
        let args = [
            "doc", "playbook", "append", file, target, "--kind", "note", "--text", "x",
        ];
        sandbox.windlass(&args).succeeds();
    }
    let added = sandbox
        .windlass(&["doc", "playbook", "merge", "p.json", "q.json"])
        .succeeds();
    assert_eq!(added.stdout.lines().count(), 1);
    let again = sandbox
        .windlass(&["doc", "playbook", "merge", "p.json", "q.json"])
        .succeeds();
    assert_eq!(again.stdout, "");
    let before = ["doc", "check", "p.json", "--before", "q.json"];
    sandbox.windlass(&before).succeeds();
    sandbox.write("base.json", LIST);
    sandbox.write("ours.json", LIST.replace("pending", "inProgress"));
    sandbox.write("theirs.json", LIST.replace("one", "ONE"));
    let merge = [
        "doc",
        "merge",
        "base.json",
        "ours.json",
        "theirs.json",
        "--out",
        "ours.json",
    ];
    sandbox.windlass(&merge).succeeds();
    let want = LIST.replace("pending", "inProgress").replace("one", "ONE");
    assert_eq!(sandbox.read("ours.json"), want);
    sandbox.write("theirs.json", LIST.replace("pending", "blocked"));
    let answer = sandbox.windlass(&merge).exits_with(1);
    assert!(
        answer
            .stderr
            .contains("$.todoList.items[?(@.id=='b')].status"),
        "{}",
        answer.stderr
    );
}

#[test]
fn items_are_added_and_changed() {
    let sandbox = Sandbox::git();
    sandbox.write("tasks.json", LIST);
    let add = [
        "doc",
        "item",
        "add",
        "tasks.json",
        "three",
        "--id",
        "c",
        "--after",
        "b",
    ];
    assert_eq!(sandbox.windlass(&add).succeeds().stdout, "c  pending\n");
    sandbox.windlass(&add).exits_with(2);
    let set = [
        "doc",
        "item",
        "set",
        "tasks.json",
        "b",
        "--status",
        "completed",
    ];
    sandbox.windlass(&set).succeeds();
    let circle = ["doc", "item", "set", "tasks.json", "a", "--after", "c"];
    let answer = sandbox.windlass(&circle).exits_with(2);
    assert!(
        answer.stderr.contains("dependency-cycle"),
        "{}",
        answer.stderr
    );
    let item = ",\n      {\n        \"id\": \"c\",\n        \"title\": \"three\",\n        \"status\": \"pending\",\n        \"dependencies\": [\n          \"b\"\n        ]\n      }\n    ]\n  }";
    let want = LIST
        .replace("\n    ]\n  }", item)
        .replacen("\"pending\"", "\"completed\"", 1);
    assert_eq!(sandbox.read("tasks.json"), want);
    sandbox
        .windlass(&[
            "doc",
            "item",
            "set",
            "tasks.json",
            "x",
            "--status",
            "blocked",
        ])
        .exits_with(3);
    sandbox
        .windlass(&[
            "doc",
            "item",
            "set",
            "tasks.json",
            "a",
            "--if-sequence",
            "7",
            "--percent",
            "3",
        ])
        .exits_with(5);
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

/// All pages of a list, each within its budget; `cut` is what is asked for beside.
fn pages(sandbox: &Sandbox, command: &[&str], budget: usize, key: &str) -> Vec<serde_json::Value> {
    let (budget, mut all, mut cursor) = (budget.to_string(), Vec::new(), None::<String>);
    loop {
        let mut args = [command, &["--format", "json", "--max-chars", &budget]].concat();
        args.extend(cursor.as_deref().map(|_| "--cursor"));
        args.extend(cursor.as_deref());
        let answer = sandbox.windlass(&args);
        assert!(
            answer.stdout.chars().count() <= budget.parse().unwrap(),
            "{}",
            answer.stdout
        );
        let page = answer.json();
        match key {
            "documents" => {
                let documents = page[key].as_array().unwrap().iter();
                all.extend(documents.flat_map(|one| one["findings"].as_array().unwrap().clone()));
            }
            key => all.extend(page[key].as_array().unwrap().clone()),
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return all,
        }
    }
}

#[test]
fn items_and_entries_are_shown_page_by_page() {
    let sandbox = Sandbox::git();
    let items: Vec<String> = (0..40)
        .map(|at| format!(r#"{{"id": "i{at}", "title": "Item {at}", "status": "pending", "tags": ["t{}"], "x": {at}}}"#, at % 2))
        .collect();
    let list = format!(
        r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [{}]}}}}"#,
        items.join(",\n")
    );
    sandbox.write("tasks.json", &list);
    let all = sandbox
        .windlass(&["doc", "show", "tasks.json", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(
        (&all["total"], all["items"].as_array().unwrap().len()),
        (&serde_json::json!(40), 40)
    );
    assert_eq!(all["items"][7]["x"], 7);
    let paged = pages(&sandbox, &["doc", "show", "tasks.json"], 900, "items");
    assert_eq!(serde_json::json!(paged), all["items"]);
    let some = pages(
        &sandbox,
        &["doc", "show", "tasks.json", "--tag", "t1"],
        900,
        "items",
    );
    assert_eq!(some.len(), 20);
    // In text, and in TRON, which never takes more than JSON.
    let text = sandbox
        .windlass(&["doc", "show", "tasks.json", "--max-chars", "300"])
        .succeeds();
    assert!(
        text.stdout.chars().count() <= 300
            && text
                .stdout
                .contains(" more  windlass doc show tasks.json --max-chars 300 --cursor "),
        "{}",
        text.stdout
    );
    let tron = sandbox
        .windlass(&["doc", "show", "tasks.json", "--format", "auto"])
        .succeeds();
    let json = sandbox
        .windlass(&["doc", "show", "tasks.json", "--format", "json"])
        .succeeds();
    assert!(tron.stdout.starts_with("class ") && tron.stdout.len() < json.stdout.len());
    // A cursor does not lead into another list.
    let first = sandbox
        .windlass(&[
            "doc",
            "show",
            "tasks.json",
            "--format",
            "json",
            "--max-chars",
            "900",
        ])
        .json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let stale = [
        "doc",
        "show",
        "tasks.json",
        "--format",
        "json",
        "--max-chars",
        "900",
        "--cursor",
        cursor,
    ];
    sandbox.windlass(&stale).succeeds();
    sandbox.edit("tasks.json", "Item 39", "Item forty");
    sandbox.windlass(&stale).exits_with(3);
    sandbox
        .windlass(&["doc", "show", "tasks.json", "--max-chars", "5"])
        .exits_with(2);
    sandbox
        .windlass(&["doc", "show", "tasks.json", "--kind", "rule"])
        .exits_with(2);

    let events: Vec<String> = (0..12)
        .map(|at| format!(r#"{{"eventId": "e{at}", "targetId": "t{at:02}", "operation": "append", "kind": "rule", "narrative": {{"Overview": "Do {at}."}}, "createdAt": "2025-01-01T00:00:00Z"}}"#))
        .collect();
    sandbox.write(
        "book.json",
        PLAYBOOK.replace(
            "\"items\": []",
            &format!("\"items\": [{}]", events.join(",")),
        ),
    );
    for command in [
        &["doc", "show", "book.json"][..],
        &["doc", "playbook", "show", "book.json"],
    ] {
        let entries = pages(&sandbox, command, 800, "entries");
        let names: Vec<&str> = entries
            .iter()
            .map(|one| one["targetId"].as_str().unwrap())
            .collect();
        assert_eq!((names.len(), names[0], names[11]), (12, "t00", "t11"));
    }
}

#[test]
fn findings_are_shown_page_by_page() {
    let sandbox = Sandbox::git();
    let items: Vec<&str> = std::iter::repeat_n(r#"{"title": "x", "status": "done"}"#, 30).collect();
    let list = |items: &str| {
        format!(r#"{{"vContextInfo": {{"version": "0.4"}}, "todoList": {{"items": [{items}]}}}}"#)
    };
    sandbox.write("a.json", list(&items.join(",\n")));
    sandbox.write("b.json", list(r#"{"title": "x"}"#));
    sandbox.write("c.json", list(""));
    let command = ["doc", "check", "a.json", "b.json", "c.json"];
    let all = sandbox
        .windlass(&[&command[..], &["--format", "json"]].concat())
        .exits_with(2)
        .json();
    let whole: Vec<serde_json::Value> = (all["documents"].as_array().unwrap().iter())
        .flat_map(|one| one["findings"].as_array().unwrap().clone())
        .collect();
    assert_eq!(whole.len(), 31);
    assert_eq!(pages(&sandbox, &command, 1_500, "documents"), whole);
    let text = sandbox
        .windlass(&[&command[..], &["--max-chars", "1500"]].concat())
        .exits_with(2);
    let printed = text.stdout.chars().count() + text.stderr.chars().count();
    assert!(
        printed <= 1_500
            && text
                .stdout
                .contains("c.json: valid\n… more  windlass doc check"),
        "{}",
        text.stdout
    );
}
