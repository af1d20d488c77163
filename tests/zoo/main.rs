//! `windlass find` and `windlass zoo`, as they are typed.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod browser;
#[path = "../support/mod.rs"]
mod support;

use support::Sandbox;

const SESSIONS: &str = "use crate::clock;

/// Logs out who was idle for longer than allowed.
fn expire_sessions(now: u64) {
    // password = \"hunter2-and-a-half-x9\"
    close_all(now);
}

fn unrelated() -> u32 {
    7
}
";

fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write("src/sessions.rs", SESSIONS);
    sandbox.write(
        "src/other.rs",
        "/// Adds.\nfn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    );
    sandbox.write(".env", "IDLE_SESSIONS=s3cr3t-value-of-it\n");
    sandbox.commit("where sessions of idle visitors are ended");
    sandbox
}

#[test]
fn a_question_finds_what_is_defined_and_shows_no_secret() {
    let sandbox = repository();
    let answer = sandbox
        .windlass(&["find", "who logs out idle sessions"])
        .succeeds();
    let text = &answer.stdout;
    assert!(
        text.starts_with("src/sessions.rs:3-7 expire_sessions\n"),
        "{text}"
    );
    assert!(
        !text.contains("unrelated") && !text.contains("hunter2") && !text.contains("s3cr3t"),
        "{text}"
    );
    let found = sandbox
        .windlass(&["find", "expireSessions", "--format", "json"])
        .succeeds()
        .json();
    assert_eq!(found["places"][0]["file"], "src/sessions.rs");
    assert_eq!(found["places"][0]["score"], 100);
    assert!(found["places"][0]["source_hash"].is_string());
    sandbox.write("src/sub/empty.rs", "");
    let below = sandbox
        .windlass_in(&sandbox.root().join("src/sub"), &["find", "idle sessions"])
        .succeeds();
    assert!(below.stdout.contains("src/sessions.rs:3-7"));
}

#[test]
fn a_question_without_a_word_or_an_answer_is_told() {
    let sandbox = repository();
    let none = sandbox.windlass(&["find", "where is the"]).exits_with(2);
    assert!(
        none.stderr.contains("no word to look for") && none.stderr.contains("hint:"),
        "{}",
        none.stderr
    );
    let nothing = sandbox.windlass(&["find", "zeppelin"]).succeeds();
    assert_eq!(nothing.stdout, "");
    assert!(
        nothing
            .stderr
            .contains("nothing has a word of the question"),
        "{}",
        nothing.stderr
    );
    let little = sandbox
        .windlass(&[
            "find",
            "zeppelin airship hydrogen balloon basket number sandbag idle",
        ])
        .succeeds();
    assert!(
        little.stdout.is_empty()
            && little
                .stderr
                .contains("enough of the question; the nearest is src/sessions.rs:"),
        "{}{}",
        little.stdout,
        little.stderr
    );
    let tight = sandbox
        .windlass(&["find", "idle sessions", "--max-tokens", "5"])
        .succeeds();
    assert!(
        tight.stdout.is_empty() && tight.stderr.contains("would not fit"),
        "{}",
        tight.stderr
    );
    sandbox
        .windlass(&["find", "x1 sessions", "--in", "../x"])
        .exits_with(2);
}

#[test]
fn gates_that_make_no_sense_are_shown_with_their_place_before_anything_is_measured() {
    let sandbox = repository();
    sandbox.write(
        "gates.toml",
        "schema_version = 1\n\n[[gate]]\nmetric = \"recal_at_5\"\nat_least = 1.0\n",
    );
    let path = sandbox.root().join("gates.toml");
    let refused = sandbox
        .windlass(&["zoo", "gate", "--gates", path.to_str().unwrap()])
        .exits_with(2);
    for part in [
        "no metric called `recal_at_5`",
        "gates.toml:4:10",
        "did you mean `recall_at_5`?",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    let missing = sandbox
        .windlass(&["zoo", "gate", "--gates", "nope.toml"])
        .exits_with(2);
    assert!(missing.stderr.contains("there is no file `nope.toml`"));
}

#[test]
fn what_is_there_is_listed_and_what_is_not_is_named() {
    let sandbox = repository();
    let list = sandbox.windlass(&["zoo", "list"]).succeeds().stdout;
    assert!(
        list.contains("monorepo ")
            && list.contains("whole-file")
            && list.contains("false_claim_rate (share): ")
    );
    let unknown = sandbox.windlass(&["zoo", "run", "zebra"]).exits_with(2);
    assert!(
        unknown.stderr.contains("no archetype called `zebra`")
            && unknown.stderr.contains("monorepo")
    );
    let before = sandbox.windlass(&["zoo", "report"]).exits_with(2);
    assert!(
        before.stderr.contains("`windlass zoo run`"),
        "{}",
        before.stderr
    );
}

#[test]
fn a_repository_of_ones_own_is_asked_what_its_commits_say_and_reported() {
    let sandbox = repository();
    sandbox.edit(
        "src/other.rs",
        "    a + b",
        "    let sum = a + b;\n    debug_assert!(sum >= a);\n    sum",
    );
    sandbox.commit("check that adding numbers does not overflow");
    let root = sandbox.root().to_str().unwrap();
    let results = sandbox
        .windlass(&["zoo", "run", "--repo", root, "--format", "json"])
        .succeeds()
        .json();
    let cases = results["cases"].as_array().unwrap();
    let ours: Vec<_> = cases
        .iter()
        .filter(|case| case["system"] == "windlass")
        .collect();
    // The first commit also wrote a file that nobody is shown.
    assert_eq!(ours.len(), 1);
    let asked = ours
        .iter()
        .find(|case| case["asked"] == "check that adding numbers does not overflow")
        .unwrap();
    assert_eq!(asked["expected"], serde_json::json!(["src/other.rs:3-5"]));
    assert_eq!(asked["values"]["success_at_1"], 1.0, "{asked}");
    let page = sandbox.outside().join("report.html");
    sandbox
        .windlass(&["zoo", "report", "--out", page.to_str().unwrap()])
        .succeeds();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1 case"));
    let drift = sandbox
        .windlass(&["zoo", "drift", "--repo", root, "--from", "HEAD~1"])
        .succeeds()
        .stdout;
    assert!(drift.contains(" 0 wrong, 0 falsely gone"), "{drift}");
    let none = sandbox
        .windlass(&["zoo", "drift", "--repo", root, "--from", "nope"])
        .exits_with(1);
    assert!(none.stderr.contains("nope"), "{}", none.stderr);
}
