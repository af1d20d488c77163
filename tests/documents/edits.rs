//! Guarantees made by every command that changes a vContext document.

use crate::support::Sandbox;

/// Fields with numbers outside the range of `f64`, with special keys, and with unsorted keys.
const ODD: &str =
    r#""z":1e400,"class":12345678901234567890123,"__proto__":{"y":1.50,"a":-0},"b":[5.0]"#;

fn list(items: &str, more: &str) -> String {
    format!(r#"{{"vContextInfo":{{"version":"0.4"}},"todoList":{{"items":[{items}]{more}}}}}"#)
}

fn item(id: &str, status: &str, more: &str) -> String {
    format!(r#"{{"id":"{id}","title":"{id}","status":"{status}"{more}}}"#)
}

#[test]
fn numbers_keep_their_spelling() {
    let sandbox = Sandbox::git();
    let odd = format!(",{ODD}");
    sandbox.write("a.json", list(&item("a", "pending", &odd), ""));
    let (base, theirs) = (
        sandbox.read("a.json"),
        list(&item("a", "blocked", &odd), ""),
    );
    sandbox
        .write("base.json", &base)
        .write("theirs.json", &theirs);
    let set = [
        "doc", "item", "set", "a.json", "a", "--tag", "x", "--format", "json",
    ];
    let differ = base.replace("1e400", "2e400");
    sandbox.write("differ.json", differ);
    for (args, code, say) in [
        (&set[..], 0, ODD),
        (&["doc", "show", "a.json", "--format", "json"], 0, ODD),
        (
            &["doc", "convert", "a.json", "--to", "json", "--compact"],
            0,
            ODD,
        ),
        (
            &[
                "doc",
                "merge",
                "base.json",
                "a.json",
                "theirs.json",
                "--format",
                "json",
            ],
            0,
            ODD,
        ),
        (
            &[
                "doc",
                "diff",
                "base.json",
                "differ.json",
                "--format",
                "json",
            ],
            1,
            "\"first\":1e400,\"second\":2e400",
        ),
    ] {
        let answer = sandbox.windlass(args).exits_with(code);
        assert!(
            answer.stdout.contains(say),
            "{args:?}\n{}{}",
            answer.stdout,
            answer.stderr
        );
    }
    assert!(sandbox.read("a.json").contains(ODD));
    for percent in ["1e400", "NaN", "inf"] {
        let set = ["doc", "item", "set", "a.json", "a", "--percent", percent];
        sandbox.windlass(&set).exits_with(2);
    }
    // The same is true in TRON, and for a playbook's entries.
    let tron = sandbox
        .windlass(&["doc", "show", "a.json", "--format", "tron"])
        .succeeds()
        .stdout;
    for number in ["1e400", "12345678901234567890123", "1.50", "5.0"] {
        assert!(tron.contains(number), "{tron}");
    }
    sandbox.write("p.json", format!(
        r#"{{"vContextInfo":{{"version":"0.4"}},"playbook":{{"version":1,"created":"2025-01-01T00:00:00Z","updated":"2025-01-01T00:00:00Z","items":[{{"eventId":"e","targetId":"t","operation":"append","kind":"note","narrative":{{"Overview":"x"}},"status":"active","createdAt":"2025-01-01T00:00:00Z",{ODD}}}]}}}}"#
    ));
    let shown = sandbox
        .windlass(&["doc", "show", "p.json", "--format", "json"])
        .succeeds();
    assert!(shown.stdout.contains(ODD), "{}", shown.stdout);
}

const LOCK: &str = r#","lockedBy":{"agent":{"id":"bob","type":"human"},"acquiredAt":"2025-01-01T00:00:00Z","type":"hard"}"#;

#[test]
fn locks_cover_derived_and_merged_changes() {
    let sandbox = Sandbox::git();
    let stage = |lock: &str, percent: &str, part: &str| {
        format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"plan":{{"title":"P","status":"draft","narratives":{{"proposal":"x"}},"items":[{{"id":"s","title":"S","status":"pending","percentComplete":{percent}{lock},"subItems":[{}]}}]}}}}"#,
            item("a", part, "")
        )
    };
    let held = stage(LOCK, "0", "pending");
    sandbox.write("p.json", &held);
    sandbox
        .windlass(&["doc", "item", "set", "p.json", "s", "--percent", "9"])
        .exits_with(5);
    assert_eq!(sandbox.read("p.json"), held);
    sandbox
        .windlass(&["doc", "item", "set", "p.json", "a", "-s", "completed"])
        .succeeds();
    // ann may complete the item, but the percentage of the locked stage isn't updated.
    assert_eq!(sandbox.read("p.json"), stage(LOCK, "0", "completed"));
    // The holder of the lock may set the percentage.
    let own = [
        "--actor",
        "bob",
        "doc",
        "item",
        "set",
        "p.json",
        "a",
        "-s",
        "completed",
    ];
    sandbox.windlass(&own).succeeds();
    assert_eq!(sandbox.read("p.json"), stage(LOCK, "100", "completed"));

    sandbox.write("base.json", stage("", "0", "pending"));
    sandbox.write("ours.json", &held);
    // The other side has renamed the stage although bob has locked it.
    let theirs = stage("", "0", "pending").replace("\"S\"", "\"Z\"");
    sandbox.write("theirs.json", theirs);
    let merge = [
        "doc",
        "merge",
        "base.json",
        "ours.json",
        "theirs.json",
        "--out",
        "ours.json",
    ];
    let told = sandbox.windlass(&merge).exits_with(1).stderr;
    assert!(
        told.contains("conflict (locked) at $.plan.items[?(@.id=='s')]"),
        "{told}"
    );
    assert_eq!(sandbox.read("ours.json"), held);
}

