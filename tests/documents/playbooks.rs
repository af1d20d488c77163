//! Playbooks: merged copies, concurrent events and duplicate entries.

use crate::support::Sandbox;
use crate::vcontext::{LIST, PLAYBOOK};

fn log(events: &[&str]) -> String {
    PLAYBOOK.replace("[]", &format!("[{}]", events.join(",")))
}

const FIRST: &str = r#"{"eventId": "e1", "targetId": "t", "operation": "append", "kind": "rule", "narrative": {"Overview": "x"}, "createdAt": "2025-01-01T00:00:00Z"}"#;

fn update(id: &str, prev: &str, more: &str) -> String {
    format!(
        r#"{{"eventId": "{id}", "targetId": "t", "operation": "update", "prevEventId": "{prev}", "createdAt": "2025-01-01T00:00:00Z"{more}}}"#
    )
}

#[test]
fn only_valid_playbooks_merge() {
    let sandbox = Sandbox::git();
    let good = log(&[FIRST]);
    sandbox.write("p.json", &good);
    let begun_again = FIRST.replace("\"e1\"", "\"f1\"");
    for (text, rule, place) in [
        (LIST.to_owned(), "no-playbook", "q.json:1:1"),
        (
            log(&[&update("e2", "gone", "")]),
            "unknown-previous",
            "q.json:9:",
        ),
        (
            PLAYBOOK.replace("\"0.4\"", "\"x\""),
            "wrong-version",
            "q.json:3:16",
        ),
        (log(&[&begun_again]), "second-beginning", "p.json:9:"),
    ] {
        sandbox.write("q.json", &text);
        let merge = ["doc", "playbook", "merge", "p.json", "q.json"];
        let told = sandbox.windlass(&merge).exits_with(2).stderr;
        assert!(told.contains(&format!("error[{rule}]")), "{rule}: {told}");
        assert!(told.contains(place), "{rule}: {told}");
        assert_eq!(sandbox.read("p.json"), good, "{rule}");
        // In the other direction, it's the target itself that is refused.
        let merge = ["doc", "playbook", "merge", "q.json", "p.json"];
        sandbox.windlass(&merge).exits_with(2);
        assert_eq!(sandbox.read("q.json"), text, "{rule}");
    }
}

