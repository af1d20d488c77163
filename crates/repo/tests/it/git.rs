//! What git says, and what it may not do.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{
    ChangeStatus, Git, GitAnswer, GitError, GitQuery, ReadRecord, Refusal, Repo, Snapshot,
};

use crate::support::{Sandbox, at};

/// Git in `folder`, with a fixed identity and without anybody's settings.
fn git_command(folder: &Path) -> Command {
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

/// What git prints; it must succeed.
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
    /// A repository with the files committed.
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

    fn git(&self) -> Git {
        self.repo().git().unwrap()
    }
}

#[test]
fn a_folder_has_no_git() {
    let sandbox = Sandbox::new();
    assert!(sandbox.repo().git().is_none());
    assert_eq!(sandbox.repo().lineage().unwrap(), Vec::<String>::new());
}

#[test]
fn head_is_told_in_every_state() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    let head = sandbox.git().head().unwrap();
    assert_eq!(head.branch.as_deref(), Some("main"));
    assert!(head.unborn && !head.detached && head.commit.is_none());
    assert_eq!(sandbox.git().log(None, &[], 9).unwrap(), []);
    assert_eq!(sandbox.repo().lineage().unwrap(), Vec::<String>::new());

    let first = sandbox.commit("first");
    let head = sandbox.git().head().unwrap();
    assert_eq!(head.commit.as_deref(), Some(first.as_str()));
    assert!(!head.unborn && !head.detached);
    assert_eq!(
        sandbox.repo().lineage().unwrap(),
        std::slice::from_ref(&first)
    );

    git(&sandbox.root(), &["checkout", "-q", "--detach"]);
    let head = sandbox.git().head().unwrap();
    assert!(head.detached && head.branch.is_none() && head.commit == Some(first));
}

#[test]
fn a_stopped_rebase_is_a_repository_too() {
    let sandbox = Sandbox::committed(&[("a", "base\n")]);
    let base = git(&sandbox.root(), &["rev-parse", "HEAD"]);
    git(&sandbox.root(), &["checkout", "-q", "-b", "side"]);
    sandbox.write("a", "side\n");
    sandbox.commit("side");
    git(&sandbox.root(), &["checkout", "-q", "main"]);
    sandbox.write("a", "main\n");
    sandbox.commit("main");
    let stopped = git_command(&sandbox.root())
        .args(["rebase", "-q", "side"])
        .output()
        .unwrap();
    assert!(!stopped.status.success());
    assert!(sandbox.git().head().unwrap().detached);
    let changes = sandbox.git().changes_since(&base).unwrap();
    assert_eq!(changes.files.len(), 1);
    assert_eq!(changes.files[0].status, ChangeStatus::Unmerged);
}

#[test]
fn the_log_is_read_and_redacted() {
    let sandbox = Sandbox::committed(&[("a", "1\n"), ("dir/b", "1\n"), ("*", "star\n")]);
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    sandbox.write("dir/b", "2\n");
    let second = sandbox.commit(&format!("use {token}\n\nbody"));
    let log = sandbox.git().log(None, &[], 9).unwrap();
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
        sandbox.git().log(range, &paths, 9).unwrap().len()
    };
    assert_eq!(of(&["dir"], None), 2);
    assert_eq!(of(&["a"], None), 1);
    assert_eq!(of(&["*"], None), 1, "a star is a name, not a pattern");
    assert_eq!(of(&["."], None), 2);
    assert_eq!(of(&[], Some("HEAD~1..HEAD")), 1);
    assert_eq!(sandbox.git().log(None, &[], 1).unwrap().len(), 1);
}

