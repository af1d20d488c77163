//! Tracks: the lines of a captured file, and their locations some commits later.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::RepoPath;
use windlass_repo::BlobChange;

/// Followed lines of one file in one commit. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Track {
    /// Followed lines, by their number in the captured file.
    pub(crate) lines: BTreeMap<u32, Line>,
    /// Blob ids of the files that contain followed lines now.
    pub(crate) files: BTreeMap<RepoPath, String>,
    /// Names that the file has had, oldest first.
    pub(crate) names: Vec<RepoPath>,
    /// Number of commits through which the lines were followed.
    pub(crate) steps: u32,
    /// Commits that changed the lines, by number from 1. An empty id stands for uncommitted changes.
    pub(crate) commits: BTreeMap<u32, String>,
    /// Number of times that the track was continued without being used.
    pub(crate) idle: u32,
}

/// What happened to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Current location. `None` if the line was removed.
    pub(crate) at: Option<(RepoPath, u32)>,
    /// Largest edit of the line since its capture.
    pub(crate) edit: Edit,
    /// How the line was removed, if it has no location.
    pub(crate) left: Leave,
    /// Number of the commit that last edited or removed the line, or moved it to another file. 0 if there is none.
    pub(crate) when: u32,
}

/// Edit of a followed line. The smallest edit is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edit {
    /// The line is unchanged except for blanks.
    None,
    /// One line between unchanged neighbours replaced it, and has most of its words.
    InPlace,
    /// A similar line near its former location replaced it.
    Loose,
}

/// How a line was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Leave {
    /// The commit that removed it could not be inspected completely.
    Unseen,
    /// At least one equal line was added, but it is unknown if one of them is this line.
    Doubtful,
    /// A copy was inserted next to it, so that either one may be the original.
    Copied,
    /// No equal line was added anywhere.
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

    /// Records that the line was removed and has no location.
    pub(crate) fn lose(&mut self, when: u32, left: Leave) {
        self.at = None;
        self.left = left;
        self.when = when;
    }

    /// True if the line changed only in blanks.
    pub(crate) fn is_same(&self) -> bool {
        self.edit == Edit::None
    }

    /// Moves the line to `at`. Commit `when` made the `edit`.
    pub(crate) fn move_to(&mut self, at: (RepoPath, u32), edit: Edit, when: u32) {
        let stays = self.at.as_ref().is_some_and(|(file, _)| *file == at.0);
        if !stays || edit != Edit::None {
            self.when = when;
        }
        self.at = Some(at);
        self.edit = match self.edit.max(edit) {
            // Git guesses renames, and an edited line cannot confirm one.
            Edit::InPlace if !stays => Edit::Loose,
            edit => edit,
        };
    }
}

impl Track {
    /// Starts a track of `lines` in `file`, at a commit in which the file has the contents `blob`.
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

    /// Adds the lines of another track that has the same start and end.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (number, line) in other.lines {
            self.lines.entry(number).or_insert(line);
        }
        self.files.extend(other.files);
        self.commits.extend(other.commits);
    }

    /// Records the name that a commit with these `changes` gave the file.
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

    /// Removes the files that contain no followed lines, and the commits that changed none of the lines.
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
