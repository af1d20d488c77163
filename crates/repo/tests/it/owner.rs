//! Whose something is that was kept: the same place is not enough, another place is not the end.

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
fn all_working_trees_of_a_repository_own_the_same() {
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
fn another_repository_in_the_same_place_is_another() {
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
fn a_repository_that_was_put_back_is_the_same() {
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
fn what_was_kept_before_the_first_commit_stays_while_git_s_folder_does() {
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
fn a_clone_elsewhere_is_related_and_owns_nothing() {
    let sandbox = committed("one");
    let owner = Owner::of(&sandbox.repo(), None);
    let parent = sandbox.root().join("..").canonicalize().unwrap();
    git(&parent, &["clone", "-q", "root", "clone"]);
    let clone = Repo::open(&parent.join("clone")).unwrap();
    assert_eq!(owner.check(&clone), Err(Foreign::Elsewhere));
}

#[test]
fn a_folder_is_known_by_its_place() {
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
fn a_known_lineage_is_kept_without_asking_git() {
    let sandbox = committed("one");
    let repo = sandbox.repo();
    let mut owner = Owner::of(&repo, None);
    owner.lineage = vec!["noted earlier".to_owned()];
    assert_eq!(Owner::of(&repo, Some(&owner)).lineage, owner.lineage);
    owner.birth = None;
    assert_ne!(Owner::of(&repo, Some(&owner)).lineage, owner.lineage);
}
