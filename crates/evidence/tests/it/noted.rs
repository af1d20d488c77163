//! Texts that no commit has, so that only the context of their capture can locate them.

use windlass_evidence::{Captured, capture};
use windlass_repo::Repo;

use crate::history::{History, function, functions};
use crate::support::{path, span};

/// Creates files without git, and captures the second function of `a.rs` (lines 10 to 17).
fn without_git(others: &[(&str, &str)]) -> (History, Captured) {
    let history = History::without_git(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    history.write(others);
    let captured = history.capture("a.rs", (10, 17));
    assert!(captured.capture.commit.is_none());
    (history, captured)
}

#[test]
fn a_text_that_no_other_file_had_is_found_in_one() {
    let (history, captured) = without_git(&[("b.rs", &functions(&["delta", "omega"]))]);
    assert_eq!(captured.capture.copies_elsewhere, Some(0));
    history.write(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("b.rs", &functions(&["delta", "beta", "omega"])),
    ]);
    assert_eq!(history.said(&captured), "moved b.rs:10-17");
    // If two files contain it, neither can be claimed.
    history.write(&[("c.rs", &function("beta"))]);
    assert_eq!(history.said(&captured), "ambiguous");
    // If only one file contains it again, it's claimed even though its own file was deleted.
    history.remove("c.rs");
    history.remove("a.rs");
    assert_eq!(history.said(&captured), "moved b.rs:10-17");
    history.remove("b.rs");
    assert_eq!(history.said(&captured), "unproven");
}

#[test]
fn a_copy_that_was_there_before_is_not_the_text() {
    let (history, captured) = without_git(&[("b.rs", &functions(&["delta", "beta"]))]);
    assert_eq!(captured.capture.copies_elsewhere, Some(1));
    history.write(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    assert_eq!(history.said(&captured), "ambiguous");
}

#[test]
fn an_edited_text_stands_between_its_neighbours() {
    let beta = function("beta");
    for (text, want) in [
        (
            beta.replace("store_beta(entry)?", "keep_beta(entry)?"),
            "edited a.rs:19-26",
        ),
        (
            beta.replace("    }\n", "        log(entry);\n    }\n"),
            "edited a.rs:19-27",
        ),
        // They have only brackets in common.
        (function("other"), "unproven"),
        (String::new(), "unproven"),
    ] {
        let (history, captured) = without_git(&[]);
        let after = functions(&["new", "alpha"]) + &text + &function("gamma");
        history.write(&[("a.rs", &after)]);
        assert_eq!(history.said(&captured), want);
    }
}

#[test]
fn what_was_never_committed_is_found_as_without_git() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    history.write(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    assert_eq!(captured.capture.copies_elsewhere, Some(0));
    history.step(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("b.rs", &functions(&["beta"])),
    ]);
    assert_eq!(history.said(&captured), "moved b.rs:1-8");
    // The context is also recorded for a text that is committed, because the commit may be missing
    // later.
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    let committed = capture(&snapshot, &path("b.rs"), span(1, 8)).unwrap();
    assert_eq!(committed.capture.copies_elsewhere, Some(0));
}

#[test]
fn other_files_recorded_for_many_captures() {
    let beta = function("beta");
    let half = beta.lines().take(4).collect::<Vec<_>>().join("\n");
    let history = History::with(&[
        ("a.rs", &functions(&["alpha", "beta", "gamma"])),
        ("b.rs", &functions(&["alpha"])),
        ("c.rs", &half),
        ("d.txt", "}\n}\n"),
    ]);
    // The first captures search all files, and later ones use the index.
    let snapshot = Repo::open(history.root()).unwrap().snapshot();
    for _ in 0..12 {
        let noted = |lines: (u32, u32)| {
            let lines = span(lines.0, lines.1);
            let captured = capture(&snapshot, &path("a.rs"), lines).unwrap();
            let capture = captured.capture;
            (capture.copies_elsewhere, capture.look_alike_elsewhere)
        };
        // `b.rs` contains all of `alpha`, and `c.rs` half of `beta`.
        assert_eq!(noted((1, 8)), (Some(1), Some(100)));
        assert_eq!(noted((10, 17)), (Some(0), Some(50)));
        assert_eq!(noted((19, 26)).0, Some(0));
    }
}

#[test]
fn a_text_whose_commit_is_lost_is_found_in_another_file() {
    let history = History::with(&[("b.rs", &functions(&["delta"]))]);
    history.step(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    history.write(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    history.write(&[("c.rs", &functions(&["omega", "beta"]))]);
    // This removes the only commit with the captured text.
    history.git(&["add", "-A"]);
    history.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    history.git(&["reflog", "expire", "--expire=now", "--all"]);
    history.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(history.said(&captured), "moved c.rs:10-17");
    // The claim depends on the capture, which says that no other file contained the text or
    // anything similar.
    let mut unknown = captured;
    unknown.capture.copies_elsewhere = None;
    assert_eq!(history.said(&unknown), "ambiguous");
    unknown.capture.copies_elsewhere = Some(0);
    unknown.capture.look_alike_elsewhere = Some(90);
    assert_eq!(history.said(&unknown), "ambiguous");
}
