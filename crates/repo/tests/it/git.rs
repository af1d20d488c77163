//! Tests of what git answers, and of what we don't let git do.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{
    ChangeStatus, Git, GitAnswer, GitError, GitQuery, Owner, ReadRecord, Repo, RepoKind,
    RepoOptions, Snapshot,
};

use crate::support::{Sandbox, at};

/// Returns a git command with a fixed identity, and without the settings of the user.
pub(crate) fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "Ann"),
            ("GIT_AUTHOR_EMAIL", "ann@example.org"),
            ("GIT_COMMITTER_NAME", "Ann"),
            ("GIT_COMMITTER_EMAIL", "ann@example.org"),
            ("GIT_AUTHOR_DATE", "1700000000 +0000"),
            ("GIT_COMMITTER_DATE", "1700000000 +0000"),
        ]);
    command
}

/// Returns git's output. Panics if git fails.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = git_command(folder).args(arguments).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

impl Sandbox {
    /// Creates a repository with one commit of `files`.
    pub(crate) fn committed(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::with(files);
        git(&sandbox.root(), &["init", "-q", "-b", "main"]);
        sandbox.commit("first");
        sandbox
    }

    pub(crate) fn commit(&self, message: &str) -> String {
        git(&self.root(), &["add", "-A"]);
        git(
            &self.root(),
            &["commit", "-q", "--allow-empty", "-m", message],
        );
        git(&self.root(), &["rev-parse", "HEAD"])
    }

    pub(crate) fn git(&self) -> Git {
        self.repo().git().unwrap()
    }
}

#[test]
fn git_of_plain_folder_is_an_error() {
    let sandbox = Sandbox::new();
    let git_of = sandbox.repo().git();
    assert!(
        matches!(git_of, Err(GitError::NotARepository)),
        "{git_of:?}"
    );
}

#[test]
fn head_covers_every_state() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    let head = sandbox.git().revisions().head().unwrap();
    assert_eq!(head.branch.as_deref(), Some("main"));
    assert!(head.unborn && !head.detached && head.commit.is_none());
    assert_eq!(sandbox.git().commits().log(None, &[], 9).unwrap(), []);
    assert_eq!(
        sandbox.git().commits().root_commits().unwrap(),
        Vec::<String>::new()
    );

    let first = sandbox.commit("first");
    let head = sandbox.git().revisions().head().unwrap();
    assert_eq!(head.commit.as_deref(), Some(first.as_str()));
    assert!(!head.unborn && !head.detached);
    assert_eq!(
        sandbox.git().commits().root_commits().unwrap(),
        std::slice::from_ref(&first)
    );

    git(&sandbox.root(), &["checkout", "-q", "--detach"]);
    let head = sandbox.git().revisions().head().unwrap();
    assert!(head.detached && head.branch.is_none() && head.commit == Some(first));
}

#[test]
fn default_branch_is_that_of_origin() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    git(&sandbox.root(), &["init", "-q", "-b", "trunk"]);
    let default = || sandbox.git().revisions().default_branch().unwrap();
    assert_eq!(default().as_deref(), Some("trunk"));
    sandbox.commit("first");
    git(&sandbox.root(), &["branch", "master"]);
    assert_eq!(default().as_deref(), Some("master"));
    git(&sandbox.root(), &["branch", "main"]);
    // With both `master` and `main`, we can't tell.
    assert_eq!(default(), None);
    let origin = ["refs/remotes/origin/HEAD", "refs/remotes/origin/next"];
    git(&sandbox.root(), &["symbolic-ref", origin[0], origin[1]]);
    assert_eq!(default().as_deref(), Some("next"));
}

#[test]
fn changes_unborn_lists_all_files() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::with(&[
            ("a", "1\n"),
            ("b", "1\n"),
            ("c", "1\n"),
            (".gitignore", "c\n"),
        ]);
        let format = format!("--object-format={format}");
        git(&sandbox.root(), &["init", "-q", "-b", "main", &format]);
        git(&sandbox.root(), &["add", "a"]);
        for revision in ["HEAD", "@"] {
            let changes = sandbox
                .git()
                .working_tree()
                .changes_since(revision)
                .unwrap();
            let found: Vec<_> = changes
                .files
                .iter()
                .map(|file| (file.path.as_str(), file.status))
                .collect();
            let want = [
                (".gitignore", ChangeStatus::Untracked),
                ("a", ChangeStatus::Added),
                ("b", ChangeStatus::Untracked),
            ];
            assert_eq!(found, want, "{format}");
        }
        let error = sandbox
            .git()
            .working_tree()
            .changes_since("main")
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown revision `main`: this repository has no commit yet"
        );
    }
}

