//! Follows a text commit by commit, from its capture to the working tree.
//!
//! The locations of its lines after some commits are a [`Track`]. Since each commit is a small
//! step, we can usually recognize a text even after many commits have changed it. The changes of a
//! commit to a file are compared once for all followed texts, and the results can be stored for the
//! next run ([`crate::EvidenceStore`]).
//!
//! A stored track may be wrong, so a followed location is always verified before it is claimed.

mod commit_files;
mod contents;
mod file_steps;
mod keep;
mod line_for_line;
mod located;
mod moves;
mod rest;
mod rivals;
mod stands;
mod successors;
mod sweep;
mod taken_out;
mod track;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};

use windlass_base::{Cancel, RepoPath, lock};
use windlass_repo::{
    BlobAt, BlobChange, ChangeStatus, CommitStep, FileChange, GitAnswer, GitQuery, Snapshot, Steps,
};

use crate::evidence_store::EvidenceStore;
use crate::old_text::OldText;
use contents::WORKING_TREE;
use sweep::{KnownMoves, Sweep};
use track::Track;
pub(crate) use track::{Leave, Line};

use keep::Kept;
pub(crate) use located::Located;

/// The captured file whose lines are followed: its path and commit id.
type Origin = (RepoPath, String);

/// Track of one origin, or `None` until it is computed.
type Slot = Arc<Mutex<Option<Track>>>;

/// All tracks for one state of the files.
#[derive(Default)]
pub(crate) struct Replays {
    moves: KnownMoves,
    /// Tracks that end at the working tree.
    tracks: Mutex<BTreeMap<Origin, Slot>>,
    /// Tracks that end at the checked-out commit.
    at_head: Mutex<BTreeMap<Origin, Track>>,
    /// The longest list of commits through which lines were followed, for the store.
    way: Mutex<Option<Steps>>,
    /// Uncommitted changes as if they were a commit. `None` if git cannot list them.
    uncommitted: OnceLock<Option<CommitStep>>,
    kept: Kept,
}

impl Replays {
    pub(crate) fn use_store(&self, store: Arc<dyn EvidenceStore>) {
        self.kept.use_store(store);
    }

    /// Loads the stored tracks and continues them up to the checked-out commit, so that following a
    /// text takes less time.
    pub(crate) fn read_ahead(&self, snapshot: &Snapshot) {
        self.kept.load(snapshot, &self.moves);
    }

    /// Follows the lines of `old`, which were in `file`, to the working tree.
    ///
    /// # Errors
    /// Returns the reason if the captured commit is not an ancestor of the checked-out one, or if
    /// git fails.
    pub(crate) fn follow(
        &self,
        snapshot: &Snapshot,
        file: &RepoPath,
        old: &OldText,
    ) -> Result<Followed, String> {
        let wanted: BTreeSet<u32> = (old.lines.start as u32..old.lines.end as u32).collect();
        let origin = (file.clone(), old.commit.clone());
        let slot = {
            let mut tracks = lock(&self.tracks);
            Arc::clone(tracks.entry(origin.clone()).or_default())
        };
        // From here on, only texts of the same captured file have to wait. Texts of other files can
        // be followed in the meantime.
        let mut slot = lock(&slot);
        let is_missing = |line: &u32| {
            let known = slot.as_ref();
            known.is_none_or(|track| !track.lines.contains_key(line))
        };
        // The texts of a file share its track, so leave out the lines that were followed for
        // another text.
        let missing: BTreeSet<u32> = wanted.iter().copied().filter(is_missing).collect();
        if !missing.is_empty() {
            let track = self.replay(snapshot, &origin, old, &missing)?;
            match &mut *slot {
                Some(known) => known.absorb(track),
                none => *none = Some(track),
            }
        }
        let followed = slot.as_ref().and_then(|track| {
            let files = self.files_of(&origin, track);
            Followed::of(track, &wanted, files)
        });
        followed.ok_or_else(|| "not all of its lines were followed".to_owned())
    }

    /// Returns the files that the track of `origin` depends on. Changes to other files do not
    /// affect it.
    fn files_of(&self, origin: &Origin, track: &Track) -> BTreeSet<RepoPath> {
        let at_head = lock(&self.at_head);
        let both = at_head.get(origin).into_iter().chain([track]);
        let files = both.flat_map(|track| track.files.keys().chain(&track.names));
        files.cloned().collect()
    }

