//! Anchors: adding, listing, checking and removing them, one and many.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

use std::io::Write as _;
use std::process::Stdio;

use support::{Sandbox, answer, numbered};

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write("src/a.rs", numbered(1, 30))
        .write("src/b.rs", numbered(31, 60))
        .commit("x");
    sandbox
}

#[test]
fn an_anchor_lives_from_add_to_remove() {
    let sandbox = repository();
    let args = [
        "anchor",
        "add",
        "core",
        "src/a.rs:5-9",
        "src/b.rs:1",
        "-k",
        "contract",
        "-l",
        "The core",
        "-t",
        "api",
    ];
    sandbox.windlass(&args).succeeds();
    let listed = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(listed["anchors"][0]["id"], "core");
    assert_eq!(listed["anchors"][0]["kind"], "contract");
    assert_eq!(
        listed["anchors"][0]["evidence"].as_array().unwrap().len(),
        2
    );
    assert!(
        sandbox
            .windlass(&["anchor", "list", "-k", "ci"])
            .succeeds()
            .stdout
            .is_empty()
    );

    let shown = sandbox
        .windlass(&["anchor", "show", "core"])
        .succeeds()
        .stdout;
    assert!(
        shown.contains("line number 5") && shown.contains("line number 31"),
        "{shown}"
    );

    sandbox.windlass(&args).exits_with(5);
    let again = [&args[..], &["--replace"]].concat();
    sandbox.windlass(&again).succeeds();
    sandbox.windlass(&["anchor", "remove", "core"]).succeeds();
    let gone = sandbox
        .windlass(&["anchor", "remove", "core"])
        .exits_with(3);
    assert!(gone.stderr.contains("anchor list"), "{}", gone.stderr);
}

#[test]
fn paths_are_meant_from_where_the_user_stands() {
    let sandbox = repository();
    sandbox
        .windlass_in(
            &sandbox.root().join("src"),
            &["anchor", "add", "x", "a.rs:1"],
        )
        .succeeds();
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert!(listed.contains("src/a.rs:1"), "{listed}");
}

#[test]
fn many_are_added_at_once_or_not_at_all() {
    let sandbox = repository();
    let lines = |last: &str| {
        format!(
            "{{\"id\":\"one\",\"file\":\"src/a.rs\",\"start_line\":1,\"end_line\":2,\"symbol\":\"f\"}}\n{last}\n"
        )
    };
    sandbox.write(
        "bad.jsonl",
        lines(r#"{"id":"two","file":"src/a.rs","start_line":99}"#),
    );
    let refused = sandbox
        .windlass(&["anchor", "add", "--from", "bad.jsonl"])
        .exits_with(2);
    assert!(
        refused.stderr.contains("two") && refused.stderr.contains("30 lines"),
        "{}",
        refused.stderr
    );
    assert!(
        sandbox
            .windlass(&["anchor", "list"])
            .succeeds()
            .stdout
            .is_empty()
    );

    let good = lines(r#"{"id":"two","file":"src/b.rs","start_line":3}"#);
    let mut command = sandbox.command(sandbox.root(), &["anchor", "add", "--from", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(good.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    let checked = sandbox
        .windlass(&["anchor", "check", "--format", "jsonl"])
        .succeeds()
        .stdout;
    let ids: Vec<String> = checked
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            format!(
                "{} {}",
                value["id"].as_str().unwrap(),
                value["status"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(ids, ["one fresh", "two fresh"]);
}

#[test]
fn checking_says_what_no_longer_stands_and_fails() {
    let sandbox = repository();
    sandbox
        .windlass(&["anchor", "add", "up", "src/a.rs:10-12"])
        .succeeds();
    sandbox
        .windlass(&["anchor", "add", "down", "src/b.rs:10-12"])
        .succeeds();
    sandbox.windlass(&["anchor", "check"]).succeeds();
    sandbox.write("src/a.rs", format!("new\n{}", numbered(1, 30)));
    sandbox.edit("src/b.rs", "line number 41", "other");
    let checked = sandbox.windlass(&["anchor", "check"]).exits_with(1).stdout;
    assert!(checked.contains("now at src/a.rs:11-13"), "{checked}");
    assert!(checked.contains("0 of 2 fresh"), "{checked}");
    let lines = sandbox
        .windlass(&["anchor", "check", "--format", "jsonl"])
        .exits_with(1)
        .stdout;
    let down: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(down["repair"]["outcome"], "unproven");
    let named = sandbox
        .windlass(&["anchor", "check", "down", "up", "--format", "jsonl"])
        .exits_with(1)
        .stdout;
    assert!(
        named.lines().next().unwrap().contains("\"down\""),
        "in the order they were named: {named}"
    );
}

#[test]
fn what_cannot_be_captured_is_refused_with_the_reason() {
    let sandbox = repository();
    sandbox.write("bin", b"a\0b");
    for (place, code, reason) in [
        ("src/a.rs:99", 2, "30 lines"),
        ("src/none.rs:1", 3, "does not exist"),
        ("src:1", 2, "folder"),
        ("bin:1", 2, "binary"),
        ("../etc:1", 2, "leads upwards"),
        ("src/a.rs", 2, "names no lines"),
        ("src/a.rs:0", 2, "counted from 1"),
        ("src/a.rs:5-2", 2, "before the first"),
    ] {
        let answer = sandbox
            .windlass(&["anchor", "add", "x", place])
            .exits_with(code);
        assert!(answer.stderr.contains(reason), "{place}: {}", answer.stderr);
    }
    assert!(
        sandbox
            .windlass(&["anchor", "list"])
            .succeeds()
            .stdout
            .is_empty()
    );
}

#[test]
fn processes_that_write_at_once_lose_nothing() {
    let sandbox = repository();
    let children: Vec<_> = (0..8)
        .map(|n| {
            let place = format!("src/a.rs:{}", n + 1);
            let id = format!("a{n}");
            sandbox
                .command(sandbox.root(), &["anchor", "add", &id, &place])
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let listed = sandbox.windlass(&["anchor", "list"]).succeeds().stdout;
    assert_eq!(listed.lines().count(), 8, "{listed}");
}

#[test]
fn a_home_that_cannot_be_written_is_said_and_loses_nothing() {
    let sandbox = repository();
    let mut command = sandbox.command(sandbox.root(), &["anchor", "add", "x", "src/a.rs:1"]);
    let refused = answer(command.env("XDG_DATA_HOME", "/proc/nowhere"));
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("/proc/nowhere"),
        "{}",
        refused.stderr
    );
    let mut command = sandbox.command(sandbox.root(), &["anchor", "list"]);
    answer(command.env_remove("HOME")).succeeds();
}

#[test]
fn capturing_again_keeps_what_is_not_given() {
    let sandbox = repository();
    let args = [
        "anchor",
        "add",
        "core",
        "src/a.rs:5-9",
        "-k",
        "contract",
        "-l",
        "The core",
        "-t",
        "api",
    ];
    sandbox.windlass(&args).succeeds();
    sandbox
        .windlass(&["anchor", "add", "core", "src/a.rs:6-10", "--replace"])
        .succeeds();
    let listed = sandbox
        .windlass(&["anchor", "list", "--format", "json"])
        .succeeds()
        .json();
    let core = &listed["anchors"][0];
    assert_eq!(core["evidence"][0]["start_line"], 6);
    assert_eq!(
        (&core["kind"], &core["label"], &core["tags"][0]),
        (&"contract".into(), &"The core".into(), &"api".into())
    );
}
