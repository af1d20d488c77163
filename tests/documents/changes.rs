//! vContext documents that several change at once.

use crate::support::Sandbox;
use crate::vcontext::{LIST, PLAYBOOK};

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