#[test]
fn head_during_rebase_is_detached() {
    let sandbox = Sandbox::committed(&[("a", "base\n")]);
    let base = git(&sandbox.root(), &["rev-parse", "HEAD"]);
    git(&sandbox.root(), &["checkout", "-q", "-b", "side"]);
    sandbox.write("a", "side\n");
    sandbox.commit("side");
    git(&sandbox.root(), &["checkout", "-q", "main"]);
    sandbox.write("a", "main\n");
    sandbox.commit("main");
    // The conflict stops the rebase in the middle.
    let stopped = git_command(&sandbox.root())
        .args(["rebase", "-q", "side"])
        .output()
        .unwrap();
    assert!(!stopped.status.success());
    assert!(sandbox.git().revisions().head().unwrap().detached);
    let changes = sandbox.git().working_tree().changes_since(&base).unwrap();
    assert_eq!(changes.files.len(), 1);
    assert_eq!(changes.files[0].status, ChangeStatus::Unmerged);
}

#[test]
fn working_state_equals_single_queries() {
    let sandbox = Sandbox::committed(&[("a", "1\n"), ("b", "1\n"), ("old", "a text\nof lines\n")]);
    sandbox.write("a", "2\n");
    sandbox.write("new", "1\n");
    git(&sandbox.root(), &["mv", "old", "renamed"]);
    let head = sandbox.git().revisions().head().unwrap();
    let since = head.commit.clone().unwrap();
    let changes = sandbox.git().working_tree().changes_since(&since).unwrap();
    assert_eq!(changes.files.len(), 3);
    let snapshot = sandbox.snapshot();
    snapshot.ask_working_state(&Cancel::default());
    // If we don't see later changes, the answer was cached.
    sandbox.write("later", "1\n");
    let answer = |query: GitQuery| snapshot.ask_git(&query, &Cancel::default()).unwrap();
    assert_eq!(*answer(GitQuery::Head), GitAnswer::Head(head));
    assert_eq!(
        *answer(GitQuery::Changes { since }),
        GitAnswer::Changes(changes)
    );
}

#[test]
fn queries_of_a_snapshot_see_one_head() {
    let log = GitQuery::Log {
        range: None,
        paths: Vec::new(),
        limit: 9,
    };
    let changes = GitQuery::Changes {
        since: "HEAD".to_owned(),
    };
    for (first, second) in [(&log, &changes), (&changes, &log)] {
        let sandbox = Sandbox::committed(&[("a", "1\n")]);
        let head = sandbox.git().revisions().head().unwrap().commit;
        let snapshot = sandbox.snapshot();
        snapshot.ask_git(first, &Cancel::default()).unwrap();
        sandbox.write("b", "1\n");
        sandbox.commit("later");
        let answer = snapshot.ask_git(second, &Cancel::default()).unwrap();
        match &*answer {
            GitAnswer::Changes(changes) => assert_eq!(changes.files[0].path, at("b")),
            GitAnswer::Log(log) => assert_eq!(log.len(), 1),
            other => panic!("{other:?}"),
        }
        assert_eq!(snapshot.head_commit(&Cancel::default()), head);
    }
}

#[test]
fn working_state_without_head_falls_back() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    let snapshot = sandbox.snapshot();
    snapshot.ask_working_state(&Cancel::default());
    assert!(
        snapshot
            .ask_git(&GitQuery::Head, &Cancel::default())
            .is_err()
    );
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    let snapshot = sandbox.snapshot();
    snapshot.ask_working_state(&Cancel::default());
    assert_eq!(snapshot.head_commit(&Cancel::default()), None);
    let since = "HEAD".to_owned();
    let changes = snapshot.ask_git(&GitQuery::Changes { since }, &Cancel::default());
    let GitAnswer::Changes(changes) = &*changes.unwrap() else {
        panic!("of changes it was asked");
    };
    assert_eq!(changes.files.len(), 1);
}

