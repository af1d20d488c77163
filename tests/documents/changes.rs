//! Concurrent changes of vContext documents.

use crate::support::Sandbox;
use crate::vcontext::{LIST, PLAYBOOK};

#[test]
fn concurrent_appends_lose_nothing() {
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
    // An entry can only be appended once.
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
    // The entry has a newer event by now, so it's no longer the expected one.
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
fn playbook_copies_and_versions_merge() {
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
    // A second merge finds nothing new.
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
fn items_are_added_and_changed_in_place() {
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
fn writers_with_other_homes_lose_nothing() {
    for sandbox in [Sandbox::git(), Sandbox::folder()] {
        let empty = r#"{"vContextInfo": {"version": "0.4"}, "todoList": {"items": []}}"#;
        sandbox.write("h.json", empty);
        let writers: Vec<_> = (0..12)
            .map(|at| {
                let id = format!("i{at}");
                let args = ["doc", "item", "add", "h.json", "T", "--id", &id];
                let mut command = sandbox.command(sandbox.root(), &args);
                // Each writer has a home of its own, so a lock in there wouldn't protect the file.
                command.env("HOME", sandbox.home().join(&id));
                command.spawn().unwrap()
            })
            .collect();
        for mut writer in writers {
            assert!(writer.wait().unwrap().success());
        }
        for at in 0..12 {
            let id = format!("\"i{at}\"");
            assert!(sandbox.read("h.json").contains(&id), "{id}");
        }
        let names = std::fs::read_dir(sandbox.root()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name());
        let beside: Vec<_> = names
            .filter(|name| name != "h.json" && name != ".git")
            .collect();
        // No lock or temporary file is left beside the document.
        assert!(beside.is_empty(), "{beside:?}");
    }
}

#[test]
fn outside_documents_may_be_tron() {
    let sandbox = Sandbox::folder();
    let folder = sandbox.root().join("below");
    std::fs::create_dir(&folder).unwrap();
    sandbox.write("x.tron", "vContextInfo: {version: \"0.4\"}\ntodoList: {items: [{id: \"a\", title: \"x\", status: \"pending\"}]}\n");
    let here = |args: &[&str]| sandbox.windlass_in(&folder, args);
    here(&["doc", "check", "../x.tron"]).succeeds();
    here(&["doc", "item", "set", "../x.tron", "a", "-s", "completed"]).succeeds();
    assert!(sandbox.read("x.tron").contains("\"completed\""));
    let plan = here(&["plan", "../x.tron"]).succeeds();
    assert!(plan.stdout.contains('a'), "{}", plan.stdout);
}

#[test]
fn invalid_merge_result_is_not_written() {
    let sandbox = Sandbox::git();
    let list = |a: &str, b: &str, more: &str| {
        format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"items":[{{"id":"a","title":"A","status":"pending"{a}}},{{"id":"b","title":"B","status":"pending"{b}}}]{more}}}}}"#
        )
    };
    sandbox.write("base.json", list("", "", ""));
    sandbox.write("ours.json", list(r#","dependencies":["b"]"#, "", ""));
    sandbox.write("theirs.json", list("", r#","dependencies":["a"]"#, ""));
    let merge = ["doc", "merge", "base.json", "ours.json", "theirs.json"];
    let out = [&merge[..], &["--out", "out.json"]].concat();
    let answer = sandbox.windlass(&out).exits_with(2);
    let told = answer.stderr;
    assert!(told.contains("dependency-cycle"), "{told}");
    assert!(told.contains("nothing was written"), "{told}");
    assert!(!sandbox.root().join("out.json").exists());

    // The conflict shows only the part in which long texts differ, and reports the retained item.
    let long = |end: &str| format!(r#","title":"T","x":"{}{end}""#, "same ".repeat(80));
    sandbox.write("base.json", list("", "", &long("base")));
    sandbox.write("ours.json", list("", "", &long("mine")));
    sandbox.write("theirs.json", list("", "", &long("yours")));
    let told = sandbox.windlass(&merge).exits_with(1).stderr;
    assert!(
        told.contains("mine\", theirs") && told.contains("yours\""),
        "{told}"
    );
    assert!(
        told.contains("items it removed and the second changed"),
        "{told}"
    );
    let json = [&merge[..], &["--format", "json"]].concat();
    let data = sandbox.windlass(&json).exits_with(1).json();
    assert_eq!(data["conflicts"][0]["path"], "$.todoList.x");
    assert_eq!(data["document"]["todoList"]["items"][1]["id"], "b");
}

#[test]
fn fork_is_closed_by_merge() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "plan.json",
        r#"{"vContextInfo":{"version":"0.4"},"todoList":{"items":[{"id":"a","title":"A","status":"pending"}]}}"#,
    );
    let fork = "doc fork plan.json --out fork.json --base base.json --reason try";
    let fork: Vec<&str> = fork.split(' ').collect();
    sandbox.windlass(&fork).succeeds();
    // A second fork doesn't overwrite the files of the first one.
    sandbox.windlass(&fork).exits_with(5);
    let read =
        |name: &str| -> serde_json::Value { serde_json::from_str(&sandbox.read(name)).unwrap() };
    let (parent, copy) = (read("plan.json"), read("fork.json"));
    let uid = &parent["todoList"]["uid"];
    assert!(uid.is_string() && copy["todoList"]["uid"] != *uid, "{copy}");
    assert_eq!(copy["todoList"]["fork"]["parentUid"], *uid);
    assert_eq!(copy["todoList"]["fork"]["forkReason"], "try");
    sandbox
        .windlass(&["doc", "item", "set", "fork.json", "a", "-s", "completed"])
        .succeeds();
    let merge = "doc merge base.json plan.json fork.json --out plan.json";
    let merge: Vec<&str> = merge.split(' ').collect();
    sandbox.windlass(&merge).succeeds();
    let (parent, copy) = (read("plan.json"), read("fork.json"));
    assert_eq!(parent["todoList"]["uid"], *uid);
    assert!(parent["todoList"].get("fork").is_none(), "{parent}");
    assert_eq!(parent["todoList"]["items"][0]["status"], "completed");
    assert_eq!(copy["todoList"]["fork"]["mergeStatus"], "merged");
    sandbox
        .windlass(&["doc", "check", "plan.json", "fork.json"])
        .succeeds();
    sandbox.write("other.json", r#"{"name":"x"}"#);
    sandbox
        .windlass(&["doc", "migrate", "other.json"])
        .exits_with(2);
}
