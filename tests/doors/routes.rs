//! Routes that come with a repository.

use crate::run;
use crate::support::Sandbox;

const EVENT: &str = r#"{"event_id":"evt-aaaaaaaaaaaa","event_type":"bead.created","timestamp":"2026-01-01T00:00:00.000Z","actor":"x","data":{"bead_id":"ev-aaaaa1","title":"fix me","issue_type":"task","priority":2,"created_by":"x"}}"#;

/// Creates a repository with a route to one of its folders.
fn with_route() -> Sandbox {
    let sandbox = Sandbox::git();
    sandbox.write(
        ".beads/routes.jsonl",
        "{\"prefix\":\"ev\",\"path\":\"sub\"}\n",
    );
    sandbox.write("sub/.beads/events.jsonl", format!("{EVENT}\n"));
    sandbox.write("sub/.windlass/secrets", "");
    sandbox.commit("first");
    sandbox
}

#[test]
fn repository_route_needs_trust() {
    let sandbox = with_route();
    for command in [
        &["bead", "show", "ev-aaaaa1"],
        &["bead", "claim", "ev-aaaaa1"],
    ] {
        let answer = run(&sandbox, command).exits_with(4);
        assert!(
            answer.stderr.contains("route `ev` to "),
            "{}",
            answer.stderr
        );
        assert!(
            answer.stderr.contains("`windlass trust route:ev`"),
            "{}",
            answer.stderr
        );
    }
    assert_eq!(sandbox.read("sub/.beads/events.jsonl").lines().count(), 1);
    run(&sandbox, &["trust", "route:ev"]).succeeds();
    let shown = run(&sandbox, &["bead", "show", "ev-aaaaa1"]).succeeds();
    assert!(shown.stdout.contains("fix me"), "{}", shown.stdout);
    assert!(
        run(&sandbox, &["trust", "--list"])
            .stdout
            .contains("route:ev")
    );
    run(&sandbox, &["trust", "route:ev", "--revoke"]).succeeds();
    run(&sandbox, &["bead", "show", "ev-aaaaa1"]).exits_with(4);
}

#[test]
fn redirected_route_loses_trust() {
    let sandbox = with_route();
    run(&sandbox, &["trust", "route:ev"]).succeeds();
    let sub = sandbox.root().join("sub");
    std::fs::rename(&sub, sandbox.root().join("other")).unwrap();
    std::os::unix::fs::symlink("other", &sub).unwrap();
    run(&sandbox, &["bead", "show", "ev-aaaaa1"]).exits_with(4);
}

#[test]
fn user_added_route_is_trusted() {
    let sandbox = with_route();
    sandbox.remove(".beads/routes.jsonl");
    run(&sandbox, &["route", "add", "ev", "sub"]).succeeds();
    run(&sandbox, &["bead", "show", "ev-aaaaa1"]).succeeds();
}
