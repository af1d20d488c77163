//! Following a text commit by commit, from where it was captured to the working tree.
//!
//! Each commit is a small step, so that a text is still recognised after many of them have changed it. What a commit
//! did to a file is compared once for all that is followed. Where a text is said to stand, it is looked at before
//! anything is claimed.

mod contents;
mod located;
mod moves;
mod sweep;
mod track;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{
    BlobAt, BlobChange, ChangeStatus, CommitStep, FileChange, GitAnswer, GitQuery, Snapshot,
};

use crate::old_text::OldText;
use contents::WORKING_TREE;
use sweep::{KnownMoves, Sweep};
use track::{Line, Track};

pub(crate) use located::Located;

/// A file of a commit.
type Origin = (RepoPath, String);

/// Its track, once there is one.
type Slot = Arc<Mutex<Option<Track>>>;

/// What was followed in one state of the files.
#[derive(Default)]
pub(crate) struct Replays {
    moves: KnownMoves,
    tracks: Mutex<BTreeMap<Origin, Slot>>,
}

impl Replays {
    /// What became of the lines of `old`, which stood in `file`.
    ///
    /// # Errors
    /// When its commit is not in the history of what is checked out, or git cannot say; in words.
    pub(crate) fn follow(
        &self,
        snapshot: &Snapshot,
        file: &RepoPath,
        old: &OldText,
    ) -> Result<Vec<Line>, String> {
        let wanted: BTreeSet<u32> = (old.lines.start as u32..old.lines.end as u32).collect();
        let slot = {
            let mut tracks = self.tracks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(
                tracks
                    .entry((file.clone(), old.commit.clone()))
                    .or_default(),
            )
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let is_missing = |line: &u32| {
            let known = slot.as_ref();
            known.is_none_or(|track| !track.lines.contains_key(line))
        };
        let missing: BTreeSet<u32> = wanted.iter().copied().filter(is_missing).collect();
        if !missing.is_empty() {
            let track = Self::replay(&self.moves, snapshot, file, &old.commit, &missing)?;
            match &mut *slot {
                Some(known) => known.absorb(track),
                none => *none = Some(track),
            }
        }
        let track = slot.as_ref();
        let lines = wanted.iter().map(|line| track?.lines.get(line).cloned());
        let lines: Option<Vec<Line>> = lines.collect();
        lines.ok_or_else(|| "not all of its lines were followed".to_owned())
    }

    /// The numbers of the commits that `old` was followed through.
    pub(crate) fn order(&self, snapshot: &Snapshot, old: &OldText) -> BTreeMap<String, usize> {
        let steps = snapshot.steps_since(&old.commit).unwrap_or_default();
        let numbered = steps.iter().enumerate();
        let mut order: BTreeMap<String, usize> = numbered
            .map(|(nr, step)| (step.commit.to_string(), nr))
            .collect();
        order.insert(String::new(), steps.len());
        order
    }

    fn replay(
        moves: &KnownMoves,
        snapshot: &Snapshot,
        file: &RepoPath,
        commit: &str,
        lines: &BTreeSet<u32>,
    ) -> Result<Track, String> {
        let steps = snapshot.steps_since(commit);
        let steps = steps.map_err(|why| why.to_string())?;
        let blob = snapshot
            .old_blob(commit, file)
            .ok_or_else(|| format!("commit {commit} has no file `{file}`"))?;
        let mut track = Track::start(file.clone(), &blob, lines);
        let mut sweep = Sweep::new(snapshot, moves);
        for step in steps.iter() {
            sweep.through(step, std::iter::once(&mut track));
        }
        if let Some(uncommitted) = uncommitted(snapshot) {
            sweep.through(&uncommitted, std::iter::once(&mut track));
        }
        Ok(track)
    }
}

/// What the working tree changed since the commit that is checked out, as if it were a commit.
fn uncommitted(snapshot: &Snapshot) -> Option<CommitStep> {
    let head = snapshot.head_commit(&Cancel::default())?;
    let since = head.clone();
    let answer = snapshot.ask_git(&GitQuery::Changes { since }, &Cancel::default());
    let answer = answer.ok()?;
    let GitAnswer::Changes(changes) = &*answer else {
        return None;
    };
    let change = |change: &FileChange| {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let blob = snapshot.old_blob(&head, before);
        let gone = change.status == ChangeStatus::Deleted;
        BlobChange {
            from: blob.map(|blob| BlobAt {
                path: before.clone(),
                blob: blob.into(),
            }),
            to: (!gone).then(|| BlobAt {
                path: change.path.clone(),
                blob: WORKING_TREE.into(),
            }),
        }
    };
    Some(CommitStep {
        commit: "".into(),
        parent: head.as_str().into(),
        changes: changes.files.iter().map(change).collect(),
        complete: changes.not_utf8 == 0,
    })
}
