//! A moved repository keeps its notebook, but a clone only gets one on request.

use std::path::Path;

use crate::support::{Answer, Sandbox, shell_word};
use crate::{anchor, edit, repository, runbook};

/// Creates a repository with an anchor and a runbook, in two revisions.
fn saved() -> Sandbox {
    let sandbox = repository();
    edit(&sandbox, &format!("[{}]", anchor("a", "src/a.rs:1")), &[]).succeeds();
    edit(&sandbox, &format!("[{}]", runbook("look", "a")), &[]).succeeds();
    sandbox
}

fn moved(sandbox: &Sandbox, name: &str) -> std::path::PathBuf {
    let to = sandbox.outside().join(name);
    std::fs::rename(sandbox.root(), &to).unwrap();
    to
}

fn ids(answer: &Answer) -> Vec<String> {
    let list = answer.json();
    let anchors = list["anchors"].as_array().unwrap().iter();
    anchors
        .map(|anchor| anchor["id"].as_str().unwrap().to_owned())
        .collect()
}

fn show(sandbox: &Sandbox, folder: &Path) -> Answer {
    sandbox.windlass_in(folder, &["notebook", "show", "--format", "json"])
}

#[test]
fn moved_repo_adopts_its_notebook() {
    for first in [
        &["notebook", "show"][..],
        &["run", "look"],
        &["anchor", "check"],
        &["notebook", "history"],
        &["notebook", "rollback", "1"],
    ] {
        let sandbox = saved();
        let folder = moved(&sandbox, "moved");
        let answer = sandbox.windlass_in(&folder, first).succeeds();
        assert!(
            answer.stderr.contains("which no longer exists"),
            "{first:?}: {}",
            answer.stderr
        );
        let shown = show(&sandbox, &folder).succeeds();
        assert_eq!(ids(&shown), ["a"]);
        assert_eq!(shown.stderr, "", "it is said once");
        let history = sandbox
            .windlass_in(&folder, &["notebook", "history"])
            .succeeds()
            .stdout;
        assert!(history.contains("anchor added: `a`"), "{history}");
        sandbox
            .windlass_in(&folder, &["notebook", "rollback", "1"])
            .succeeds();
        assert_eq!(ids(&show(&sandbox, &folder)), ["a"]);
    }
}

#[test]
fn clone_adopts_only_on_request() {
    let sandbox = saved();
    let clone = sandbox.outside().join("clone");
    sandbox.run_git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let shown = show(&sandbox, &clone);
    assert!(ids(&shown).is_empty());
    let root = shell_word(sandbox.root().to_str().unwrap());
    let call = format!("windlass notebook adopt --repo {root}");
    assert!(shown.stderr.contains(&call), "{}", shown.stderr);
    let dry = sandbox
        .windlass_in(&clone, &["notebook", "adopt", "--dry-run"])
        .succeeds();
    assert_eq!(dry.stdout, "+ runbook look\n+ anchor a\n");
    assert!(ids(&show(&sandbox, &clone)).is_empty());
    sandbox
        .windlass_in(&clone, &["notebook", "adopt"])
        .succeeds();
    assert_eq!(ids(&show(&sandbox, &clone)), ["a"]);
    sandbox
        .windlass_in(&clone, &["anchor", "add", "b", "src/a.rs:2"])
        .succeeds();
    assert_eq!(ids(&show(&sandbox, sandbox.root())), ["a"]);
    let again = sandbox
        .windlass_in(&clone, &["notebook", "adopt"])
        .exits_with(5)
        .stderr;
    assert!(again.contains("has a notebook already"), "{again}");
}

#[test]
fn adopted_notebook_is_not_taken_twice() {
    let sandbox = saved();
    let folder = moved(&sandbox, "moved");
    show(&sandbox, &folder).succeeds();
    let clone = sandbox.outside().join("clone");
    std::fs::create_dir(sandbox.root()).unwrap();
    sandbox.run_git(&[
        "clone",
        "-q",
        folder.to_str().unwrap(),
        clone.to_str().unwrap(),
    ]);
    std::fs::remove_dir_all(sandbox.root()).unwrap();
    assert!(ids(&show(&sandbox, &clone)).is_empty());
    let several = sandbox
        .windlass_in(&clone, &["notebook", "adopt"])
        .exits_with(2)
        .stderr;
    assert!(
        several.contains("moved`") && several.contains("--repo"),
        "{several}"
    );
    let from = ["notebook", "adopt", "--from", folder.to_str().unwrap()];
    sandbox.windlass_in(&clone, &from).succeeds();
    assert_eq!(ids(&show(&sandbox, &clone)), ["a"]);
}

