//! Tests of a repository's root and identity.

use crate::support::Sandbox;
use windlass_repo::{Repo, RepoError, RepoKind, RepoOptions};

fn head(sandbox: &Sandbox, git_dir: &str) {
    sandbox.write(&format!("{git_dir}/HEAD"), "ref: refs/heads/main\n");
}

#[test]
fn discover_nearest_git_folder_wins() {
    let sandbox = Sandbox::with(&[("a/b/c/file", ""), ("a/b/runbooks/x", "")]);
    head(&sandbox, ".git");
    let root = sandbox.root().canonicalize().unwrap();
    for start in ["a/b/c", "a/b/c/file", ".", ".git"] {
        let repo = Repo::discover(&sandbox.at(start), RepoOptions::default()).unwrap();
        assert_eq!(repo.root(), root, "{start}");
        assert_eq!(repo.identity().kind, RepoKind::Git);
    }
    head(&sandbox, "a/b/.git");
    let inner = Repo::discover(&sandbox.at("a/b/c"), RepoOptions::default()).unwrap();
    assert_eq!(inner.root(), root.join("a/b"));
    std::fs::create_dir(sandbox.at("a/b/c/.git")).unwrap();
    let inner = Repo::discover(&sandbox.at("a/b/c"), RepoOptions::default()).unwrap();
    assert_eq!(inner.root(), root.join("a/b"), "an empty .git is none");
}

#[test]
fn discover_without_git_uses_windlass() {
    let sandbox = Sandbox::with(&[
        ("a/.windlass/x.yaml", ""),
        ("a/b/runbooks/x.yaml", ""),
        ("a/b/c/file", ""),
        ("d/file", ""),
    ]);
    let root = sandbox.root().canonicalize().unwrap();
    let repo = Repo::discover(&sandbox.at("a/b/c"), RepoOptions::default()).unwrap();
    assert_eq!(repo.root(), root.join("a"));
    assert_eq!(repo.identity().kind, RepoKind::Folder);
    assert_eq!(repo.identity().repo_id, repo.identity().root_fingerprint);
    let alone = Repo::discover(&sandbox.at("d/file"), RepoOptions::default()).unwrap();
    assert_eq!(alone.root(), root.join("d"));
    assert!(matches!(
        Repo::discover(&sandbox.at("none"), RepoOptions::default()),
        Err(RepoError::Io { .. })
    ));
}

#[test]
fn discover_without_git_uses_memory() {
    let sandbox = Sandbox::with(&[
        ("a/memory/impressions.jsonl", ""),
        ("a/b/memory/notes.md", ""),
        ("a/b/c/file", ""),
        ("d/.windlass/x.yaml", ""),
        ("d/e/memory/impressions.jsonl", ""),
    ]);
    let root = sandbox.root().canonicalize().unwrap();
    for (start, expected) in [("a/b/c", "a"), ("a/memory", "a"), ("d/e/memory", "d")] {
        let repo = Repo::discover(&sandbox.at(start), RepoOptions::default()).unwrap();
        assert_eq!(repo.root(), root.join(expected), "{start}");
    }
}

#[test]
fn working_trees_share_an_identity() {
    let sandbox = Sandbox::with(&[
        ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
        ("main/.git/worktrees/tree/commondir", "../..\n"),
        ("main/.git/worktrees/tree/gitdir", "../../../../tree/.git\n"),
        ("thief/.git", "gitdir: ../main/.git\n"),
        ("thief2/.git", "gitdir: ../main/.git/worktrees/tree\n"),
        ("module/.git", "gitdir: ../main/.git/modules/module"),
    ]);
    for git_dir in [
        "main/.git",
        "main/.git/worktrees/tree",
        "main/.git/modules/module",
    ] {
        head(&sandbox, git_dir);
    }
    let open = |path: &str| Repo::open(&sandbox.at(path)).unwrap();
    let (main, tree, module) = (open("main"), open("tree"), open("module"));
    assert_eq!(main.identity().repo_id, tree.identity().repo_id);
    assert_ne!(
        main.identity().root_fingerprint,
        tree.identity().root_fingerprint
    );
    assert_ne!(main.identity().repo_id, module.identity().repo_id);
    // Naming another repository's folder isn't enough to get its identity: the folder has to name
    // the working tree as well.
    for thief in [open("thief"), open("thief2")] {
        assert_ne!(thief.identity().repo_id, main.identity().repo_id);
        assert_eq!(thief.identity().repo_id, thief.identity().root_fingerprint);
    }
    assert_eq!(main.identity().repo_id.len(), 32);
}

#[test]
fn lost_main_tree_is_reported() {
    let sandbox = Sandbox::with(&[("tree/.git", "gitdir: ../moved/.git/worktrees/tree\n")]);
    let error = Repo::discover(&sandbox.at("tree"), RepoOptions::default()).unwrap_err();
    assert!(error.to_string().contains("git worktree repair"), "{error}");
}
