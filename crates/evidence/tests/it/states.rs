//! Claims whose location depends on the branch or working tree.

use windlass_evidence::{Captured, Claim, claim_here};
use windlass_repo::Repo;

use crate::history::{History, functions};

fn claim(captured: &Captured) -> Claim {
    Claim {
        pointer: captured.pointer.clone(),
        capture: Some(captured.capture.clone()),
        spots: Vec::new(),
    }
}

/// Returns the location of the claim that belongs to the current files.
fn here(history: &History, now: &Captured, before: &Captured) -> String {
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    let found = claim_here(&snapshot, claim(now), [claim(before)]);
    found.pointer.to_string()
}

#[test]
fn an_earlier_location_holds_where_the_newer_commit_is_not() {
    let history = History::with(&[("a.rs", &functions(&["beta", "gamma"]))]);
    let before = history.capture("a.rs", (1, 8));
    history.git(&["checkout", "-q", "-b", "side"]);
    history.step(&[("a.rs", &functions(&["new", "beta", "gamma"]))]);
    let now = history.capture("a.rs", (10, 17));
    assert_eq!(here(&history, &now, &before), "a.rs:10-17");
    history.git(&["checkout", "-q", "main"]);
    assert_eq!(here(&history, &now, &before), "a.rs:1-8");
    // If neither text is at its location, the newer claim is judged.
    history.write(&[("a.rs", &functions(&["other", "gamma"]))]);
    assert_eq!(here(&history, &now, &before), "a.rs:10-17");
}

#[test]
fn a_copy_at_an_earlier_location_is_not_taken_for_the_text() {
    let history = History::with(&[("a.rs", &functions(&["beta", "gamma"]))]);
    let before = history.capture("a.rs", (1, 8));
    history.step(&[("a.rs", &functions(&["new", "beta", "gamma"]))]);
    let now = history.capture("a.rs", (10, 17));
    // The text was edited, and is also at its earlier location.
    let beta = functions(&["beta", "new"]);
    let edited = beta + &functions(&["gamma"]);
    history.step(&[("a.rs", &edited)]);
    assert_eq!(here(&history, &now, &before), "a.rs:10-17");
}

#[test]
fn a_move_that_is_not_committed_belongs_to_its_worktree() {
    let history = History::with(&[("a.rs", &functions(&["beta", "gamma"]))]);
    let before = history.capture("a.rs", (1, 8));
    history.write(&[("a.rs", &functions(&["new", "beta", "gamma"]))]);
    let now = history.capture("a.rs", (10, 17));
    assert_eq!(here(&history, &now, &before), "a.rs:10-17");
    history.git(&["stash", "-q"]);
    assert_eq!(here(&history, &now, &before), "a.rs:1-8");
    // If the file has other changes, it is unknown which claim belongs to it.
    let more = functions(&["beta", "gamma", "new"]);
    history.write(&[("a.rs", &more)]);
    assert_eq!(here(&history, &now, &before), "a.rs:10-17");
}
