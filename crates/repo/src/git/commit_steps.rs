//! Changes commit by commit, along first parents.

use serde::{Deserialize, Serialize};
use windlass_base::RepoPath;

use super::{Commits, GitError};

/// The changes in a commit, usually relative to its first parent (see
/// [`is_entry`](Self::is_entry)).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitStep {
    /// Full ID of the commit.
    pub commit: Box<str>,
    /// Full ID of the commit that this one is compared with, or empty for a root commit.
    pub parent: Box<str>,
    /// Changed files, without links and submodules.
    pub changes: Vec<BlobChange>,
    /// True if `changes` includes every file that the commit added or changed. It doesn't if there
    /// are files whose names aren't UTF-8.
    pub complete: bool,
    /// True if `parent` isn't the first parent, but a commit further back on a branch that was
    /// merged. Such a step leads from that branch to the line of first parents.
    #[serde(default)]
    pub is_entry: bool,
}

/// A file before and after a commit. The paths of a renamed file differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobChange {
    /// The file before the commit, or `None` if the commit added it.
    pub from: Option<BlobAt>,
    /// The file after the commit, or `None` if the commit deleted it.
    pub to: Option<BlobAt>,
}

/// A path and its blob in a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlobAt {
    /// Relative to the root.
    pub path: RepoPath,
    /// Full ID of the blob.
    pub blob: Box<str>,
}

/// Options for comparing commits. Renames have to be detected in the same way as in
/// [`WorkingTree::changes_since`](super::WorkingTree::changes_since), so change both or none.
const DIFFERENCES: [&str; 5] = ["--raw", "-z", "--no-abbrev", "--find-renames=50%", "-l1000"];

impl Commits<'_> {
    /// Returns the steps of the first-parent commits in `base..tip` (full IDs), oldest first. If
    /// there are more than `limit`, the oldest ones are missing.
    pub(crate) fn steps(
        &self,
        base: &str,
        tip: &str,
        limit: usize,
    ) -> Result<Vec<CommitStep>, GitError> {
        let output = self
            .0
            .command("log")
            .args(["--first-parent", "--diff-merges=first-parent", "--reverse"])
            .args(DIFFERENCES)
            .arg("--format=%x01%H %P")
            .arg(format!("--max-count={limit}"))
            .args(["--end-of-options", &format!("{base}..{tip}"), "--"])
            .run()?;
        parse_steps(output.parts()).ok_or(GitError::Unexpected { command: "log" })
    }

    pub(crate) fn step_of(&self, commit: &str) -> Result<CommitStep, GitError> {
        let unexpected = || GitError::Unexpected { command: "log" };
        let output = self
            .0
            .command("log")
            .args(["--diff-merges=first-parent", "--max-count=1"])
            .args(DIFFERENCES)
            .arg("--format=%x01%H %P")
            .args(["--end-of-options", commit, "--"])
            .run()?;
        let steps = parse_steps(output.parts()).ok_or_else(unexpected)?;
        steps.into_iter().next().ok_or_else(unexpected)
    }

    pub(crate) fn step_between(&self, from: &str, to: &str) -> Result<CommitStep, GitError> {
        let output = self
            .0
            .command("diff-tree")
            .arg("-r")
            .args(DIFFERENCES)
            .args(["--end-of-options", from, to, "--"])
            .run()?;
        let mut step = CommitStep::new(to, from);
        step.is_entry = true;
        read_changes(&mut output.parts().peekable(), &mut step).ok_or(GitError::Unexpected {
            command: "diff-tree",
        })?;
        Ok(step)
    }
}

impl CommitStep {
    fn new(commit: &str, parent: &str) -> Self {
        Self {
            commit: commit.into(),
            parent: parent.into(),
            changes: Vec::new(),
            complete: true,
            is_entry: false,
        }
    }
}

/// Parses the output of `git log --raw -z`, which has a header line for each commit, followed by
/// its changes. The header starts with a byte that can't occur in the rest (see `--format`).
pub(super) fn parse_steps<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Option<Vec<CommitStep>> {
    let mut parts = parts.peekable();
    let mut steps = Vec::new();
    while let Some(part) = parts.next() {
        let line = std::str::from_utf8(part.strip_prefix(b"\x01")?).ok()?;
        let mut ids = line.split(' ');
        let (commit, parent) = (ids.next()?, ids.next().unwrap_or_default());
        let mut step = CommitStep::new(commit, parent);
        read_changes(&mut parts, &mut step)?;
        steps.push(step);
    }
    Some(steps)
}

