//! `windlass init` and a repository's first runbook.

use crate::support::{self, Sandbox};

/// Creates a repository with a readme, a program and a workflow.
fn winch() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox
        .write(
            "README.md",
            "# Winch\n\n![logo](x.png)\n\nWinch lifts anchors from the sea floor.\n",
        )
        .write("Cargo.toml", "[package]\nname = \"winch\"\n")
        .write("src/main.rs", "fn main() {\n    lift();\n}\n")
        .write(
            ".github/workflows/ci.yml",
            "on: pull_request\njobs:\n  fmt:\n    steps:\n      - run: cargo fmt --check\n  test:\n    steps:\n      - run: cargo test\n",
        );
    sandbox.commit("lift anchors");
    sandbox
}

#[test]
fn init_runbook_runs_and_is_not_replaced() {
    let sandbox = winch();
    let said = sandbox.windlass(&["init"]).succeeds().stderr;
    for words in [
        "found Rust, README.md, 2 gates, 1 entry point",
        "3 anchors can be saved",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    sandbox.windlass(&["check"]).succeeds();
    let run = sandbox.windlass(&["run"]).succeeds().stdout;
    for line in [
        "Winch lifts anchors",
        "src/main.rs:1-3",
        "ci.yml:6-8",
        "lift anchors",
    ] {
        assert!(run.contains(line), "{line}: {run}");
    }
    assert!(!run.contains("logo"), "{run}");
    sandbox.write("runbooks/overview.yaml", "mine");
    for (again, words) in [
        (&["init"][..], "3 anchors can be saved"),
        (&["init", "--yes"], "saved 3 anchors"),
    ] {
        let said = sandbox.windlass(again).succeeds().stderr;
        assert!(said.contains("kept runbooks/overview.yaml"), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(sandbox.read("runbooks/overview.yaml"), "mine");
}

#[test]
fn init_yes_saves_and_shows_anchors_once() {
    let sandbox = winch();
    sandbox.windlass(&["init", "--yes"]).succeeds();
    let run = sandbox.windlass(&["run"]).succeeds().stdout;
    let at = |text: &str| {
        assert_eq!(run.matches(text).count(), 1, "{text}: {run}");
        run.find(text)
    };
    assert!(at("(ci, gate-ci-test)") < at("(ci, gate-ci-fmt)"), "{run}");
    assert!(
        at("(ci, gate-ci-fmt)") < at("(entrypoint, start-winch)"),
        "{run}"
    );
    assert!(
        at("(entrypoint, start-winch)") < at("Winch lifts anchors"),
        "{run}"
    );
    // Deleting an anchor declines it, so the overview doesn't offer it again.
    sandbox
        .windlass(&["anchor", "remove", "start-winch"])
        .succeeds();
    let run = sandbox.windlass(&["run"]).succeeds().stdout;
    assert!(!run.contains("src/main.rs"), "{run}");
}

#[test]
fn init_survives_a_lost_introduction() {
    let sandbox = winch();
    sandbox.windlass(&["init"]).succeeds();
    sandbox.write("README.md", "# Winch\n");
    let run = sandbox.windlass(&["run"]).succeeds().stdout;
    assert!(run.contains("README.md  empty"), "{run}");
}

#[test]
fn init_refuses_git_internals() {
    let sandbox = Sandbox::git();
    sandbox.write("bare.git/HEAD", "ref: refs/heads/main\n");
    for folder in ["objects/info", "refs/heads", "hooks"] {
        sandbox.write(&format!("bare.git/{folder}/x"), "");
    }
    let outside = tempfile::tempdir().unwrap();
    let bare = outside.path().join("bare.git");
    std::fs::rename(sandbox.root().join("bare.git"), &bare).unwrap();
    for folder in [&bare, &bare.join("hooks")] {
        for arguments in [&["init"][..], &["init", "--force"]] {
            let mut command = sandbox.command(folder, arguments);
            let refused = support::answer(&mut command).exits_with(4).stderr;
            assert!(
                refused.contains("folder of git itself") && refused.contains("git worktree add"),
                "{refused}"
            );
        }
        assert!(!folder.join("runbooks").exists() && !folder.join(".windlass").exists());
    }
}

#[test]
fn init_marks_root_without_git() {
    let sandbox = Sandbox::folder();
    sandbox.write("sub/a.txt", "text\n");
    let said = sandbox.windlass(&["init"]).succeeds().stderr;
    assert!(said.contains("wrote .windlass/secrets"), "{said}");
    let folder = sandbox.root().join("sub");
    let mut command = sandbox.command(&folder, &["run", "overview"]);
    let answer = support::answer(&mut command).succeeds();
    assert!(answer.stdout.contains("Overview"), "{}", answer.stdout);
    let again = sandbox.windlass(&["init", "--force"]).succeeds().stderr;
    assert!(!again.contains(".windlass"), "{again}");
}
