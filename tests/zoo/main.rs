//! `windlass find` and `windlass zoo` as commands.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod fleet;
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
fn find_shows_definition_without_secret() {
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
fn empty_question_or_answer_is_reported() {
    let sandbox = repository();
    let none = sandbox.windlass(&["find", "where is the"]).exits_with(2);
    assert!(
        none.stderr.contains("no word to look for") && none.stderr.contains("help:"),
        "{}",
        none.stderr
    );
    let nothing = sandbox.windlass(&["find", "zeppelin"]).succeeds();
    assert_eq!(nothing.stdout, "");
    assert!(
        nothing
            .stderr
            .contains("no file contains a word of the question"),
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
        tight.stdout.is_empty() && tight.stderr.contains("did not fit"),
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
fn invalid_gates_are_located_before_measuring() {
    let sandbox = repository();
    sandbox.write(
        "gates.toml",
        "schema_version = 1\n\n[[gate]]\nmetric = \"recal_at_5\"\nat_least = 1.0\n",
    );
    let path = sandbox.root().join("gates.toml");
    let refused = sandbox
        .windlass(&["zoo", "gate", "--gates", path.to_str().unwrap()])
        .exits_with(2);
    for part in ["unknown variant `recal_at_5`", "gates.toml:4:10"] {
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
        refused.stderr.contains("expected a sequence"),
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
        refused.stderr.contains("applies to changing"),
        "{}",
        refused.stderr
    );
    let nothing = sandbox.windlass(&["zoo", "gate", "--changelog", "nope.md"]);
    assert!(
        nothing.code == 2 && nothing.stderr.contains("no such file `nope.md`"),
        "{}",
        nothing.stderr
    );
    let missing = sandbox
        .windlass(&["zoo", "gate", "--gates", "nope.toml"])
        .exits_with(2);
    assert!(missing.stderr.contains("no such file `nope.toml`"));
}

#[test]
fn argument_errors_precede_measuring() {
    let sandbox = repository();
    sandbox.write("broken.json", "{");
    sandbox.write(
        "gates.toml",
        "schema_version = 1\n[[gate]]\nmetric = \"mrr\"\nat_least = 2.0\n",
    );
    let gates = root_of(&sandbox, "gates.toml");
    let gate = |more: &[&str]| {
        let gate = ["zoo", "gate", "remembering", "--gates", &gates];
        sandbox.windlass(&[&gate[..], more].concat())
    };
    for (more, why) in [
        (["--changelog", &gates], "needs a baseline"),
        (
            ["--write-baseline", &root_of(&sandbox, "broken.json")],
            "broken.json",
        ),
        (
            ["--write-baseline", &root_of(&sandbox, "nowhere/b.json")],
            "no such folder",
        ),
    ] {
        let told = gate(&more);
        assert!(
            told.code != 0 && told.stderr.contains(why),
            "{more:?}: {}",
            told.stderr
        );
        assert_eq!(told.stdout, "", "{more:?}");
    }
    // A failed gate is reported, but doesn't stop the baseline from being written.
    let file = sandbox.outside().join("b.json");
    let written = gate(&["--write-baseline", file.to_str().unwrap()]).exits_with(1);
    assert!(
        written
            .stderr
            .contains("1 gate failed regardless of the baseline")
            && written.stderr.contains("add to the changelog: `zoo "),
        "{}",
        written.stderr
    );
    let baseline = std::fs::read_to_string(file).unwrap();
    assert!(
        baseline.contains("\"changes\": \"first baseline\""),
        "{baseline}"
    );
    // The report shows the gates of the last run.
    let report = sandbox
        .windlass(&["zoo", "report", "--format", "markdown"])
        .succeeds();
    assert!(
        report.stdout.contains("**Failed gates: 1.**"),
        "{}",
        report.stdout
    );
}

#[test]
fn zoo_list_and_unknown_names() {
    let sandbox = repository();
    let list = sandbox.windlass(&["zoo", "list"]).succeeds().stdout;
    assert!(
        list.contains("monorepo ")
            && list.contains("whole-file")
            && list.contains("false_claim_rate (share, 0 to 1): ")
    );
    let unknown = sandbox.windlass(&["zoo", "run", "zebra"]).exits_with(2);
    assert!(
        unknown.stderr.contains("unknown archetype `zebra`") && unknown.stderr.contains("monorepo")
    );
    let before = sandbox.windlass(&["zoo", "report"]).exits_with(2);
    assert!(
        before.stderr.contains("`windlass zoo run`"),
        "{}",
        before.stderr
    );
}

/// Returns the state of the repository named by git's variables in a hook. It must not change.
fn state_of(sandbox: &Sandbox) -> [String; 4] {
    [
        sandbox.run_git(&["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]),
        sandbox.run_git(&["ls-files", "--stage"]),
        sandbox.run_git(&["status", "--porcelain"]),
        sandbox.read(".git/config"),
    ]
}

#[test]
fn measuring_in_a_hook_leaves_repo_alone() {
    let sandbox = repository();
    sandbox.edit("src/other.rs", "Adds", "Adds two");
    sandbox.commit("say of how many numbers it is");
    sandbox.write("src/staged.rs", "fn staged() {}\n");
    sandbox.run_git(&["add", "src/staged.rs"]);
    let before = state_of(&sandbox);
    let root = sandbox.root();
    let mut command = sandbox.command(
        root,
        &["zoo", "run", "changing", "--case", "history-shifted"],
    );
    // Git sets these variables for a hook, and the git processes that we start inherit them.
    command
        .env("GIT_DIR", root.join(".git"))
        .env("GIT_WORK_TREE", root)
        .env("GIT_INDEX_FILE", root.join(".git/index"));
    support::answer(&mut command).succeeds();
    assert_eq!(state_of(&sandbox), before);
}

#[test]
fn missing_temp_folder_keeps_last_results() {
    let sandbox = repository();
    let run = ["zoo", "run", "remembering"];
    let mut command = sandbox.command(sandbox.root(), &run);
    let nowhere = sandbox.outside().join("nowhere");
    let refused = support::answer(command.env("TMPDIR", nowhere)).exits_with(1);
    assert!(
        refused
            .stderr
            .contains("cannot create a folder for the run"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.stdout, "");
    let report = sandbox.windlass(&["zoo", "report"]).exits_with(2);
    assert!(
        report.stderr.contains("no results yet"),
        "{}",
        report.stderr
    );
}