#[test]
fn template_clones_keep_own_notebooks() {
    let template = repository();
    let homes = template.outside();
    let clone = |name: &str| {
        let to = homes.join(name);
        template.run_git(&["clone", "-q", ".", to.to_str().unwrap()]);
        to
    };
    let (one, other) = (clone("one"), clone("other"));
    let add = ["anchor", "add", "private", "src/a.rs:1"];
    template.windlass_in(&one, &add).succeeds();
    // One clone has moved away. The other one has the same first commits, which proves nothing.
    let later = homes.join("later");
    std::fs::rename(&one, &later).unwrap();
    let shown = show(&template, &other).succeeds();
    assert!(ids(&shown).is_empty());
    let root = shell_word(one.to_str().unwrap());
    let call = format!("windlass notebook adopt --repo {root}");
    assert!(shown.stderr.contains(&call), "{}", shown.stderr);
    // Even a wrong adoption takes nothing from the owner, no matter how often the owner moves.
    let from = ["notebook", "adopt", "--from", one.to_str().unwrap()];
    template.windlass_in(&other, &from).succeeds();
    assert_eq!(ids(&show(&template, &later)), ["private"]);
    let last = homes.join("last");
    std::fs::rename(&later, &last).unwrap();
    let more = ["anchor", "add", "more", "src/a.rs:2"];
    template.windlass_in(&last, &more).succeeds();
    assert_eq!(ids(&show(&template, &last)), ["private", "more"]);
}

#[test]
fn possible_copy_is_offered_not_adopted() {
    let sandbox = saved();
    let copy = sandbox.outside().join("copy");
    let made = std::process::Command::new("cp")
        .arg("-a")
        .args([sandbox.root(), &copy])
        .status();
    assert!(made.unwrap().success());
    std::fs::remove_dir_all(sandbox.root()).unwrap();
    let missing = sandbox.windlass_in(&copy, &["run", "look"]).exits_with(3);
    assert!(
        missing.stderr.contains("notebook adopt --repo"),
        "{}",
        missing.stderr
    );
    sandbox
        .windlass_in(&copy, &["notebook", "adopt"])
        .succeeds();
    assert_eq!(ids(&show(&sandbox, &copy)), ["a"]);
}

#[test]
fn unknown_first_commits_are_reported() {
    let sandbox = saved();
    let shallow = sandbox.outside().join("shallow");
    let url = format!("file://{}", sandbox.root().display());
    sandbox.commit("y");
    sandbox.run_git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &url,
        shallow.to_str().unwrap(),
    ]);
    let folder = Sandbox::folder();
    for (sandbox, root) in [(&sandbox, &*shallow), (&folder, folder.root())] {
        let refused = sandbox
            .windlass_in(root, &["notebook", "adopt"])
            .exits_with(3);
        assert!(
            refused.stderr.contains("are not known") && refused.stderr.contains("--unshallow"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn unrelated_notebooks_are_not_adopted() {
    let sandbox = saved();
    let folder = moved(&sandbox, "moved");
    std::fs::remove_dir_all(folder.join(".git")).unwrap();
    std::fs::create_dir(sandbox.root()).unwrap();
    let other = sandbox.outside().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("f"), "x").unwrap();
    sandbox.run_git(&["init", "-q", other.to_str().unwrap()]);
    sandbox.run_git(&["-C", other.to_str().unwrap(), "add", "f"]);
    sandbox.run_git(&[
        "-C",
        other.to_str().unwrap(),
        "commit",
        "-q",
        "-m",
        "another",
    ]);
    std::fs::remove_dir(sandbox.root()).unwrap();
    assert!(ids(&show(&sandbox, &other)).is_empty());
    let none = sandbox
        .windlass_in(&other, &["notebook", "adopt"])
        .exits_with(3)
        .stderr;
    assert!(none.contains("no other repository"), "{none}");
    let trusted = sandbox.windlass_in(&other, &["trust", "--list"]).succeeds();
    assert_eq!(trusted.stdout, "");
}
