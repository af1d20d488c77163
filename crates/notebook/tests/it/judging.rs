//! Tests judging many anchors in parallel.

use std::num::NonZero;

use windlass_base::{Cancel, Freshness, Item, LineSpan, RepoPath};
use windlass_evidence::capture;
use windlass_notebook::{Anchor, NotebookError, judge_all};
use windlass_repo::{Repo, RepoOptions, Snapshot};

use crate::support::anchor;

const FILES: usize = 30;

/// A folder of files with twenty anchors each. Depending on the file, they're all fresh, all moved,
/// or mostly edited.
fn sandbox() -> (tempfile::TempDir, Vec<Anchor>) {
    let folder = tempfile::tempdir().unwrap();
    let snapshot = snapshot(&folder, 1);
    let mut anchors = Vec::new();
    for file in 0..FILES {
        let name = format!("f{file}");
        let text: String = (0..20)
            .map(|line| format!("line {line} of file {file}\n"))
            .collect();
        std::fs::write(folder.path().join(&name), &text).unwrap();
        for line in 1..=20 {
            let path = RepoPath::parse(&name).unwrap();
            let captured = capture(&snapshot, &path, LineSpan::single(line)).unwrap();
            let mut anchor = anchor(&format!("a{file}-{line}"));
            anchor.evidence = vec![captured.into()];
            anchors.push(anchor);
        }
        let now = match file % 3 {
            0 => text,
            1 => format!("new\n{text}"),
            _ => text.replace("line 1", "Line 1"),
        };
        std::fs::write(folder.path().join(&name), now).unwrap();
    }
    (folder, anchors)
}

fn snapshot(folder: &tempfile::TempDir, threads: usize) -> Snapshot {
    let options = RepoOptions {
        threads: NonZero::new(threads),
        ..RepoOptions::default()
    };
    Repo::open_with(folder.path(), options).unwrap().snapshot()
}

#[test]
fn judging_same_for_any_threads() {
    let (folder, anchors) = sandbox();
    let anchors: Vec<&Anchor> = anchors.iter().collect();
    let judged = |threads| {
        let snapshot = snapshot(&folder, threads);
        judge_all(&anchors, &snapshot, &Cancel::default(), |_, item| item).unwrap()
    };
    let one = judged(1);
    let ids = one.iter().filter_map(|item| item.id.as_deref());
    assert!(ids.eq(anchors.iter().map(|anchor| anchor.id.as_str())));
    let fresh = |item: &&Item| item.evidence[0].judgement.status == Freshness::Fresh;
    // Of three files, the first is unchanged. In the third, lines 1 and 10 to 19 differ.
    assert_eq!(one.iter().filter(fresh).count(), 10 * 20 + 10 * 9);
    for threads in [2, 3, 8] {
        assert_eq!(judged(threads), one, "{threads} threads");
    }
    let none = judge_all(&[], &snapshot(&folder, 8), &Cancel::default(), |_, item| {
        item
    });
    assert_eq!(none.unwrap(), []);
}

#[test]
fn judging_cancelled_stops() {
    let (folder, anchors) = sandbox();
    let anchors: Vec<&Anchor> = anchors.iter().collect();
    let cancel = Cancel::default();
    cancel.cancel();
    for threads in [1, 3] {
        let snapshot = snapshot(&folder, threads);
        let stopped = judge_all(&anchors, &snapshot, &cancel, |_, item| item);
        assert!(matches!(stopped, Err(NotebookError::Stopped)));
        // Each thread has to notice the cancellation before its first file.
        assert_eq!(snapshot.reads(), [], "nothing was read any more");
    }
}