#[test]
fn changes_are_commits_edits_and_new_files() {
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

    let changes = sandbox.git().changes_since("HEAD~1").unwrap();
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
fn old_contents_pass_the_same_guard() {
    let sandbox = Sandbox::committed(&[
        ("a", "old\n"),
        (".env", "A=1\n"),
        ("dir/b", "1\n"),
        ("k.json", r#"{"type":"service_account","private_key":"x"}"#),
    ]);
    sandbox.link("link", "a");
    sandbox.commit("link");
    sandbox.write("a", "new\n");
    let git_of = sandbox.git();
    let file = git_of.file_at("HEAD", &at("a")).unwrap().unwrap();
    assert_eq!(file.bytes(), b"old\n");
    let id = git(&sandbox.root(), &["rev-parse", "HEAD:a"]);
    assert_eq!(git_of.blob_id("HEAD", &at("a")).unwrap(), Some(id));
    assert_eq!(git_of.blob_id("HEAD", &at("dir")).unwrap(), None);
    let refused = |path: &str| git_of.file_at("main", &at(path)).unwrap().unwrap_err();
    assert_eq!(refused("none"), Refusal::Missing);
    assert_eq!(refused("dir"), Refusal::Directory);
    assert!(matches!(refused("link"), Refusal::NotRegular { .. }));
    assert!(matches!(refused(".env"), Refusal::Secret { .. }));
    assert!(matches!(refused("k.json"), Refusal::Secret { .. }));
}

#[test]
fn revisions_are_names_only() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let git_of = sandbox.git();
    for text in ["--output=/tmp/x", "-p", "HEAD:a", "a b", ""] {
        assert!(
            matches!(git_of.changes_since(text), Err(GitError::NotARevision(_))),
            "{text}"
        );
        assert!(
            matches!(
                git_of.log(Some(text), &[], 1),
                Err(GitError::NotARevision(_))
            ),
            "{text}"
        );
    }
    assert!(matches!(
        git_of.changes_since("nowhere"),
        Err(GitError::UnknownRevision(_))
    ));
    let error = git_of.log(Some("nowhere"), &[], 1).unwrap_err().to_string();
    assert!(
        error.contains("nowhere") && !error.contains(&*sandbox.root().to_string_lossy()),
        "{error}"
    );
    assert_eq!(git_of.commit_id("nowhere").unwrap(), None);
}

#[test]
fn worktrees_are_told_without_absolute_places() {
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
    let tree = Repo::discover(&sandbox.at("wt/one")).unwrap();
    assert_eq!(tree.identity().repo_id, sandbox.repo().identity().repo_id);
    let git_of = tree.git().unwrap();
    assert_eq!(git_of.head().unwrap().branch.as_deref(), Some("feature"));
    assert!(git_of.worktrees().unwrap()[1].current);
    fs::write(sandbox.at("wt/one/new"), "").unwrap();
    assert_eq!(git_of.changes_since("main").unwrap().files.len(), 1);
}

#[test]
fn a_shallow_clone_does_not_make_up_a_lineage() {
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
    assert_eq!(repo.lineage().unwrap(), Vec::<String>::new());
    let git_of = repo.git().unwrap();
    assert_eq!(git_of.head().unwrap().commit, Some(second));
    assert_eq!(git_of.log(None, &[], 9).unwrap().len(), 1);
    assert!(matches!(
        git_of.changes_since("HEAD~1"),
        Err(GitError::UnknownRevision(_))
    ));
}

#[test]
fn whoever_waits_can_stop() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = sandbox.git().with_cancel(cancel).head();
    assert!(matches!(stopped, Err(GitError::Cancelled { .. })));
}

/// A program that leaves a mark when it is run.
fn trap(sandbox: &Sandbox) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let program = sandbox.outside().join("trap.sh");
    let mark = sandbox.outside().join("sprung");
    fs::write(
        &program,
        format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", mark.display()),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.display().to_string()
}