    /// Follows `lines` to the working tree, and records their locations in the checked-out commit
    /// for the store.
    fn replay(
        &self,
        snapshot: &Snapshot,
        origin: &Origin,
        old: &OldText,
        lines: &BTreeSet<u32>,
    ) -> Result<Track, String> {
        self.ask_ahead(snapshot);
        let kept = self.kept.get(snapshot, &self.moves, origin);
        let has_all = |track: &Track| lines.iter().all(|line| track.lines.contains_key(line));
        let mut track = match kept.filter(has_all) {
            Some(track) => Track { idle: 0, ..track },
            None => self.replay_commits(snapshot, origin, old, lines)?,
        };
        lock(&self.at_head)
            .entry(origin.clone())
            .and_modify(|known| known.absorb(track.clone()))
            .or_insert_with(|| track.clone());
        // The recorded track must end at the commit, so the uncommitted changes come last.
        let uncommitted = self.uncommitted.get_or_init(|| uncommitted(snapshot));
        if let Some(uncommitted) = uncommitted {
            let sweep = Sweep::new(snapshot, &self.moves);
            sweep.through(uncommitted, std::iter::once(&mut track));
        }
        Ok(track)
    }

    /// Asks git for the uncommitted changes and continues the stored tracks meanwhile, because both
    /// take time.
    fn ask_ahead(&self, snapshot: &Snapshot) {
        if self.uncommitted.get().is_some() || snapshot.head_commit(&Cancel::default()).is_none() {
            return;
        }
        std::thread::scope(|scope| {
            scope.spawn(|| self.uncommitted.get_or_init(|| uncommitted(snapshot)));
            self.kept.load(snapshot, &self.moves);
        });
    }

    fn replay_commits(
        &self,
        snapshot: &Snapshot,
        (file, commit): &Origin,
        old: &OldText,
        lines: &BTreeSet<u32>,
    ) -> Result<Track, String> {
        let steps = snapshot.history().steps_since(commit);
        let steps = steps.map_err(|why| why.to_string())?;
        let mut way = lock(&self.way);
        let is_on_side = steps.first().is_some_and(|step| step.is_entry);
        if !is_on_side && way.as_ref().is_none_or(|known| known.len() < steps.len()) {
            *way = Some(Arc::clone(&steps));
        }
        drop(way);
        let blob = match &old.blob {
            Some(blob) => blob.clone(),
            None => snapshot
                .history()
                .blob(commit, file)
                .ok_or_else(|| format!("commit {commit} has no file `{file}`"))?,
        };
        let mut track = Track::start(file.clone(), &blob, lines);
        let sweep = Sweep::new(snapshot, &self.moves);
        for step in steps.iter() {
            sweep.through(step, std::iter::once(&mut track));
        }
        Ok(track)
    }
}

/// Fates of a text's lines since its capture.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// One entry for each line of the text, in order.
    pub(crate) lines: Vec<Line>,
    /// Commits that changed the lines, by their number in the track.
    pub(crate) commits: BTreeMap<u32, String>,
    /// New name of the file if it was renamed.
    pub(crate) renamed: Option<RepoPath>,
    /// Files that contain the lines now, in the checked-out commit, or at capture.
    pub(crate) files: BTreeSet<RepoPath>,
}

impl Followed {
    fn of(track: &Track, wanted: &BTreeSet<u32>, files: BTreeSet<RepoPath>) -> Option<Self> {
        let lines = wanted.iter().map(|line| track.lines.get(line).cloned());
        let renamed = track
            .names
            .last()
            .filter(|name| track.names.first() != Some(name));
        Some(Self {
            lines: lines.collect::<Option<_>>()?,
            commits: track.commits.clone(),
            renamed: renamed.cloned(),
            files,
        })
    }
}

impl Drop for Replays {
    fn drop(&mut self) {
        let at_head = std::mem::take(&mut *lock(&self.at_head));
        let way = lock(&self.way).take();
        self.kept.save(&at_head, way);
    }
}

/// Returns the changes between the checked-out commit and the working tree as if they were a
/// commit.
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
        let blob = snapshot.history().blob(&head, before);
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
        // An empty id tells readers of a track that the change isn't committed yet.
        commit: "".into(),
        parent: head.as_str().into(),
        changes: changes.files.iter().map(change).collect(),
        complete: changes.not_utf8 == 0,
        is_entry: false,
    })
}
