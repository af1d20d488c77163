//! Tests of the owner of stored data. The same path is no proof, and a repository at another path
//! may still be the owner.

use std::fs;

use windlass_repo::{Foreign, Owner, Repo};

use crate::git::git;
use crate::support::Sandbox;

fn committed(message: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[("a", message)]);
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    sandbox.commit(message);
    sandbox
}

#[test]
fn owner_is_shared_by_worktrees() {
    let sandbox = committed("one");
    let owner = Owner::of(&sandbox.repo(), None);
    assert_eq!(owner.lineage.len(), 1);
    sandbox.commit("two");
    git(&sandbox.root(), &["worktree", "add", "-q", "../linked"]);
    let linked = Repo::open(&sandbox.root().parent().unwrap().join("linked")).unwrap();
    assert_eq!(owner.check(&linked), Ok(()));
    assert_ne!(
        Owner::of(&linked, None).root_fingerprint,
        owner.root_fingerprint,
        "each working tree has a fingerprint of its own"
    );
}

#[test]
fn owner_replaced_repo_is_foreign() {
    let sandbox = committed("one");
    let owner = Owner::of(&sandbox.repo(), None);
    fs::remove_dir_all(sandbox.at(".git")).unwrap();
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    assert_eq!(
        owner.check(&sandbox.repo()),
        Err(Foreign::Unproven),
        "it has no commits that could tell"
    );
    sandbox.commit("another first commit");
    assert_eq!(owner.check(&sandbox.repo()), Err(Foreign::Replaced));
}

#[test]
fn owner_restored_repo_is_the_same() {
    let sandbox = committed("one");
    let owner = Owner::of(&sandbox.repo(), None);
    let (git_dir, backup) = (sandbox.at(".git"), sandbox.root().join("../backup"));
    fs::rename(&git_dir, &backup).unwrap();
    let from = backup.to_str().unwrap().to_owned();
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    git(&sandbox.root(), &["fetch", "-q", &from, "main:other"]);
    git(
        &sandbox.root(),
        &["symbolic-ref", "HEAD", "refs/heads/other"],
    );
    let again = sandbox.repo();
    assert_ne!(Owner::of(&again, None).birth, owner.birth);
    assert_eq!(owner.check(&again), Ok(()));
}

#[test]
fn owner_unborn_survives_first_commit() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    git(&sandbox.root(), &["init", "-q", "-b", "main"]);
    let unborn = Owner::of(&sandbox.repo(), None);
    assert!(unborn.lineage.is_empty());
    sandbox.commit("first");
    let repo = sandbox.repo();
    assert_eq!(unborn.check(&repo), Ok(()));
    let grown = Owner::of(&repo, Some(&unborn));
    assert_eq!(grown.lineage.len(), 1, "it is noted as soon as it is known");
}

#[test]
fn owner_clone_is_foreign() {
    let sandbox = committed("one");
    let owner = Owner::of(&sandbox.repo(), None);
    let parent = sandbox.root().join("..").canonicalize().unwrap();
    git(&parent, &["clone", "-q", "root", "clone"]);
    let clone = Repo::open(&parent.join("clone")).unwrap();
    assert_eq!(owner.check(&clone), Err(Foreign::Elsewhere));
}

#[test]
fn owner_folder_is_known_by_path() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    let owner = Owner::of(&sandbox.repo(), None);
    assert!(owner.lineage.is_empty());
    assert_eq!(owner.check(&sandbox.repo()), Ok(()));
    let old = Owner {
        place: None,
        birth: None,
        root_fingerprint: None,
        ..owner
    };
    assert_eq!(old.check(&sandbox.repo()), Ok(()));
}

#[test]
fn owner_known_lineage_is_reused() {
    let sandbox = committed("one");
    let repo = sandbox.repo();
    let mut owner = Owner::of(&repo, None);
    owner.lineage = vec!["noted earlier".to_owned()];
    assert_eq!(Owner::of(&repo, Some(&owner)).lineage, owner.lineage);
    owner.birth = None;
    assert_ne!(Owner::of(&repo, Some(&owner)).lineage, owner.lineage);
}