/// A repository with a signed commit, attributes that name drivers, a file that looks changed and one that
/// has to be looked into, a hook for every occasion, and a blob that only a remote has.
fn baited() -> (Sandbox, String) {
    let sandbox = Sandbox::committed(&[
        ("a", "1\n"),
        ("b", "1\n"),
        ("lost", "only elsewhere\n"),
        (
            ".gitattributes",
            "* filter=evil diff=evil merge=evil\na filter=e.v=il\n",
        ),
    ]);
    sign_head(&sandbox);
    let program = trap(&sandbox);
    let hooks = sandbox.outside().join("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
    ] {
        fs::copy(sandbox.outside().join("trap.sh"), hooks.join(hook)).unwrap();
        let usual = sandbox.at(".git/hooks");
        fs::create_dir_all(&usual).unwrap();
        fs::copy(sandbox.outside().join("trap.sh"), usual.join(hook)).unwrap();
    }
    let lost = git(&sandbox.root(), &["rev-parse", "HEAD:lost"]);
    let object = format!(".git/objects/{}/{}", &lost[..2], &lost[2..]);
    fs::remove_file(sandbox.at(&object)).unwrap();
    sandbox.write("a", "other\n");
    // The same size and contents, so that git has to look inside, through the filter.
    sandbox.write("b", "1\n");
    (sandbox, program)
}