/// Parses changes up to the next commit. Each one consists of modes, IDs and a status, followed by
/// one name, or by two for a rename.
fn read_changes<'a>(
    parts: &mut std::iter::Peekable<impl Iterator<Item = &'a [u8]>>,
    step: &mut CommitStep,
) -> Option<()> {
    while let Some(part) = parts.next_if(|part| !part.starts_with(b"\x01")) {
        let part = part.strip_prefix(b"\n").unwrap_or(part);
        if part.is_empty() {
            continue;
        }
        let facts = std::str::from_utf8(part.strip_prefix(b":")?).ok()?;
        let facts: Vec<&str> = facts.split(' ').collect();
        let [old_mode, new_mode, old, new, status] = facts[..] else {
            return None;
        };
        let first = parts.next()?;
        let second = match status.bytes().next()? {
            b'R' | b'C' => parts.next()?,
            _ => first,
        };
        let is_file = |mode: &str| matches!(mode, "100644" | "100755");
        let at = |mode: &str, blob: &str, name: &[u8]| {
            let path = RepoPath::parse(std::str::from_utf8(name).ok()?).ok()?;
            let blob = blob.into();
            is_file(mode).then_some(BlobAt { path, blob })
        };
        let (from, to) = (at(old_mode, old, first), at(new_mode, new, second));
        // If the file was deleted, or is now a link or a submodule, the step is complete without
        // it.
        step.complete &= to.is_some() || !is_file(new_mode);
        if from.is_some() || to.is_some() {
            step.changes.push(BlobChange { from, to });
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Vec<String>> {
        let text = text.replace('#', "\0");
        let parts = text.strip_suffix('\0').unwrap_or(&text).split('\0');
        let steps = parse_steps(parts.map(str::as_bytes))?;
        let at = |blob: &Option<BlobAt>| match blob {
            Some(at) => format!("{}@{}", at.path, at.blob),
            None => "-".to_owned(),
        };
        let change = |change: &BlobChange| format!(" {}>{}", at(&change.from), at(&change.to));
        let parsed = |step: &CommitStep| {
            let changes: String = step.changes.iter().map(change).collect();
            format!("{}^{}{changes}", step.commit, step.parent)
        };
        Some(steps.iter().map(parsed).collect())
    }

    #[test]
    fn steps_raw_log_lists_changes() {
        let text = "\x01c1 p1 p2#\n:100644 100755 a b M#x#:000000 100644 0 c A#\x01y#:100644 000000 d 0 D#z#\
                    \x01c2 c1#\x01c3 c2#\n:100644 100644 e f R087#old#new#:100644 120000 g h T#link#\
                    :160000 160000 i j M#module#";
        let want = [
            "c1^p1 x@a>x@b ->\x01y@c z@d>-",
            "c2^c1",
            "c3^c2 old@e>new@f link@g>-",
        ];
        assert_eq!(parsed(text).unwrap(), want);
        assert_eq!(
            parsed("\x01root #\n:000000 100644 0 a A#x#").unwrap(),
            ["root^ ->x@a"]
        );
        for broken in [
            "c1 p1#",
            "\x01c1 p1#\n:100644 a M#x#",
            "\x01c1 p1#\n:1 2 a b M",
        ] {
            assert_eq!(parsed(broken), None, "{broken}");
        }
    }

    #[test]
    fn step_non_utf8_name_is_incomplete() {
        let parts: [&[u8]; 3] = [b"\x01c p", b"\n:100644 100644 a b M", b"\xff"];
        let steps = parse_steps(parts.into_iter()).unwrap();
        assert!(!steps[0].complete && steps[0].changes.is_empty());
        let parts: [&[u8]; 3] = [b"\x01c p", b"\n:100644 000000 a 0 D", b"\xff"];
        assert!(parse_steps(parts.into_iter()).unwrap()[0].complete);
    }

    proptest::proptest! {
        #[test]
        fn parse_any_output_no_panic(text in "[\u{1}\n:AMR#0-9 ]{0,60}") {
            let _ = parsed(&text);
        }
    }
}
