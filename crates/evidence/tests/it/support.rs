//! A folder with one file, which tests capture, change and judge.

use std::fs;
use std::path::PathBuf;

use windlass_base::{Freshness, Judgement, LineSpan, Pointer, RepairOutcome, RepoPath};
use windlass_evidence::{Captured, capture, judge};
use windlass_repo::{Repo, Snapshot};

pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    /// Creates a folder that contains the file `f` with this text.
    pub(crate) fn with(text: impl AsRef<[u8]>) -> Self {
        let sandbox = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        sandbox.write("f", text);
        sandbox
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::write(self.at(path), text).unwrap();
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Repo::open(self.dir.path()).unwrap().snapshot()
    }

    pub(crate) fn capture(&self, start: u32, end: u32) -> Captured {
        capture(&self.snapshot(), &path("f"), span(start, end)).unwrap()
    }

    pub(crate) fn judge(&self, captured: &Captured) -> Judgement {
        judge(&self.snapshot(), &captured.pointer, Some(&captured.capture))
    }

    /// Judges a pointer without its captured context.
    pub(crate) fn judge_pointer(&self, pointer: &Pointer) -> Judgement {
        judge(&self.snapshot(), pointer, None)
    }
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::parse(text).unwrap()
}

pub(crate) fn span(start: u32, end: u32) -> LineSpan {
    LineSpan::new(start, end).unwrap()
}

/// Captures lines `start` to `end` of `before` and judges them in `after`.
pub(crate) fn verdict(
    before: impl AsRef<[u8]>,
    (start, end): (u32, u32),
    after: impl AsRef<[u8]>,
) -> String {
    let sandbox = Sandbox::with(before);
    let captured = sandbox.capture(start, end);
    sandbox.write("f", after);
    say(&sandbox.judge(&captured))
}

/// Formats a verdict: `fresh`, `stale_hash_mismatch, moved to 3-4`, `span_invalid, unproven`.
pub(crate) fn say(judgement: &Judgement) -> String {
    let mut text = judgement.status.as_str().to_owned();
    if let Some(repair) = &judgement.repair {
        text.push_str(&format!(", {}", repair.outcome.as_str()));
        if let Some(new) = &repair.evidence {
            text.push_str(&format!(" to {}", new.span));
        }
        let claimed = repair.outcome == RepairOutcome::Moved;
        assert_eq!(repair.evidence.is_some(), claimed, "{repair:?}");
        assert_eq!(repair.confidence, if claimed { 100 } else { 0 });
    }
    assert!(judgement.status != Freshness::Fresh || judgement.repair.is_none());
    text
}

/// Number of letters and digits that prove a move.
pub(crate) const ENOUGH: usize = 12;

/// Returns the number of letters and digits in `text`.
pub(crate) fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

/// Returns `text` with enough letters in each line. Blank lines are not changed.
pub(crate) fn wordy(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let own = line.trim_end_matches(['\r', '\n']);
        let more = if own.is_empty() {
            ""
        } else {
            " is a line of its own"
        };
        format!("{own}{more}{}", &line[own.len()..])
    });
    lines.collect()
}