/// Gives the newest commit a signature that somebody would have to look at.
fn sign_head(sandbox: &Sandbox) {
    let plain = git(&sandbox.root(), &["cat-file", "commit", "HEAD"]);
    let (head, message) = plain.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----";
    let mut child = git_command(&sandbox.root())
        .args(["hash-object", "-t", "commit", "-w", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    write!(stdin, "{head}\n{signature}\n\n{message}\n").unwrap();
    drop(stdin);
    let id = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    git(&sandbox.root(), &["update-ref", "HEAD", id.trim()]);
}

fn plant(sandbox: &Sandbox, file: &Path, key: &str, value: &str) {
    let file = file.display().to_string();
    let folder = sandbox.outside();
    git(&folder, &["config", "--file", &file, "--add", key, value]);
}

/// Settings that make git start `program`, each by itself.
fn evil_settings(sandbox: &Sandbox, program: &str) -> Vec<Vec<(&'static str, String)>> {
    let hooks = sandbox.outside().join("hooks").display().to_string();
    let elsewhere = sandbox.outside().display().to_string();
    let remote = format!("ext::{program} %S");
    let one = |key, value: &str| vec![(key, value.to_owned())];
    vec![
        one("core.fsmonitor", program),
        one("core.hooksPath", &hooks),
        one("core.pager", program),
        one("pager.log", program),
        one("pager.diff", program),
        one("core.editor", program),
        one("core.askPass", program),
        one("core.sshCommand", program),
        one("core.gitProxy", program),
        one("core.alternateRefsCommand", program),
        one("core.worktree", &elsewhere),
        one("alias.log", &format!("!{program}")),
        one("alias.symbolic-ref", &format!("!{program}")),
        one("diff.external", program),
        one("diff.evil.command", program),
        one("diff.evil.textconv", program),
        one("interactive.diffFilter", program),
        one("merge.evil.driver", program),
        vec![
            ("filter.evil.clean", program.to_owned()),
            ("filter.evil.smudge", program.to_owned()),
            ("filter.evil.required", "true".to_owned()),
        ],
        vec![
            ("filter.e.v=il.process", program.to_owned()),
            ("filter.e.v=il.required", "true".to_owned()),
        ],
        vec![
            ("log.showSignature", "true".to_owned()),
            ("gpg.program", program.to_owned()),
            ("gpg.openpgp.program", program.to_owned()),
            ("gpg.ssh.program", program.to_owned()),
        ],
        one("credential.helper", program),
        one("uploadpack.packObjectsHook", program),
        vec![
            ("core.repositoryFormatVersion", "1".to_owned()),
            ("extensions.partialClone", "evil".to_owned()),
            ("remote.evil.promisor", "true".to_owned()),
            ("remote.evil.url", remote),
            ("protocol.allow", "always".to_owned()),
            ("protocol.ext.allow", "always".to_owned()),
        ],
    ]
}

/// Asks everything that can be asked.
fn ask_everything(sandbox: &Sandbox) {
    let git_of = sandbox.git();
    let changes = git_of.changes_since("HEAD").unwrap();
    let paths: Vec<_> = changes
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths, ["a"]);
    git_of.head().unwrap();
    git_of.log(None, &[at("a")], 9).unwrap();
    git_of.worktrees().unwrap();
    git_of.root_commits().unwrap();
    git_of.file_at("HEAD", &at("a")).unwrap().unwrap();
    git_of.file_at("HEAD", &at("lost")).unwrap_err();
}

#[test]
fn nothing_the_repository_names_is_run() {
    let (sandbox, program) = baited();
    let sprung = sandbox.outside().join("sprung");
    let config = sandbox.at(".git/config");
    let clean = fs::read(&config).unwrap();
    let evil = evil_settings(&sandbox, &program);
    // Each alone, then all, then all in a file that is included.
    let alone = evil
        .iter()
        .map(|settings| (settings.clone(), config.clone()));
    let together: Vec<_> = evil.iter().flatten().cloned().collect();
    let included = sandbox.outside().join("included");
    let rounds = alone.chain([
        (together.clone(), config.clone()),
        (together, included.clone()),
    ]);
    for (settings, file) in rounds {
        fs::write(&config, &clean).unwrap();
        for (key, value) in &settings {
            plant(&sandbox, &file, key, value);
        }
        if file == included {
            let included = included.display().to_string();
            plant(&sandbox, &config, "include.path", &included);
        }
        ask_everything(&sandbox);
        let left = fs::read_to_string(&sprung).unwrap_or_default();
        assert_eq!(left, "", "this was run by {settings:?}");
    }
    // The traps work where nobody is careful.
    for careless in [
        &["diff", "--stat"][..],
        &["log", "-1"],
        &["cat-file", "-p", "HEAD:lost"],
    ] {
        let _ = git_command(&sandbox.root())
            .args(careless)
            .env("GIT_WORK_TREE", sandbox.root())
            .output();
        assert!(sprung.exists(), "{careless:?}");
        fs::remove_file(&sprung).unwrap();
    }
}

#[test]
fn a_repository_of_another_user_is_refused_with_a_reason() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    let given_away = Command::new("chown")
        .args(["-R", "12345:12345"])
        .arg(sandbox.root())
        .status();
    if !given_away.unwrap().success() {
        // Only root can give files away; elsewhere there is nothing to see.
        return;
    }
    for error in [
        sandbox.git().head().unwrap_err(),
        sandbox.git().changes_since("HEAD").unwrap_err(),
        sandbox.git().worktrees().unwrap_err(),
    ] {
        assert!(matches!(error, GitError::OtherOwner { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains("safe.directory"), "{message}");
        assert!(!message.contains(&*sandbox.root().to_string_lossy()));
    }
}

#[test]
fn answers_are_recorded_and_do_not_depend_on_the_place() {
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

    // The same repository, moved.
    let moved = sandbox.outside().join("another name");
    fs::rename(sandbox.root(), &moved).unwrap();
    git(&moved, &["worktree", "repair", "wt/one"]);
    let repo = Repo::open(&moved).unwrap();
    assert_eq!(ask(&repo.snapshot()), here);

    // What changes an answer shows; what was answered stays.
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
fn a_question_without_an_answer_is_recorded_as_such() {
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
    assert_eq!(snapshot.reads(), [record.clone()]);
    // It may get one later.
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
fn a_git_that_hangs_is_ended() {
    let sandbox = Sandbox::committed(&[("a", "1\n")]);
    // An alternate that is a pipe nobody writes to.
    let made = Command::new("mkfifo")
        .arg(sandbox.at(".git/objects/info/alternates"))
        .status();
    assert!(made.unwrap().success());
    let hung = sandbox
        .git()
        .with_timeout(Duration::from_millis(100))
        .root_commits();
    assert!(matches!(hung, Err(GitError::Timeout { .. })), "{hung:?}");
}
