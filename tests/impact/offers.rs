//! Git hook and CI workflow that check changes automatically.

use std::process::Command;

use super::sandbox;
use super::support::Sandbox;

#[cfg(unix)]
#[test]
fn hook_stops_stale_commit() {
    let sandbox = sandbox();
    let said = sandbox.windlass(&["init", "--hook"]).succeeds().stderr;
    assert!(said.contains("wrote .git/hooks/pre-commit"), "{said}");
    let again = sandbox.windlass(&["init", "--hook"]).succeeds().stderr;
    assert!(again.contains("already installed"), "{again}");
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    assert!(!commit(&sandbox), "the commit should have been kept back");
    sandbox
        .windlass(&["anchor", "repair", "--edited"])
        .succeeds();
    assert!(commit(&sandbox));
}

#[cfg(unix)]
#[test]
fn hook_accepts_anchor_that_only_moved() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    sandbox.edit("src/a.rs", "line number 20\n", "line number 20\nnew\n");
    let (is_done, said) = commit_output(&sandbox, &["--all"]);
    assert!(is_done, "{said}");
    // A document with wrong lines is part of the commit, so repair it first.
    sandbox
        .write("docs/d.md", "The limit is `src/a.rs:30`.\n")
        .commit("document");
    sandbox.edit("src/a.rs", "line number 10\n", "line number 10\nnew\n");
    assert!(!commit(&sandbox), "the commit should have been kept back");
    sandbox.windlass(&["anchor", "scan", "--fix"]).succeeds();
    assert!(commit(&sandbox));
}

#[test]
fn all_requested_parts_are_set_up() {
    let sandbox = sandbox();
    let call = ["init", "--hook", "--ci", "--mcp", "claude"];
    let said = sandbox.windlass(&call).succeeds().stderr;
    let wrote = |file: &str| said.find(&format!("wrote {file}"));
    let parts = [".git/hooks/pre-commit", ".github/workflows/", ".mcp.json"].map(wrote);
    assert!(parts.is_sorted() && parts[0].is_some(), "{said}");
}

#[cfg(unix)]
#[test]
fn hook_commits_the_ledger() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    let create = |title: &str| {
        let args = ["bead", "create", title, "--actor", "ann"];
        sandbox.windlass(&args).succeeds();
    };
    create("One");
    sandbox
        .windlass(&["events", "sync", "--actor", "ann"])
        .succeeds();
    sandbox.run_git(&["add", ".beads"]);
    assert!(committed(&sandbox, &[]));
    create("Two");
    sandbox.write("other.txt", "other\n");
    sandbox.run_git(&["add", "other.txt"]);
    // The user's own edits in the ledger folder are left alone.
    sandbox.write(".beads/.gitattributes", "# being edited\n");
    assert!(committed(&sandbox, &[]));
    assert_eq!(
        sandbox.run_git(&["status", "--short"]),
        " M .beads/.gitattributes\n"
    );
    let shown = sandbox.run_git(&["show", "HEAD:.beads/issues.jsonl"]);
    assert!(shown.contains("Two"), "{shown}");
}

#[cfg(unix)]
#[test]
fn hook_in_worktree_leaves_main_tree() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    let create = |title: &str| {
        let args = ["bead", "create", title, "--actor", "ann"];
        sandbox.windlass(&args).succeeds();
    };
    create("One");
    sandbox.windlass(&["events", "sync"]).succeeds();
    sandbox.run_git(&["add", ".beads"]);
    assert!(committed(&sandbox, &[]));
    let linked = sandbox.outside().join("linked");
    let linked = linked.to_str().unwrap();
    sandbox.run_git(&["worktree", "add", "--quiet", "-b", "side", linked]);
    create("Two");
    std::fs::write(format!("{linked}/more.txt"), "more\n").unwrap();
    sandbox.run_git(&["-C", linked, "add", "more.txt"]);
    let (is_done, said) = commit_output_in(&sandbox, std::path::Path::new(linked), &[]);
    assert!(is_done, "{said}");
    let shown = sandbox.run_git(&["show", "side:.beads/issues.jsonl"]);
    assert!(shown.contains("Two"), "{shown}");
    for tree in [".", linked] {
        let changed = sandbox.run_git(&["-C", tree, "status", "--short"]);
        assert_eq!(changed, "", "{tree}");
    }
}

#[cfg(unix)]
#[test]
fn hook_names_unstaged_difference() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    sandbox.run_git(&["add", "src/a.rs"]);
    sandbox.edit("src/a.rs", "edited\n", "line number 6\n");
    // The anchor is stale in the index, but not in the working tree, which is what we check.
    let (is_done, said) = commit_output(&sandbox, &[]);
    assert!(is_done && said.contains("are not staged"), "{said}");
    let (is_done, said) = commit_output(&sandbox, &["--all"]);
    assert!(is_done && !said.contains("are not staged"), "{said}");
}