#[test]
fn merge_counts_logs_and_keeps_events() {
    let sandbox = Sandbox::git();
    let log = r#","changeLog":[{"sequence":4,"timestamp":"2025-01-01T00:00:00Z","agent":{"id":"ann","type":"human"},"operation":"create"}]"#;
    let of = |one: &str, two: &str, sequence: u32| {
        let items = format!("{},{}", item("a", one, ""), item("b", two, ""));
        list(&items, &format!(r#","sequence":{sequence}{log}"#))
    };
    sandbox.write("base.json", of("pending", "pending", 4));
    sandbox.write("ours.json", of("blocked", "pending", 5));
    sandbox.write("theirs.json", of("pending", "blocked", 7));
    let merge = [
        "--actor",
        "me",
        "doc",
        "merge",
        "base.json",
        "ours.json",
        "theirs.json",
    ];
    let merged = sandbox.windlass(&merge).succeeds().json();
    let list = &merged["todoList"];
    // This is one more than the higher of the two.
    assert_eq!(list["sequence"], 8);
    let last = &list["changeLog"][1];
    assert_eq!(
        (&last["sequence"], &last["operation"], &last["agent"]["id"]),
        (&8.into(), &"merge".into(), &"me".into())
    );

    let event = |id: &str, says: &str| {
        format!(
            r#"{{"eventId":"{id}","targetId":"{id}","operation":"append","kind":"note","narrative":{{"Overview":"{says}"}},"status":"active","createdAt":"2025-01-01T00:00:00Z"}}"#
        )
    };
    let book = |events: &[String]| {
        format!(
            r#"{{"vContextInfo":{{"version":"0.4"}},"playbook":{{"version":1,"created":"2025-01-01T00:00:00Z","updated":"2025-01-01T00:00:00Z","items":[{}]}}}}"#,
            events.join(",")
        )
    };
    let (one, two) = (event("e1", "first"), event("e2", "second"));
    sandbox.write("base.json", book(&[one.clone(), two.clone()]));
    sandbox.write("ours.json", book(&[one, two]));
    sandbox.write(
        "theirs.json",
        book(&[event("e1", "other"), event("e3", "third")]),
    );
    // Their version changes the first event and lacks the second one. Events are only ever added,
    // so ours are kept and both problems are reported.
    let answer = sandbox.windlass(&merge).exits_with(1);
    for rule in ["event-changed", "event-removed"] {
        assert!(answer.stderr.contains(rule), "{}", answer.stderr);
    }
    let items = answer.json()["playbook"]["items"].clone();
    let said: Vec<&str> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["narrative"]["Overview"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["first", "second", "third"]);
}

#[test]
fn merge_never_overwrites_invalidly() {
    let sandbox = Sandbox::git();
    let base = list(&item("a", "pending", ""), "");
    for name in ["base.json", "ours.json", "theirs.json"] {
        sandbox.write(name, &base);
    }
    // The merged document breaks a rule, so the file isn't changed.
    let twice = format!("{},{}", item("a", "pending", ""), item("a", "blocked", ""));
    sandbox.write("theirs.json", list(&twice, ""));
    let merge = [
        "doc",
        "merge",
        "base.json",
        "ours.json",
        "theirs.json",
        "--out",
        "ours.json",
    ];
    sandbox.windlass(&merge).exits_with(2);
    assert_eq!(sandbox.read("ours.json"), base);
}

#[test]
fn sequence_accepts_any_whole_number_form() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "a.json",
        list(&item("a", "pending", ""), r#","sequence":5.0"#),
    );
    let set = [
        "doc",
        "item",
        "set",
        "a.json",
        "a",
        "-s",
        "blocked",
        "--if-sequence",
    ];
    sandbox.windlass(&[&set[..], &["4"]].concat()).exits_with(5);
    sandbox.windlass(&[&set[..], &["5"]].concat()).succeeds();
    assert!(sandbox.read("a.json").contains(r#""sequence":6"#));
    sandbox.write(
        "a.json",
        list(&item("a", "pending", ""), r#","sequence":1e2"#),
    );
    sandbox.windlass(&[&set[..], &["100"]].concat()).succeeds();
    assert!(sandbox.read("a.json").contains(r#""sequence":101"#));
}

#[test]
fn doc_new_never_overwrites() {
    let sandbox = Sandbox::git();
    for (sort, file) in [
        ("plan", "p.json"),
        ("todo", "t.tron"),
        ("playbook", "b.json"),
    ] {
        let new = [
            "doc",
            "new",
            sort,
            "--title",
            "Move the parser",
            "--out",
            file,
        ];
        sandbox.windlass(&new).succeeds();
        let checked = sandbox.windlass(&["doc", "check", file]).succeeds();
        assert_eq!(
            (checked.stdout, checked.stderr),
            (format!("{file}: valid\n"), String::new())
        );
        let before = sandbox.read(file);
        let again = sandbox.windlass(&new).exits_with(5).stderr;
        assert!(again.contains("exists already"), "{again}");
        assert_eq!(sandbox.read(file), before);
    }
    for file in ["p.json", "t.tron"] {
        sandbox
            .windlass(&["doc", "item", "add", file, "First", "--id", "a"])
            .succeeds();
    }
    let append = [
        "doc", "playbook", "append", "b.json", "x", "--kind", "note", "--text", "y",
    ];
    sandbox.windlass(&append).succeeds();
    let printed = sandbox
        .windlass(&["doc", "new", "todo", "--title", "T"])
        .succeeds()
        .json();
    assert_eq!(printed["todoList"]["title"], "T");
    sandbox
        .windlass(&["doc", "new", "todo", "--title", " "])
        .exits_with(2);
}

#[test]
fn doc_new_creates_valid_xbrief_plans() {
    let sandbox = Sandbox::git();
    let new = [
        "doc", "new", "plan", "--spec", "0.8", "--title", "Move", "--out", "p.json",
    ];
    sandbox.windlass(&new).succeeds();
    assert!(sandbox.read("p.json").contains("xBRIEFInfo"));
    sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    let add = ["doc", "item", "add", "p.json", "First", "--id", "a"];
    sandbox.windlass(&add).succeeds();
    let none = ["doc", "new", "todo", "--spec", "0.8", "--title", "T"];
    let refused = sandbox.windlass(&none).exits_with(2).stderr;
    assert!(refused.contains("version 0.8 has no TodoList"), "{refused}");
}

#[test]
fn compact_conversion_can_keep_nulls() {
    let sandbox = Sandbox::git();
    sandbox.write(
        "a.json",
        list(&item("a", "pending", r#","priority":null"#), ""),
    );
    let convert = ["doc", "convert", "a.json", "--to", "json", "--compact"];
    let kept = sandbox
        .windlass(&[&convert[..], &["--keep-null"]].concat())
        .succeeds();
    assert_eq!(kept.stdout.trim_end(), sandbox.read("a.json"));
    assert!(
        !sandbox
            .windlass(&convert)
            .succeeds()
            .stdout
            .contains("null")
    );
}

#[test]
fn mebibyte_id_is_refused_quickly() {
    let sandbox = Sandbox::git();
    let name = "x".repeat(1 << 20);
    sandbox.write(
        "a.json",
        list(&item(&name, "pending", r#","dependencies":["y"]"#), ""),
    );
    // Comparing this id with all the others would take too long.
    sandbox.windlass(&["doc", "check", "a.json"]).exits_with(2);
    sandbox
        .windlass(&["doc", "item", "set", "a.json", "nothing", "--percent", "1"])
        .exits_with(2);
}

#[test]
fn conversion_over_document_is_a_change() {
    let sandbox = Sandbox::git();
    let log = r#","sequence":3,"changeLog":[{"sequence":3,"timestamp":"2025-01-01T00:00:00Z","agent":{"id":"ann","type":"human"},"operation":"create"}]"#;
    let held = list(&item("a", "pending", LOCK), log);
    let other = list(&item("a", "completed", ""), "");
    sandbox.write("t.json", &held).write("other.json", &other);
    let convert = |actor: &str, from: &str, to: &str| {
        let out = format!("t.{to}");
        sandbox.windlass(&[
            "--actor", actor, "doc", "convert", from, "--to", to, "-o", &out,
        ])
    };
    // An item locked by bob is not changed.
    let refused = convert("ann", "other.json", "json").exits_with(5);
    assert!(
        refused.stderr.contains("`bob` has locked"),
        "{}",
        refused.stderr
    );
    assert_eq!(sandbox.read("t.json"), held);
    // The sequence continues from the replaced document, and the change is logged.
    let shorter = list(&item("a", "completed", ""), &log.replace('3', "2"));
    sandbox.write("shorter.json", shorter);
    convert("bob", "shorter.json", "json").succeeds();
    let written: serde_json::Value = serde_json::from_str(&sandbox.read("t.json")).unwrap();
    let list = &written["todoList"];
    assert_eq!(list["sequence"], 4);
    let last = &list["changeLog"][1];
    assert_eq!(
        (&last["sequence"], &last["agent"]["id"]),
        (&4.into(), &"bob".into())
    );
    // The same document in another form isn't a change, so the lock doesn't apply.
    sandbox.write("t.json", &held);
    convert("ann", "t.json", "json").succeeds();
    let written: serde_json::Value = serde_json::from_str(&sandbox.read("t.json")).unwrap();
    assert_eq!(written["todoList"]["sequence"], 3);
    assert_eq!(
        written["todoList"]["items"][0]["lockedBy"]["agent"]["id"],
        "bob"
    );
    // A file that isn't a document is replaced as a whole.
    sandbox.write("t.tron", "{}");
    convert("ann", "other.json", "tron").succeeds();
    assert!(sandbox.read("t.tron").contains("completed"));
}

#[test]
fn locked_item_is_not_migrated() {
    let sandbox = Sandbox::git();
    let says = format!(r#","narrative":{{"title":"Overview","content":"x"}}{LOCK}"#);
    let older = list(&item("a", "pending", &says), "");
    sandbox.write("t.json", &older);
    let migrate =
        |actor: &str| sandbox.windlass(&["--actor", actor, "doc", "migrate", "t.json", "--write"]);
    let refused = migrate("ann").exits_with(5);
    assert!(
        refused.stderr.contains("`bob` has locked"),
        "{}",
        refused.stderr
    );
    assert_eq!(sandbox.read("t.json"), older);
    migrate("bob").succeeds();
    assert_ne!(sandbox.read("t.json"), older);
}
