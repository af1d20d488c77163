//! State of a repository at the time of a run, and the files that changed between two runs.

use crate::params;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest, RepoPath};
use windlass_repo::{BlobAt, Changes, FileChange, GitAnswer, GitQuery, Snapshot, Survey};

use super::looked::held;

/// Everything outside of the capture that a verdict may depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// Id of the checked-out commit, or `None` before the first commit.
    head: Option<String>,
    uncommitted: Vec<FileChange>,
    not_utf8: u32,
    /// Files that no survey covers, because git tracks them although an ignore file matches them.
    unnamed: Vec<(RepoPath, Option<Digest>)>,
    /// Rules about secrets: the digests of those for paths and those for values, and whether lines
    /// apply that make paths readable.
    policy: (Option<Digest>, Option<Digest>, bool),
    pub(super) survey: Survey,
}

impl State {
    /// Determines the state of `snapshot`, or returns `None` if the repository is too large or git
    /// fails.
    pub(super) fn of(snapshot: &Snapshot) -> Option<Self> {
        let survey = std::thread::scope(|scope| {
            let asked = scope.spawn(|| snapshot.ask_working_state(&Cancel::default()));
            let survey = Survey::of(snapshot, &Cancel::default());
            match asked.join() {
                Ok(()) => survey,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        let mut survey = survey.ok()?;
        let head = snapshot.head_commit(&Cancel::default());
        let changes = match head.clone() {
            Some(since) => changes(snapshot, since)?,
            None => Changes::default(),
        };
        if survey.len() > params::MAX_FILES_STORED {
            return None;
        }
        survey.hold_young(snapshot);
        let unnamed = paths_of(&changes.files).filter(|path| !survey.names(path));
        let unnamed = unnamed.map(|path| (path.clone(), held(snapshot, path).flatten()));
        let unnamed = unnamed.collect();
        let (secrets, own_rules) = (snapshot.repo().secrets(), snapshot.repo().own_rules());
        Some(Self {
            head,
            uncommitted: changes.files,
            not_utf8: changes.not_utf8,
            unnamed,
            policy: (secrets.digest(), own_rules.digest(), secrets.narrows()),
            survey,
        })
    }

    /// Returns true if the same commit is checked out in both states.
    pub(super) fn has_head_of(&self, other: &Self) -> bool {
        self.head == other.head
    }

    /// Returns the files that may differ between `self` and `now`, the state of `snapshot`. `None`
    /// means that any file may.
    pub(super) fn changed(&self, now: &Self, snapshot: &Snapshot) -> Option<BTreeSet<RepoPath>> {
        if self.policy != now.policy || self.not_utf8 != now.not_utf8 {
            return None;
        }
        let mut changed = self.survey.differences(&now.survey, snapshot);
        // If anything about the uncommitted changes is different, we assume that all files with
        // such changes may differ.
        let is_stirred = self.uncommitted != now.uncommitted
            || self.unnamed != now.unnamed
            || paths_of(&now.uncommitted).any(|path| changed.contains(path));
        if is_stirred {
            changed.extend(paths_of(&self.uncommitted).cloned());
            changed.extend(paths_of(&now.uncommitted).cloned());
        }
        changed.extend(self.committed(now, snapshot)?);
        Some(changed)
    }

    /// Returns the files that the commits from `self` to `now` changed. `None` if `now` does not
    /// descend from `self` in a straight line.
    fn committed(&self, now: &Self, snapshot: &Snapshot) -> Option<BTreeSet<RepoPath>> {
        if self.has_head_of(now) {
            return Some(BTreeSet::new());
        }
        let before = self.head.as_deref()?;
        let steps = snapshot.history().steps_since(before).ok()?;
        let mut changed = BTreeSet::new();
        let mut at = before;
        for step in steps.iter() {
            // The steps have to lead from one commit to the next, without merged branches.
            // Otherwise, some changes might be missing.
            if *step.parent != *at || step.is_entry || !step.complete {
                return None;
            }
            at = &step.commit;
            for change in &step.changes {
                let sides = change.from.iter().chain(&change.to);
                changed.extend(sides.map(|BlobAt { path, .. }| path.clone()));
            }
        }
        Some(changed)
    }
}

fn changes(snapshot: &Snapshot, since: String) -> Option<Changes> {
    let answer = snapshot.ask_git(&GitQuery::Changes { since }, &Cancel::default());
    match &*answer.ok()? {
        GitAnswer::Changes(changes) => Some(changes.clone()),
        _ => None,
    }
}

fn paths_of(changes: &[FileChange]) -> impl Iterator<Item = &RepoPath> {
    changes
        .iter()
        .flat_map(|change| std::iter::once(&change.path).chain(&change.from))
}