#[cfg(unix)]
#[test]
fn hook_checks_committed_files_only() {
    let sandbox = sandbox();
    sandbox.windlass(&["init", "--hook"]).succeeds();
    // Unstaged work that makes an anchor stale isn't part of the commit.
    sandbox.edit("src/a.rs", "line number 6\n", "edited\n");
    sandbox.write("other file.txt", "other\n");
    sandbox.run_git(&["add", "other file.txt"]);
    let (is_done, said) = commit_output(&sandbox, &[]);
    assert!(is_done && said.contains("are not staged"), "{said}");
    let (is_done, said) = commit_output(&sandbox, &["src/a.rs"]);
    assert!(!is_done && said.contains("--no-verify"), "{said}");
    let (is_done, said) = commit_output(&sandbox, &["--allow-empty"]);
    assert!(is_done, "{said}");
}

/// Commits all changes, with the command on the path. Returns true if git accepted the commit.
#[cfg(unix)]
fn commit(sandbox: &Sandbox) -> bool {
    committed(sandbox, &["--all"])
}

#[cfg(unix)]
fn committed(sandbox: &Sandbox, how: &[&str]) -> bool {
    commit_output(sandbox, how).0
}

/// Returns true if git accepted the commit, along with git's messages.
#[cfg(unix)]
fn commit_output(sandbox: &Sandbox, how: &[&str]) -> (bool, String) {
    commit_output_in(sandbox, sandbox.root(), how)
}

#[cfg(unix)]
fn commit_output_in(sandbox: &Sandbox, tree: &std::path::Path, how: &[&str]) -> (bool, String) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_windlass"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut git = Command::new("git");
    git.current_dir(tree)
        .env_clear()
        .env("HOME", sandbox.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("PATH", path);
    for role in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{role}_NAME"), "Test")
            .env(format!("GIT_{role}_EMAIL"), "test@example.org");
    }
    git.args(["commit", "--quiet", "-m", "x"]).args(how);
    let output = git.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), said)
}

#[test]
fn custom_hooks_path_is_left_alone() {
    let sandbox = sandbox();
    sandbox.run_git(&["config", "core.hooksPath", ".githooks"]);
    let refused = sandbox.windlass(&["init", "--hook"]).exits_with(1);
    assert!(
        refused.stderr.contains(".githooks/pre-commit"),
        "{}",
        refused.stderr
    );
    let printed = sandbox
        .windlass(&["init", "--hook", "--dry-run"])
        .succeeds();
    assert!(
        printed.stdout.starts_with("#!/bin/sh\n"),
        "{}",
        printed.stdout
    );
    Sandbox::folder()
        .windlass(&["init", "--hook"])
        .exits_with(1);
}

#[test]
fn hook_of_the_user_is_never_lost() {
    let sandbox = sandbox();
    let hooks = sandbox.root().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    let read = |name: &str| std::fs::read_to_string(hooks.join(name)).unwrap();
    let mine = "#!/bin/sh\nmake lint\n";
    std::fs::write(hooks.join("pre-commit"), mine).unwrap();
    let refused = sandbox.windlass(&["init", "--hook"]).exits_with(5).stderr;
    assert!(
        refused.contains("windlass impact --allow-moved || exit 1"),
        "{refused}"
    );
    assert_eq!(read("pre-commit"), mine);
    let force = ["init", "--hook", "--force"];
    let said = sandbox.windlass(&force).succeeds().stderr;
    assert!(said.contains("pre-commit.before-windlass"), "{said}");
    assert_eq!(read("pre-commit.before-windlass"), mine);
    // An earlier copy isn't replaced either.
    std::fs::write(hooks.join("pre-commit"), "other").unwrap();
    sandbox.windlass(&force).exits_with(5);
    assert_eq!(read("pre-commit.before-windlass"), mine);
    assert_eq!(read("pre-commit"), "other");
}

#[test]
fn change_without_evidence_is_not_approved() {
    let sandbox = Sandbox::git();
    sandbox.write("a.txt", "a\n").commit("x");
    sandbox.write("a.txt", "b\n");
    let call = ["impact", "--format", "markdown"];
    let said = sandbox.windlass(&call).succeeds().stdout;
    assert!(
        said.contains("nothing to check: ") && !said.contains('✅'),
        "{said}"
    );
}

#[test]
fn workflow_checks_pull_requests() {
    let sandbox = sandbox();
    let said = sandbox.windlass(&["init", "--ci"]).succeeds().stderr;
    assert!(said.contains("windlass notebook export"), "{said}");
    let text = sandbox.read(".github/workflows/windlass.yml");
    let pinned = format!(
        "uses: windlass-dev/windlass@v{}\n",
        env!("CARGO_PKG_VERSION")
    );
    assert!(text.contains(&pinned), "{text}");
    assert!(text.contains("fetch-depth: 0\n"), "{text}");
    assert!(text.contains("branches: [main]\n"), "{text}");
    let printed = sandbox.windlass(&["init", "--ci", "--dry-run"]).succeeds();
    assert_eq!(printed.stdout, text);
}

#[test]
fn pinned_versions_agree() {
    let action = include_str!("../../action.yml");
    let default = format!("default: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(action.contains(&default), "{action}");
    // Pin actions by digest, because a tag can be moved.
    let workflow = include_str!("../../crates/impact/scaffolds/windlass.yml");
    for line in action.lines().chain(workflow.lines()) {
        let Some((_, used)) = line.split_once("uses: ") else {
            continue;
        };
        let (_, version) = used.split_once('@').unwrap();
        let digest = version.split(' ').next().unwrap();
        let is_ours = used.starts_with("windlass-dev/");
        assert!(is_ours || digest.len() == 40, "{line}");
    }
}
