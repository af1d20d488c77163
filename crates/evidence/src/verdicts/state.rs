//! State of a whole repository, and the differences between two states.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest, RepoPath};
use windlass_repo::{BlobAt, Changes, FileChange, GitAnswer, GitQuery, Snapshot, Survey};

use super::looked::held;

/// Maximum number of files in a repository whose states are compared. In a larger one, no verdicts are stored.
const MAX_FILES: usize = 50_000;

/// Everything that a verdict may depend on, at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// Id of the checked-out commit. `None` before the first commit.
    head: Option<String>,
    uncommitted: Vec<FileChange>,
    not_utf8: u32,
    /// Digests of files that no survey covers, because git tracks them although an ignore file matches them.
    unnamed: Vec<(RepoPath, Option<Digest>)>,
    /// Digests of the rules for secret paths and for secret values, and true if lines that make paths readable apply.
    policy: (Option<Digest>, Option<Digest>, bool),
    pub(super) survey: Survey,
}

impl State {
    /// Determines the state of `snapshot`. Returns `None` if the repository is too large or git fails.
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
        if survey.len() > MAX_FILES {
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

    /// True if both states have the same commit checked out, or both have none.
    pub(super) fn has_head_of(&self, other: &Self) -> bool {
        self.head == other.head
    }

    /// Returns the files that may have changed between `self` and `now`, which is the state of `snapshot`. Returns
    /// `None` if any file may have changed.
    pub(super) fn changed(&self, now: &Self, snapshot: &Snapshot) -> Option<BTreeSet<RepoPath>> {
        if self.policy != now.policy || self.not_utf8 != now.not_utf8 {
            return None;
        }
        let mut changed = self.survey.differences(&now.survey, snapshot);
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

    /// Returns the files that commits have changed since. Returns `None` if `now` does not descend from `self` in a
    /// straight line.
    fn committed(&self, now: &Self, snapshot: &Snapshot) -> Option<BTreeSet<RepoPath>> {
        if self.has_head_of(now) {
            return Some(BTreeSet::new());
        }
        let before = self.head.as_deref()?;
        let steps = snapshot.history().steps_since(before).ok()?;
        let mut changed = BTreeSet::new();
        let mut at = before;
        for step in steps.iter() {
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
