//! Lines of a captured file, and where they stand some commits later.

use std::collections::{BTreeMap, BTreeSet};

use windlass_base::RepoPath;

/// Lines of one file of one commit, followed. Lines count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Track {
    /// The lines that are followed, by number.
    pub(crate) lines: BTreeMap<u32, Line>,
    /// The ids of the contents of the files in which they stand now.
    pub(crate) files: BTreeMap<RepoPath, String>,
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where it stands, if anywhere.
    pub(crate) at: Option<(RepoPath, u32)>,
    /// Whether it is the same line still, but for blanks.
    pub(crate) same: bool,
    /// Of one that stands nowhere: what is known of how it left.
    pub(crate) left: Leave,
    /// The commit that last moved it to another file, edited or removed it; empty for what is not committed.
    pub(crate) commit: Option<String>,
}

/// How a line left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    /// Not all that came in with that commit could be looked at.
    Unseen,
    /// An equal line came in, or several did, and none is known to be it.
    Doubtful,
    /// No equal line came in anywhere.
    Clean,
}

impl Line {
    fn start(file: &RepoPath, line: u32) -> Self {
        Self {
            at: Some((file.clone(), line)),
            same: true,
            left: Leave::Unseen,
            commit: None,
        }
    }

    /// The line left, and stands nowhere.
    pub(crate) fn lose(&mut self, commit: &str, left: Leave) {
        self.at = None;
        self.left = left;
        self.commit = Some(commit.to_owned());
    }

    /// The line stands at `at` now; `same` says whether nothing but blanks changed.
    pub(crate) fn move_to(&mut self, at: (RepoPath, u32), same: bool, commit: &str) {
        let stays = self.at.as_ref().is_some_and(|(file, _)| *file == at.0);
        if !stays || !same {
            self.commit = Some(commit.to_owned());
        }
        self.at = Some(at);
        self.same &= same;
    }
}

impl Track {
    /// Lines of `file` at a commit that has `blob` there.
    pub(crate) fn start(file: RepoPath, blob: &str, lines: &BTreeSet<u32>) -> Self {
        let line = |line: &u32| (*line, Line::start(&file, *line));
        Self {
            lines: lines.iter().map(line).collect(),
            files: BTreeMap::from([(file, blob.to_owned())]),
        }
    }

    /// Takes over the lines of another track of the same file and commit, at the same later one.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (number, line) in other.lines {
            self.lines.entry(number).or_insert(line);
        }
        self.files.extend(other.files);
    }

    /// Forgets files in which no line stands any more.
    pub(crate) fn tidy(&mut self) {
        let used: BTreeSet<&RepoPath> = self
            .lines
            .values()
            .filter_map(|line| Some(&line.at.as_ref()?.0))
            .collect();
        let used: BTreeSet<RepoPath> = used.into_iter().cloned().collect();
        self.files.retain(|file, _| used.contains(file));
    }
}