#[test]
fn filtered_needs_configured_filter() {
    let sandbox = Sandbox::committed(&[
        ("a.bin", "1\n"),
        ("b.txt", "1\n"),
        ("c.other", "1\n"),
        (
            ".gitattributes",
            "*.bin filter=turn\n*.other filter=unknown\n*.txt -filter\n",
        ),
    ]);
    let files = ["a.bin", "b.txt", "c.other"].map(at).into_iter().collect();
    let filtered = || {
        sandbox
            .git()
            .working_tree()
            .filtered(&files)
            .unwrap()
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(filtered(), []);
    git(&sandbox.root(), &["config", "filter.turn.smudge", "false"]);
    assert_eq!(filtered(), [at("a.bin")]);
}

#[test]
fn log_is_redacted() {
    let sandbox = Sandbox::committed(&[("a", "1\n"), ("dir/b", "1\n"), ("*", "star\n")]);
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    sandbox.write("dir/b", "2\n");
    let second = sandbox.commit(&format!("use {token}\n\nbody"));
    let log = sandbox.git().commits().log(None, &[], 9).unwrap();
    assert_eq!(log.len(), 2);
    assert_eq!(log[0].id, second);
    assert_eq!(log[0].parents, [log[1].id.clone()]);
    assert_eq!(log[0].subject.as_str(), "use [redacted:github-token]");
    assert_eq!(
        (log[0].author.as_str(), log[0].time),
        ("Ann", 1_700_000_000)
    );
    let of = |paths: &[&str], range| {
        let paths: Vec<_> = paths.iter().map(|path| at(path)).collect();
        sandbox.git().commits().log(range, &paths, 9).unwrap().len()
    };
    // Paths only limit the list of commits. A star, which is the name of a file here, must not be
    // taken for a pattern.
    assert_eq!(of(&["dir"], None), 2);
    assert_eq!(of(&["a"], None), 1);
    assert_eq!(of(&["*"], None), 1, "a star is a name, not a pattern");
    assert_eq!(of(&["."], None), 2);
    assert_eq!(of(&[], Some("HEAD~1..HEAD")), 1);
    assert_eq!(sandbox.git().commits().log(None, &[], 1).unwrap().len(), 1);
}

#[test]
fn changes_cover_all_kinds() {
    let long = "a line of text\n".repeat(20);
    let sandbox = Sandbox::committed(&[
        ("committed", "1\n"),
        ("staged", "1\n"),
        ("edited", "1\n"),
        ("deleted", "gone soon\n"),
        ("old name", &long),
        ("forgotten", "1\n"),
        ("touched", "1\n"),
        (".gitignore", "*.log\n"),
    ]);
    sandbox.write("committed", "2\n");
    sandbox.write("new-committed", "something else\n");
    sandbox.commit("second");
    sandbox.write("staged", "2\n");
    git(&sandbox.root(), &["add", "staged"]);
    git(&sandbox.root(), &["mv", "old name", "new\nname"]);
    git(&sandbox.root(), &["rm", "-q", "--cached", "forgotten"]);
    fs::remove_file(sandbox.at("deleted")).unwrap();
    sandbox.write("edited", "2\n");
    sandbox.write("touched", "1\n");
    sandbox.write("dir/untracked ü", "1\n");
    sandbox.write("x.log", "1\n");

    let changes = sandbox
        .git()
        .working_tree()
        .changes_since("HEAD~1")
        .unwrap();
    let told: Vec<_> = changes
        .files
        .iter()
        .map(|file| {
            (
                file.path.as_str(),
                file.status,
                file.from.as_ref().map(RepoPath::as_str),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("committed", ChangeStatus::Modified, None),
            ("deleted", ChangeStatus::Deleted, None),
            ("dir/untracked ü", ChangeStatus::Untracked, None),
            ("edited", ChangeStatus::Modified, None),
            ("forgotten", ChangeStatus::Modified, None),
            ("new\nname", ChangeStatus::Renamed, Some("old name")),
            ("new-committed", ChangeStatus::Added, None),
            ("staged", ChangeStatus::Modified, None),
        ]
    );
    assert_eq!(changes.not_utf8, 0);
}

#[test]
fn old_contents_pass_the_guard() {
    let sandbox = Sandbox::committed(&[
        ("a", "old\n"),
        (".env", "A=1\n"),
        ("dir/b", "1\n"),
        ("k.json", r#"{"type":"service_account","private_key":"x"}"#),
    ]);
    sandbox.link("link", "a");
    sandbox.commit("link");
    sandbox.write("a", "new\n");
    let snapshot = sandbox.snapshot();
    let head = snapshot.head_commit(&Cancel::default()).unwrap();
    let file = snapshot.history().file(&head, None, &at("a")).unwrap();
    assert_eq!(file.bytes(), b"old\n");
    let id = git(&sandbox.root(), &["rev-parse", "HEAD:a"]);
    assert_eq!(snapshot.history().blob(&head, &at("a")), Some(id));
    assert_eq!(snapshot.history().blob(&head, &at("dir")), None);
    for (path, why) in [
        ("none", "has no file"),
        ("dir", "has no file"),
        ("link", "has no file"),
        (".env", "secret by"),
        ("k.json", "secret by"),
    ] {
        let refused = snapshot.history().file(&head, None, &at(path));
        assert!(refused.unwrap_err().to_string().contains(why), "{path}");
    }
}

#[test]
fn revision_with_options_is_refused() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let git_of = sandbox.git();
    for text in ["--output=/tmp/x", "-p", "HEAD:a", "a b", ""] {
        assert!(
            matches!(
                git_of.working_tree().changes_since(text),
                Err(GitError::NotARevision(_))
            ),
            "{text}"
        );
        assert!(
            matches!(
                git_of.commits().log(Some(text), &[], 1),
                Err(GitError::NotARevision(_))
            ),
            "{text}"
        );
    }
    assert!(matches!(
        git_of.working_tree().changes_since("nowhere"),
        Err(GitError::UnknownRevision(_))
    ));
    let error = git_of
        .commits()
        .log(Some("nowhere"), &[], 1)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("nowhere") && !error.contains(&*sandbox.root().to_string_lossy()),
        "{error}"
    );
    assert_eq!(git_of.revisions().commit_id("nowhere").unwrap(), None);
}

#[test]
fn worktrees_have_no_absolute_paths() {
    let sandbox = Sandbox::committed(&[("a", "1\n"), (".gitignore", "wt\n")]);
    git(
        &sandbox.root(),
        &["worktree", "add", "-q", "-b", "feature", "wt/one"],
    );
    git(
        &sandbox.root(),
        &["worktree", "add", "-q", "--detach", "../outside/two"],
    );
    let main = sandbox.git().worktrees().unwrap();
    let told: Vec<_> = main
        .iter()
        .map(|tree| {
            (
                tree.name.as_deref(),
                tree.place.as_deref(),
                tree.branch.as_deref(),
                tree.main,
                tree.current,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (None, Some("."), Some("main"), true, true),
            (Some("one"), Some("wt/one"), Some("feature"), false, false),
            (Some("two"), Some("../outside/two"), None, false, false),
        ]
    );
    let tree = Repo::discover(&sandbox.at("wt/one"), RepoOptions::default()).unwrap();
    assert_eq!(tree.identity().repo_id, sandbox.repo().identity().repo_id);
    let git_of = tree.git().unwrap();
    assert_eq!(
        git_of.revisions().head().unwrap().branch.as_deref(),
        Some("feature")
    );
    assert!(git_of.worktrees().unwrap()[1].current);
    fs::write(sandbox.at("wt/one/new"), "").unwrap();
    assert_eq!(
        git_of
            .working_tree()
            .changes_since("main")
            .unwrap()
            .files
            .len(),
        1
    );
}

#[test]
fn shallow_clone_has_no_lineage() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    sandbox.write("a", "2\n");
    let second = sandbox.commit("second");
    let clone = sandbox.outside().join("clone");
    let from = format!("file://{}", sandbox.root().display());
    git(
        &sandbox.outside(),
        &["clone", "-q", "--depth=1", &from, "clone"],
    );
    let repo = Repo::open(&clone).unwrap();
    let git_of = repo.git().unwrap();
    assert_eq!(
        git_of.commits().root_commits().unwrap(),
        Vec::<String>::new()
    );
    assert_eq!(git_of.revisions().head().unwrap().commit, Some(second));
    assert_eq!(git_of.commits().log(None, &[], 9).unwrap().len(), 1);
    assert!(matches!(
        git_of.working_tree().changes_since("HEAD~1"),
        Err(GitError::UnknownRevision(_))
    ));
}

#[test]
fn git_cancelled_is_an_error() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = sandbox.git().with_cancel(cancel).revisions().head();
    assert!(matches!(stopped, Err(GitError::Cancelled { .. })));
}

