//! `windlass find` and `windlass zoo`, as they are typed.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod own;
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

fn root_of(sandbox: &Sandbox, file: &str) -> String {
    sandbox.root().join(file).to_str().unwrap().to_owned()
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
    sandbox.write(
        "single.toml",
        "schema_version = 1\n[gate]\nmetric = \"mrr\"\nat_least = 1.0\n",
    );
    let single = root_of(&sandbox, "single.toml");
    let refused = sandbox
        .windlass(&["zoo", "gate", "changing", "--gates", &single])
        .exits_with(2);
    assert!(
        refused.stderr.contains("`gate` is no list of gates"),
        "{}",
        refused.stderr
    );
    sandbox.write("newer.json", "{\"schema_version\": 9, \"means\": {}}");
    let newer = root_of(&sandbox, "newer.json");
    let refused = sandbox.windlass(&["zoo", "gate", "changing", "--baseline", &newer]);
    assert!(
        refused.code != 0 && refused.stderr.contains("schema version 9"),
        "{}",
        refused.stderr
    );
    let of_none = "schema_version = 1\n[[gate]]\nmetric = \"mrr\"\nat_least = 0.1\narchetypes = [\"research\"]\n";
    sandbox.write("other.toml", of_none);
    let other = root_of(&sandbox, "other.toml");
    let refused = sandbox
        .windlass(&["zoo", "gate", "changing", "--gates", &other])
        .exits_with(2);
    assert!(
        refused.stderr.contains("is about changing"),
        "{}",
        refused.stderr
    );
    let nothing = sandbox.windlass(&["zoo", "gate", "--changelog", "nope.md"]);
    assert!(
        nothing.code == 2 && nothing.stderr.contains("no file `nope.md`"),
        "{}",
        nothing.stderr
    );
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
            && list.contains("false_claim_rate (share, 0 to 1): ")
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

/// What git's own variables name in a hook, and what must be the same afterwards.
fn state_of(sandbox: &Sandbox) -> [String; 4] {
    [
        sandbox.run_git(&["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]),
        sandbox.run_git(&["ls-files", "--stage"]),
        sandbox.run_git(&["status", "--porcelain"]),
        sandbox.read(".git/config"),
    ]
}

#[test]
fn a_hook_that_measures_changes_nothing_of_the_repository_it_belongs_to() {
    let sandbox = repository();
    sandbox.edit("src/other.rs", "Adds", "Adds two");
    sandbox.commit("say of how many numbers it is");
    sandbox.write("src/staged.rs", "fn staged() {}\n");
    sandbox.run_git(&["add", "src/staged.rs"]);
    let before = state_of(&sandbox);
    let root = sandbox.root();
    for args in [&["zoo", "run", "changing", "--case", "history-shifted"][..]] {
        let mut command = sandbox.command(root, args);
        command
            .env("GIT_DIR", root.join(".git"))
            .env("GIT_WORK_TREE", root)
            .env("GIT_INDEX_FILE", root.join(".git/index"));
        support::answer(&mut command).succeeds();
        assert_eq!(state_of(&sandbox), before, "{args:?}");
    }
}

#[test]
fn without_a_place_to_work_in_nothing_is_measured_and_what_was_is_kept() {
    let sandbox = repository();
    let run = ["zoo", "run", "remembering"];
    let mut command = sandbox.command(sandbox.root(), &run);
    let nowhere = sandbox.outside().join("nowhere");
    let refused = support::answer(command.env("TMPDIR", nowhere)).exits_with(1);
    assert!(
        refused
            .stderr
            .contains("a folder for the run cannot be made"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.stdout, "");
    let report = sandbox.windlass(&["zoo", "report"]).exits_with(2);
    assert!(
        report.stderr.contains("nothing was measured yet"),
        "{}",
        report.stderr
    );
}
