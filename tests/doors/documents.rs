//! Documents owned by users, behind symbolic and hard links.

use std::fs;
use std::os::unix::fs::symlink;

use crate::run;
use crate::support::Sandbox;

const LIST: &str = r#"{"vContextInfo":{"version":"0.4"},"todoList":{"items":[]}}"#;

#[test]
fn link_out_of_repo_is_refused() {
    let sandbox = Sandbox::git();
    let outside = sandbox.outside();
    fs::write(outside.join("t.json"), LIST).unwrap();
    symlink(&outside, sandbox.root().join("folder")).unwrap();
    symlink(outside.join("t.json"), sandbox.root().join("t.json")).unwrap();
    for name in ["folder/t.json", "t.json"] {
        let answer = run(&sandbox, &["doc", "item", "add", name, "New"]).exits_with(4);
        assert!(
            answer
                .stderr
                .contains("links out of the repository are not followed"),
            "{}",
            answer.stderr
        );
    }
    assert_eq!(fs::read_to_string(outside.join("t.json")).unwrap(), LIST);
}

#[test]
fn link_within_repo_stays_a_link() {
    let sandbox = Sandbox::git();
    sandbox.write("real/t.json", LIST);
    symlink("real/t.json", sandbox.root().join("t.json")).unwrap();
    run(&sandbox, &["doc", "item", "add", "t.json", "New"]).succeeds();
    assert!(sandbox.root().join("t.json").is_symlink());
    assert!(sandbox.read("real/t.json").contains("New"));
}

#[test]
fn link_into_git_folder_is_refused() {
    let sandbox = Sandbox::git();
    fs::write(sandbox.root().join(".git/t.json"), LIST).unwrap();
    symlink(".git/t.json", sandbox.root().join("t.json")).unwrap();
    run(&sandbox, &["doc", "item", "add", "t.json", "New"]).exits_with(4);
    assert_eq!(sandbox.read(".git/t.json"), LIST);
}

#[test]
fn hard_link_target_is_unchanged() {
    let sandbox = Sandbox::git();
    let outside = sandbox.outside().join("t.json");
    fs::write(&outside, LIST).unwrap();
    fs::hard_link(&outside, sandbox.root().join("t.json")).unwrap();
    run(&sandbox, &["doc", "item", "add", "t.json", "New"]).succeeds();
    assert_eq!(fs::read_to_string(&outside).unwrap(), LIST);
    assert!(sandbox.read("t.json").contains("New"));
}