#[test]
fn other_owner_is_refused() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let given_away = Command::new("chown")
        .args(["-R", "12345:12345"])
        .arg(sandbox.root())
        .status();
    if !given_away.unwrap().success() {
        // Only root can change the owner, so there's nothing to test for other users.
        return;
    }
    for error in [
        sandbox.git().revisions().head().unwrap_err(),
        sandbox
            .git()
            .working_tree()
            .changes_since("HEAD")
            .unwrap_err(),
        sandbox.git().worktrees().unwrap_err(),
    ] {
        assert!(matches!(error, GitError::OtherOwner { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains("safe.directory"), "{message}");
        assert!(!message.contains(&*sandbox.root().to_string_lossy()));
    }
}

#[test]
fn answers_do_not_depend_on_location() {
    let queries = [
        GitQuery::Head,
        GitQuery::Log {
            range: None,
            paths: vec![at("a")],
            limit: 9,
        },
        GitQuery::Changes {
            since: "HEAD".to_owned(),
        },
        GitQuery::Worktrees,
    ];
    let ask = |snapshot: &Snapshot| {
        for query in &queries {
            snapshot.ask_git(query, &Cancel::default()).unwrap();
        }
        snapshot.reads()
    };
    let sandbox = Sandbox::committed(&[("a", "1\n"), (".gitignore", "wt\n")]);
    git(
        &sandbox.root(),
        &["worktree", "add", "-q", "-b", "feature", "wt/one"],
    );
    sandbox.write("new", "1\n");
    let snapshot = sandbox.snapshot();
    let here = ask(&snapshot);
    let asked: Vec<_> = here
        .iter()
        .map(|record| match record {
            ReadRecord::Git { query, answer } => (query.clone(), answer.is_some()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(asked, queries.clone().map(|query| (query, true)));

    // Move the same repository to another path.
    let moved = sandbox.outside().join("another name");
    fs::rename(sandbox.root(), &moved).unwrap();
    git(&moved, &["worktree", "repair", "wt/one"]);
    let repo = Repo::open(&moved).unwrap();
    assert_eq!(ask(&repo.snapshot()), here);

    // New answers change, but recorded ones don't.
    git(&moved, &["checkout", "-q", "-b", "other"]);
    let now = ask(&repo.snapshot());
    let changed = here.iter().zip(&now).filter(|(then, now)| then != now);
    let changed: Vec<_> = changed
        .map(|(then, _)| match then {
            ReadRecord::Git { query, .. } => query,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(changed, [&GitQuery::Head, &GitQuery::Worktrees]);
    assert_eq!(snapshot.reads(), here);
}

#[test]
fn unanswered_query_is_recorded() {
    let query = GitQuery::Changes {
        since: "nowhere".to_owned(),
    };
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let snapshot = sandbox.snapshot();
    let error = snapshot.ask_git(&query, &Cancel::default()).unwrap_err();
    assert!(matches!(error, GitError::UnknownRevision(_)), "{error}");
    let record = ReadRecord::Git {
        query: query.clone(),
        answer: None,
    };
    assert_eq!(snapshot.reads(), std::slice::from_ref(&record));
    // The error isn't cached, so the query may succeed later.
    git(&sandbox.root(), &["tag", "nowhere"]);
    let answer = snapshot.ask_git(&query, &Cancel::default()).unwrap();
    assert!(matches!(&*answer, GitAnswer::Changes(changes) if changes.files.is_empty()));
    assert_ne!(snapshot.reads(), [record]);

    let plain = Sandbox::new().snapshot();
    let error = plain
        .ask_git(&GitQuery::Head, &Cancel::default())
        .unwrap_err();
    assert!(matches!(error, GitError::NotARepository), "{error}");
}

#[test]
fn foreign_git_folder_is_refused() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    git(
        &sandbox.root(),
        &["worktree", "add", "-q", "../outside/tree"],
    );
    let main = sandbox.at(".git");
    let places = [
        main.clone(),
        main.join("worktrees/tree"),
        // With this link, only the name of the folder belongs to another repository.
        sandbox.outside().join("link"),
    ];
    std::os::unix::fs::symlink(&main, &places[2]).unwrap();
    for (at, place) in places.iter().enumerate() {
        let thief = sandbox.outside().join(format!("thief-{at}"));
        fs::create_dir(&thief).unwrap();
        fs::write(thief.join(".git"), format!("gitdir: {}\n", place.display())).unwrap();
        check_thief(&thief);
        fs::remove_file(thief.join(".git")).unwrap();
        std::os::unix::fs::symlink(place, thief.join(".git")).unwrap();
        check_thief(&thief);
    }
    // This folder borrows everything from another repository.
    let thief = sandbox.outside().join("borrower");
    fs::create_dir_all(thief.join(".git")).unwrap();
    fs::write(thief.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(thief.join(".git/commondir"), main.to_str().unwrap()).unwrap();
    check_thief(&thief);
}

fn check_thief(thief: &Path) {
    let repo = Repo::open(thief).unwrap();
    assert_eq!(repo.identity().kind, RepoKind::Folder);
    assert_eq!(repo.git_common_dir(), None);
    let error = repo
        .snapshot()
        .ask_git(&GitQuery::Head, &Cancel::default())
        .unwrap_err();
    assert!(matches!(error, GitError::NotItsWorktree), "{error}");
    assert!(error.to_string().contains("git worktree repair"), "{error}");
    assert_eq!(Owner::of(&repo, None).lineage, Vec::<String>::new());
}

#[test]
fn named_worktree_has_history() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let root = sandbox.root();
    // We accept a submodule, even with per-worktree settings.
    let from = root.to_str().unwrap();
    let local = ["-c", "protocol.file.allow=always"];
    let add = ["submodule", "--quiet", "add", from, "module"];
    git(&root, &[&local[..], &add].concat());
    let module = root.join("module");
    let head = |at: &Path| {
        Repo::open(at)
            .unwrap()
            .git()
            .unwrap()
            .revisions()
            .head()
            .unwrap()
            .commit
    };
    assert!(head(&module).is_some());
    git(&module, &["sparse-checkout", "init", "--no-cone"]);
    assert_eq!(
        git(&module, &["config", "extensions.worktreeConfig"]),
        "true"
    );
    assert!(head(&module).is_some());
    // If a working tree was moved, we accept it once it's repaired as the error message says.
    git(&root, &["worktree", "add", "-q", "../outside/tree"]);
    let tree = sandbox.outside().join("moved");
    fs::rename(sandbox.outside().join("tree"), &tree).unwrap();
    assert!(Repo::open(&tree).unwrap().git().is_err());
    git(&tree, &["worktree", "repair"]);
    assert!(head(&tree).is_some());
    // We accept a separate git folder if it names its working tree.
    let apart = sandbox.outside().join("apart");
    let folder = sandbox.outside().join("apart.git");
    let separate = format!("--separate-git-dir={}", folder.display());
    git(
        &sandbox.outside(),
        &["clone", "-q", &separate, from, "apart"],
    );
    assert!(Repo::open(&apart).unwrap().git().is_err());
    git(
        &apart,
        &["config", "core.worktree", apart.to_str().unwrap()],
    );
    assert!(head(&apart).is_some());
}

#[test]
fn hanging_git_times_out() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    // The alternates file is a pipe that nobody writes to, so whoever reads it waits forever.
    let made = Command::new("mkfifo")
        .arg(sandbox.at(".git/objects/info/alternates"))
        .status();
    assert!(made.unwrap().success());
    let hung = sandbox
        .git()
        .with_timeout(Duration::from_millis(100))
        .commits()
        .root_commits();
    assert!(matches!(hung, Err(GitError::Timeout { .. })), "{hung:?}");
}

#[test]
fn head_without_commit_is_an_error() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let commit = sandbox.git().revisions().head().unwrap().commit.unwrap();
    let (folder, file) = commit.split_at(2);
    // A missing object isn't the same as a repository without commits, and must not look like one.
    fs::remove_file(sandbox.at(&format!(".git/objects/{folder}/{file}"))).unwrap();
    let repo = sandbox.repo();
    let git = repo.git().unwrap();
    assert!(matches!(
        git.revisions().head(),
        Err(GitError::NoHeadCommit)
    ));
    assert!(matches!(
        git.commits().log(None, &[], 9),
        Err(GitError::NoHeadCommit)
    ));
    assert!(matches!(
        git.commits().root_commits(),
        Err(GitError::NoHeadCommit)
    ));
    let noted = repo.take_git_failures();
    assert!(
        noted.iter().any(|noted| noted.contains("git fsck")),
        "{noted:?}"
    );
    assert!(repo.take_git_failures().is_empty());
}

#[test]
fn user_settings_need_environment() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let home = sandbox.outside();
    fs::write(home.join(".gitconfig"), "[core]\n\thooksPath = elsewhere\n").unwrap();
    let hooks = |environment| {
        let options = RepoOptions {
            environment,
            ..RepoOptions::default()
        };
        let repo = Repo::open_with(&sandbox.root(), options).unwrap();
        repo.git().unwrap().hooks_setting().unwrap()
    };
    assert_eq!(hooks(None), None);
    let variables = [
        ("HOME".to_owned(), home.into_os_string()),
        ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()),
    ];
    let hooks = hooks(Some(Arc::new(BTreeMap::from(variables))));
    assert_eq!(hooks.as_deref(), Some("elsewhere"));
}