#[test]
fn counts_of_copies_add_up() {
    let sandbox = Sandbox::git();
    let helped = |id: &str, count: u32| {
        let more = format!(r#", "delta": {{"helpfulCount": {count}, "harmfulCount": 1}}"#);
        update(id, "e1", &more)
    };
    sandbox.write("p.json", log(&[FIRST, &helped("a", 2)]));
    sandbox.write("q.json", log(&[FIRST, &helped("b", 3)]));
    let merge = [
        "doc", "playbook", "merge", "p.json", "q.json", "--format", "json",
    ];
    let told = sandbox.windlass(&merge).succeeds().json();
    assert_eq!(told["added"][0], "b");
    let entry = &told["entries"][0];
    assert_eq!(
        (&entry["helpfulCount"], &entry["harmfulCount"]),
        (&5.into(), &2.into())
    );
    assert_eq!(told["metrics"]["totalEntries"], 1);
    // The entries are concurrent, and the printed command resolves them.
    let command = entry["resolve"].as_str().unwrap();
    assert_eq!(
        command,
        "windlass doc playbook resolve p.json t --retain b --over a"
    );
    let checked = sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    let counts = "`b` counts; `windlass doc playbook show` prints the command";
    assert!(checked.stderr.contains(counts), "{}", checked.stderr);
    let shown = sandbox
        .windlass(&["doc", "playbook", "show", "p.json"])
        .succeeds();
    assert!(shown.stdout.contains(command), "{}", shown.stdout);
    assert!(
        shown.stderr.contains("1 entry in total"),
        "{}",
        shown.stderr
    );
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let said = [&words[..], &["--text", "both", "--dry-run"]].concat();
    sandbox.windlass(&said).succeeds();
    let said = [&words[..], &["--text", "both"]].concat();
    sandbox.windlass(&said).succeeds();
    // The entry is already resolved, so a second resolution is refused.
    sandbox.windlass(&said).exits_with(2);
    let checked = sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    assert_eq!(checked.stderr, "");
    let shown = sandbox
        .windlass(&["doc", "playbook", "show", "p.json", "--format", "json"])
        .succeeds()
        .json();
    let entry = &shown["entries"][0];
    assert!(entry.get("heads").is_none() && entry.get("resolve").is_none());
    assert_eq!(entry["narrative"]["Overview"], "both");
    assert_eq!(entry["helpfulCount"], 5);
    assert_eq!(shown["metrics"]["totalEntries"], 1);
}

#[test]
fn unseen_heads_survive_resolve() {
    let sandbox = Sandbox::git();
    let all = [
        FIRST.to_owned(),
        update("a", "e1", ""),
        update("b", "e1", ""),
        update("c", "e1", ""),
    ];
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    sandbox.write("p.json", log(&all));
    // An update continues the newest event of its entry, and here are three of them.
    let update = ["doc", "playbook", "update", "p.json", "t", "--helpful", "1"];
    let told = sandbox.windlass(&update).exits_with(5).stderr;
    let command = "windlass doc playbook resolve p.json t\n";
    assert!(told.contains(command), "{told}");
    let resolve = ["doc", "playbook", "resolve", "p.json", "t", "--keep", "a"];
    // A user who only names `b` may not know about `c` yet.
    let stale = [&resolve[..], &["--over", "b"]].concat();
    let told = sandbox.windlass(&stale).exits_with(5).stderr;
    assert!(told.contains("`b`, `c`") || told.contains("`c`"), "{told}");
    sandbox.windlass(&resolve).succeeds();
    let checked = sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    assert_eq!(checked.stderr, "");
}

#[test]
fn invalid_numbers_name_the_range() {
    let sandbox = Sandbox::git();
    sandbox.write("p.json", log(&[FIRST])).write("l.json", LIST);
    for number in ["nan", "NaN", "inf", "-1", "101", "1e400", "x", ""] {
        let confidence = [
            "doc",
            "playbook",
            "update",
            "p.json",
            "t",
            "--confidence",
            number,
        ];
        let told = sandbox.windlass(&confidence).exits_with(2).stderr;
        assert!(told.contains("from 0 to 1"), "{number}: {told}");
        let percent = ["doc", "item", "set", "l.json", "b", "--percent", number];
        let told = sandbox.windlass(&percent).exits_with(2).stderr;
        assert!(told.contains("from 0 to 100"), "{number}: {told}");
    }
    assert_eq!(sandbox.read("l.json"), LIST);
    let good = ["doc", "item", "set", "l.json", "b", "--percent", "99.5"];
    sandbox.windlass(&good).succeeds();
}

#[test]
fn item_edits_stay_consistent() {
    let sandbox = Sandbox::git();
    sandbox.write("l.json", LIST);
    for args in [
        &["set", "l.json", "a", "--percent", "40"][..],
        &["set", "l.json", "b", "--percent", "100"],
        &["set", "l.json", "b", "-s", "completed", "--percent", "7"],
        &["set", "l.json", "a", "-s", "pending", "--percent", "100"],
        &["add", "l.json", "new", "--percent", "100"],
    ] {
        let edit = [&["doc", "item"], args].concat();
        sandbox.windlass(&edit).succeeds();
        let told = sandbox.windlass(&["doc", "check", "l.json"]).succeeds();
        assert!(!told.stderr.contains("percent-status"), "{}", told.stderr);
    }
}

#[test]
fn dedupe_ends_all_duplicates_but_one() {
    let sandbox = Sandbox::git();
    sandbox.write("p.json", PLAYBOOK);
    for (target, text) in [("a", "Stage first"), ("b", "stage  first."), ("c", "Never")] {
        let args = [
            "doc", "playbook", "append", "p.json", target, "--kind", "rule", "--text", text,
        ];
        sandbox.windlass(&args).succeeds();
    }
    let helped = ["doc", "playbook", "update", "p.json", "b", "--helpful", "3"];
    sandbox.windlass(&helped).succeeds();
    let before = sandbox.read("p.json");
    let dedupe = ["doc", "playbook", "dedupe", "p.json"];
    let exact = [&dedupe[..], &["--exact"]].concat();
    // The two texts aren't the same byte for byte.
    assert_eq!(sandbox.windlass(&exact).succeeds().stdout, "");
    let dry = [&dedupe[..], &["--dry-run"]].concat();
    let told = sandbox.windlass(&dry).succeeds();
    assert_eq!(told.stdout, "b  =  a  (normalized)\n");
    assert_eq!(sandbox.read("p.json"), before);
    sandbox.write("copy.json", &before);
    sandbox.windlass(&dedupe).succeeds();
    sandbox
        .windlass(&["doc", "playbook", "dedupe", "copy.json"])
        .succeeds();
    // Since both copies get the same new events, they can still be merged.
    assert_eq!(sandbox.read("p.json"), sandbox.read("copy.json"));
    let checked = sandbox.windlass(&["doc", "check", "p.json"]).succeeds();
    assert_eq!(checked.stderr, "");
    let shown = sandbox
        .windlass(&["doc", "playbook", "show", "p.json", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(shown["entries"].as_array().unwrap().len(), 2);
    assert_eq!(shown["entries"][0]["helpfulCount"], 3);
    assert_eq!(sandbox.windlass(&dedupe).succeeds().stdout, "");
}

#[test]
fn separately_migrated_playbooks_merge() {
    let sandbox = Sandbox::git();
    let old = |text: &str| {
        format!(
            r#"{{"vContextInfo": {{"version": "0.4"}}, "playbook": {{"items": [{{"title": "T", "content": "{text}"}}, {{"title": "same", "content": "s"}}]}}}}"#
        )
    };
    sandbox
        .write("p.json", old("one"))
        .write("q.json", old("two"));
    for file in ["p.json", "q.json"] {
        sandbox
            .windlass(&["doc", "migrate", file, "--write"])
            .succeeds();
    }
    let first = sandbox.read("p.json");
    sandbox.write("again.json", old("one"));
    sandbox
        .windlass(&["doc", "migrate", "again.json", "--write"])
        .succeeds();
    // Migrating the same file again gives the same events, so copies can be migrated separately.
    assert_eq!(sandbox.read("again.json"), first);
    let merge = ["doc", "playbook", "merge", "p.json", "q.json"];
    let told = sandbox.windlass(&merge).succeeds();
    assert_eq!(told.stdout.lines().count(), 1);
    let shown = ["doc", "playbook", "show", "p.json", "--format", "json"];
    let shown = sandbox.windlass(&shown).succeeds().json();
    // One of the two entries is the same in both files.
    assert_eq!(shown["total"], 3);
}

#[test]
fn outside_and_remote_links_are_reported() {
    let sandbox = Sandbox::git();
    let uris = r#""status": "completed", "uris": [{"uri": "file://../l.json"}, {"uri": "file://../../x"}, {"uri": "file://%2e%2e/x"}, {"uri": "file://docs/x"}]"#;
    let text = LIST.replacen("\"status\": \"completed\"", uris, 1);
    sandbox.write("l.json", &text).write("sub/l.json", &text);
    let told = sandbox.windlass(&["doc", "check", "sub/l.json"]).succeeds();
    let count = |rule: &str| told.stderr.matches(&format!("warning[{rule}]")).count();
    assert_eq!(count("link-outside"), 1, "{}", told.stderr);
    assert_eq!(count("link-host"), 2, "{}", told.stderr);
    assert_eq!(count("link-missing"), 0, "{}", told.stderr);
    let told = sandbox.windlass(&["doc", "check", "l.json"]).succeeds();
    assert!(
        told.stderr.contains("`../l.json` leads out"),
        "{}",
        told.stderr
    );
}

/// An algorithm that's quadratic in the events would take minutes here.
#[test]
fn long_logs_are_processed_in_time() {
    let sandbox = Sandbox::git();
    let entry = |at: usize| {
        let id = format!("\"e{at}\"");
        FIRST
            .replace("\"e1\"", &id)
            .replace("\"t\"", &format!("\"t{at}\""))
    };
    let many = |from: usize| {
        let events: Vec<String> = (from..from + 4_000).map(entry).collect();
        PLAYBOOK.replace("[]", &format!("[{}]", events.join(",\n")))
    };
    let forked: Vec<String> = (2..4_000)
        .map(|at| update(&format!("e{at}"), "e1", ""))
        .collect();
    let forked = format!("{FIRST},\n{}", forked.join(",\n"));
    let strays: Vec<String> = (2..4_000)
        .map(|at| update(&format!("e{at}"), &format!("g{at}"), ""))
        .collect();
    let strays = format!("{FIRST},\n{}", strays.join(",\n"));
    sandbox
        .write("p.json", many(0))
        .write("q.json", many(4_000));
    sandbox.write("f.json", log(&[&forked]));
    sandbox.write("s.json", log(&[&strays]));
    sandbox
        .windlass(&["doc", "playbook", "merge", "p.json", "q.json"])
        .succeeds();
    sandbox
        .windlass(&["doc", "playbook", "dedupe", "p.json"])
        .succeeds();
    sandbox.windlass(&["doc", "check", "f.json"]).succeeds();
    sandbox.windlass(&["doc", "check", "s.json"]).exits_with(2);
}

#[test]
fn event_is_logged_under_given_actor() {
    let sandbox = Sandbox::git();
    let log = r#""sequence":1,"changeLog":[{"sequence":1,"timestamp":"2025-01-01T00:00:00Z","agent":{"id":"ann","type":"human"},"operation":"create"}]"#;
    let book = r#"{"version":1,"created":"2025-01-01T00:00:00Z","updated":"2025-01-01T00:00:00Z","items":[]}"#;
    sandbox.write(
        "p.json",
        format!(r#"{{"vContextInfo":{{"version":"0.4"}},"plan":{{"title":"P","status":"draft","narratives":{{"proposal":"x"}},{log},"playbook":{book}}}}}"#),
    );
    let append = [
        "doc", "playbook", "append", "p.json", "t", "--kind", "rule", "--text", "x",
    ];
    sandbox
        .windlass(&[&["--actor", "rig/crew/eve"], &append[..]].concat())
        .succeeds();
    let written: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
    assert_eq!(
        written["plan"]["changeLog"][1]["agent"]["id"],
        "rig/crew/eve"
    );
}
