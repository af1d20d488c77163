//! Lines of a captured file, and where they are some commits later.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::RepoPath;
use windlass_repo::BlobChange;

/// Lines of one file of one commit, followed. Lines count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Track {
    /// The lines that are followed, by number.
    pub(crate) lines: BTreeMap<u32, Line>,
    /// The ids of the contents of the files in which they are now.
    pub(crate) files: BTreeMap<RepoPath, String>,
    /// The name of the file, and those that commits gave it since; the oldest first.
    pub(crate) names: Vec<RepoPath>,
    /// Number of commits through which they were followed.
    pub(crate) steps: u32,
    /// Commits that changed them, by number from 1; an empty id for uncommitted changes.
    pub(crate) commits: BTreeMap<u32, String>,
    /// Number of times that they were brought forward without being asked for.
    pub(crate) idle: u32,
}

/// Fate of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Location, if it has one.
    pub(crate) at: Option<(RepoPath, u32)>,
    /// Gravest edit of the line since it is followed.
    pub(crate) edit: Edit,
    /// Way in which a line without a location left.
    pub(crate) left: Leave,
    /// The number of the commit that last moved it to another file, edited or removed it; 0 where none did.
    pub(crate) when: u32,
}

/// Edit of a followed line, the slightest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edit {
    /// Unchanged but for blanks.
    None,
    /// One line came in its place, between unchanged neighbours, and shares most of its words.
    InPlace,
    /// A line that is like it came about where it was.
    Loose,
}

/// Way in which a line left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Leave {
    /// Not all that came in with that commit could be inspected.
    Unseen,
    /// An equal line came in, or several did, and none is known to be it.
    Doubtful,
    /// A copy of it was written beside it, and either may be it.
    Copied,
    /// No equal line came in anywhere.
    Clean,
}

impl Line {
    fn start(file: &RepoPath, line: u32) -> Self {
        Self {
            at: Some((file.clone(), line)),
            edit: Edit::None,
            left: Leave::Unseen,
            when: 0,
        }
    }

    /// The line left, and is nowhere.
    pub(crate) fn lose(&mut self, when: u32, left: Leave) {
        self.at = None;
        self.left = left;
        self.when = when;
    }

    /// True if nothing but blanks changed in the line.
    pub(crate) fn is_same(&self) -> bool {
        self.edit == Edit::None
    }

    /// Moves the line to `at`, where commit `when` made `edit` to it.
    pub(crate) fn move_to(&mut self, at: (RepoPath, u32), edit: Edit, when: u32) {
        let stays = self.at.as_ref().is_some_and(|(file, _)| *file == at.0);
        if !stays || edit != Edit::None {
            self.when = when;
        }
        self.at = Some(at);
        self.edit = match self.edit.max(edit) {
            // Git guesses renames, and nothing of an edited line can confirm one.
            Edit::InPlace if !stays => Edit::Loose,
            edit => edit,
        };
    }
}

impl Track {
    /// Lines of `file` at a commit that has `blob` there.
    pub(crate) fn start(file: RepoPath, blob: &str, lines: &BTreeSet<u32>) -> Self {
        let line = |line: &u32| (*line, Line::start(&file, *line));
        Self {
            lines: lines.iter().map(line).collect(),
            files: BTreeMap::from([(file.clone(), blob.to_owned())]),
            names: vec![file],
            steps: 0,
            commits: BTreeMap::new(),
            idle: 0,
        }
    }

    /// Takes over the lines of another track of the same file and commit, at the same later one.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (number, line) in other.lines {
            self.lines.entry(number).or_insert(line);
        }
        self.files.extend(other.files);
        self.commits.extend(other.commits);
    }

    /// Takes down another name that a commit which made `changes` gave the file.
    pub(crate) fn rename(&mut self, changes: &[BlobChange]) {
        for change in changes {
            if let (Some(from), Some(to)) = (&change.from, &change.to)
                && self.names.last() == Some(&from.path)
                && to.path != from.path
            {
                self.names.push(to.path.clone());
            }
        }
    }

    /// Forgets files in which no line is any more, and commits that no line tells of.
    pub(crate) fn tidy(&mut self) {
        let told: BTreeSet<u32> = self.lines.values().map(|line| line.when).collect();
        self.commits.retain(|when, _| told.contains(when));
        let used: BTreeSet<&RepoPath> = self
            .lines
            .values()
            .filter_map(|line| Some(&line.at.as_ref()?.0))
            .collect();
        let used: BTreeSet<RepoPath> = used.into_iter().cloned().collect();
        self.files.retain(|file, _| used.contains(file));
    }
}

#[cfg(test)]
mod tests {
    use windlass_repo::BlobAt;

    use super::*;

    #[test]
    fn a_file_is_known_by_the_name_it_has_now() {
        let at = |path: &str| BlobAt {
            path: RepoPath::parse(path).unwrap(),
            blob: "1".into(),
        };
        let renamed = |from: &str, to: &str| BlobChange {
            from: Some(at(from)),
            to: Some(at(to)),
        };
        let mut track = Track::start(at("a").path, "1", &BTreeSet::from([0]));
        track.rename(&[renamed("x", "y"), renamed("a", "a")]);
        assert_eq!(track.names.len(), 1);
        track.rename(&[renamed("a", "b"), renamed("x", "a")]);
        track.rename(&[renamed("a", "z"), renamed("b", "c")]);
        let names: Vec<&str> = track.names.iter().map(RepoPath::as_str).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
