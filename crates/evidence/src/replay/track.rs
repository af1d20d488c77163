//! Tracks: the lines of a captured file, and where they are some commits later.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::RepoPath;
use windlass_repo::BlobChange;

/// Followed lines of one captured file, as of one commit. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Track {
    /// Followed lines, by their number in the captured file.
    pub(crate) lines: BTreeMap<u32, Line>,
    /// Files that contain followed lines now, with their blob ids.
    pub(crate) files: BTreeMap<RepoPath, String>,
    /// Names that the captured file has had, oldest first.
    pub(crate) names: Vec<RepoPath>,
    /// Number of commits through which the lines were followed.
    pub(crate) steps: u32,
    /// Ids of the commits that changed the lines, by number from 1. The id is empty for uncommitted
    /// changes.
    pub(crate) commits: BTreeMap<u32, String>,
    /// Number of runs in a row that continued the track without needing it. Past
    /// `params::MAX_IDLE`, the track is dropped from the store.
    pub(crate) idle: u32,
}

/// Fate of a line since its capture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    /// Current location, unless the line was removed.
    pub(crate) at: Option<(RepoPath, u32)>,
    /// The largest of its edits.
    pub(crate) edit: Edit,
    /// If the line has no location, how it was removed.
    pub(crate) left: Leave,
    /// Number of the commit that last edited or removed the line, or moved it to another file. 0 if
    /// none did.
    pub(crate) when: u32,
}

/// Degree to which a followed line was edited, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edit {
    /// Only its blanks changed.
    None,
    /// One line between unchanged neighbors replaced it and has most of its words.
    InPlace,
    /// A similar line near its location replaced it.
    Loose,
}

/// Known circumstances of a line's removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Leave {
    /// By a commit that could not be inspected completely.
    Unseen,
    /// By a commit that added an equal line, which may or may not be this one.
    Doubtful,
    /// By a commit that inserted a copy next to it, so that either one may be the original.
    Copied,
    /// By a commit that added no equal line anywhere.
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

    pub(crate) fn lose(&mut self, when: u32, left: Leave) {
        self.at = None;
        self.left = left;
        self.when = when;
    }

    /// Returns true if no commit changed more than the blanks of the line.
    pub(crate) fn is_same(&self) -> bool {
        self.edit == Edit::None
    }

    /// Records that the line is at `at` after commit `when`, which made the `edit`.
    pub(crate) fn move_to(&mut self, at: (RepoPath, u32), edit: Edit, when: u32) {
        // A line that's only shifted within its file keeps its last commit.
        let stays = self.at.as_ref().is_some_and(|(file, _)| *file == at.0);
        if !stays || edit != Edit::None {
            self.when = when;
        }
        self.at = Some(at);
        self.edit = match self.edit.max(edit) {
            // Git only guesses renames, and an edited line cannot confirm one.
            Edit::InPlace if !stays => Edit::Loose,
            edit => edit,
        };
    }
}

impl Track {
    /// Starts to follow `lines` of `file` from a commit in which its contents are `blob`.
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

    /// Adds the lines of `other`, a track of other lines with the same start and end.
    ///
    /// Both tracks went through the same commits, so the numbers of the commits agree as well.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (number, line) in other.lines {
            self.lines.entry(number).or_insert(line);
        }
        self.files.extend(other.files);
        self.commits.extend(other.commits);
    }

    /// Records the new name if `changes` rename the file.
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

    /// Forgets files without followed lines and commits that changed none of the lines.
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
        // `x` becomes another `a` here, but that isn't the captured file.
        track.rename(&[renamed("a", "b"), renamed("x", "a")]);
        track.rename(&[renamed("a", "z"), renamed("b", "c")]);
        let names: Vec<&str> = track.names.iter().map(RepoPath::as_str).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
