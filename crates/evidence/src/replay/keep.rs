//! Storage of tracks between runs.
//!
//! Each checked-out commit has one stored document with the locations of the followed lines in it. If another commit is
//! checked out, the document of its nearest stored ancestor is continued through the commits in between. The changes of
//! these commits are also stored, for lines that are followed later. A document contains only locations and ids, no
//! contents. A caller verifies each location.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest, RepoPath};
use windlass_repo::{CommitStep, Lacking, Snapshot, Steps};

use super::Origin;
use super::sweep::{KnownMoves, Sweep};
use super::track::{Edit, Leave, Line, Track};
use crate::evidence_store::EvidenceStore;

/// Version of the document and of the rules for following lines. Documents with another version are ignored.
const VERSION: u32 = 10;

/// Maximum number of changed files in the commits of the way. If there are more, the changes are not stored.
const MAX_CHANGES: usize = 20_000;

/// Maximum age of a stored entry, in commits.
const MAX_BACK: usize = 256;

/// Maximum number of times that a track is continued without being used. It is dropped afterwards.
const MAX_IDLE: u32 = 50;

/// Maximum number of lines to store for one commit.
const MAX_LINES: usize = 1_000_000;

/// Stored tracks, continued up to the checked-out commit.
#[derive(Default)]
pub(super) struct Kept {
    store: OnceLock<Arc<dyn EvidenceStore>>,
    loaded: OnceLock<Loaded>,
}

#[derive(Default)]
pub(super) struct Loaded {
    head: String,
    /// Key of the stored document. Empty if there is no document.
    key: String,
    /// Key under which the id of the last stored commit is stored.
    newest_key: String,
    lacking: Arc<Lacking>,
    tracks: BTreeMap<Origin, Track>,
    /// Changes of the commits on the longest known way. A way is a list of commits up to the checked-out one.
    way: Vec<Arc<CommitStep>>,
    /// True if the store already contains this state.
    is_stored: bool,
}

impl Kept {
    pub(super) fn use_store(&self, store: Arc<dyn EvidenceStore>) {
        // If there is a store already, it is kept, because a snapshot has only one caller.
        let _ = self.store.set(store);
    }

    /// Returns the stored track of `origin` up to the checked-out commit. Returns `None` if there is none.
    pub(super) fn get(
        &self,
        snapshot: &Snapshot,
        moves: &KnownMoves,
        origin: &Origin,
    ) -> Option<Track> {
        self.load(snapshot, moves)?.tracks.get(origin).cloned()
    }

    /// Loads the stored document on the first call, and continues its tracks.
    pub(super) fn load(&self, snapshot: &Snapshot, moves: &KnownMoves) -> Option<&Loaded> {
        let store = self.store.get()?;
        let load = || load(&**store, snapshot, moves).unwrap_or_default();
        Some(self.loaded.get_or_init(load))
    }

    /// Stores the loaded tracks and the tracks in `asked`, which end at the checked-out commit. Nothing is written if
    /// the store already contains them. `way` or the loaded way is stored with them, whichever is longer.
    pub(super) fn save(&self, asked: &BTreeMap<Origin, Track>, way: Option<Steps>) {
        let (Some(store), Some(loaded)) = (self.store.get(), self.loaded.get()) else {
            return;
        };
        let is_known = |(origin, track): (&Origin, &Track)| {
            let known = loaded.tracks.get(origin);
            let has = |line: &u32| known.is_some_and(|known| known.lines.contains_key(line));
            track.lines.keys().all(has)
        };
        if loaded.head.is_empty() || (loaded.is_stored && asked.iter().all(is_known)) {
            return;
        }
        let Some(lacking) = loaded.lacking.contents() else {
            return;
        };
        let borrowed = |(origin, track)| (origin, Cow::Borrowed(track));
        let mut tracks: BTreeMap<&Origin, Cow<'_, Track>> =
            loaded.tracks.iter().map(borrowed).collect();
        for (origin, track) in asked {
            match tracks.get_mut(origin) {
                Some(known) => {
                    let known = known.to_mut();
                    known.absorb(track.clone());
                    known.idle = 0;
                }
                None => drop(tracks.insert(origin, Cow::Borrowed(track))),
            }
        }
        let way = way.unwrap_or_default();
        let longest = match way.len() > loaded.way.len() {
            true => &way[..],
            false => &loaded.way[..],
        };
        let changes: usize = longest.iter().map(|step| step.changes.len()).sum();
        let is_kept = changes <= MAX_CHANGES;
        let mut lines = 0;
        let document = Document {
            version: VERSION,
            head: loaded.head.as_str(),
            lacking,
            way: longest
                .iter()
                .filter(|_| is_kept)
                .map(|step| &**step)
                .collect(),
            tracks: tracks
                .iter()
                .filter(|(_, track)| track.idle <= MAX_IDLE)
                .take_while(|(_, track)| {
                    lines += track.lines.len();
                    lines <= MAX_LINES
                })
                .map(|(origin, track)| KeptTrack::of(origin, track))
                .collect(),
        };
        if let Ok(bytes) = serde_json::to_vec(&document) {
            store.put(&loaded.key, &bytes);
            store.put(&loaded.newest_key, loaded.head.as_bytes());
        }
    }
}

/// Reads the document of the checked-out commit. If there is none, continues that of its nearest stored ancestor.
fn load(store: &dyn EvidenceStore, snapshot: &Snapshot, moves: &KnownMoves) -> Option<Loaded> {
    let head = snapshot.head_commit(&Cancel::default())?;
    let key = |commit: &str| key(commit, snapshot);
    let stored = |commit: &str| {
        let (known, lacking) = Document::read(&store.get(&key(commit))?, commit)?;
        snapshot.history().still_lacks(&lacking).then_some(known)
    };
    let mut loaded = Loaded {
        key: key(&head),
        newest_key: key(NEWEST),
        lacking: snapshot.kept::<Lacking>(),
        head,
        ..Loaded::default()
    };
    if let Some((tracks, way)) = stored(&loaded.head) {
        snapshot.history().know_way(way.clone().into());
        return Some(Loaded {
            tracks,
            way,
            is_stored: true,
            ..loaded
        });
    }
    let newest = || {
        let commit = String::from_utf8(store.get(&loaded.newest_key)?).ok()?;
        let known = stored(&commit)?;
        let steps = snapshot
            .history()
            .first_parent_steps_since(&commit, MAX_BACK)
            .ok()??;
        Some((known, steps))
    };
    let nearest = || {
        let before = snapshot
            .history()
            .first_parents(MAX_BACK)
            .into_iter()
            .skip(1);
        let mut stored = before.filter_map(|commit| Some((stored(&commit)?, commit)));
        let (known, commit) = stored.next()?;
        Some((known, snapshot.history().steps_since(&commit).ok()?))
    };
    if let Some(((mut tracks, mut way), steps)) = newest().or_else(nearest) {
        let sweep = Sweep::new(snapshot, moves);
        for step in steps.iter() {
            sweep.through(step, tracks.values_mut());
        }
        for track in tracks.values_mut() {
            track.idle += 1;
        }
        way.extend(steps.iter().map(Arc::clone));
        snapshot.history().know_way(way.clone().into());
        (loaded.tracks, loaded.way) = (tracks, way);
    }
    Some(loaded)
}

/// Name from which the key of the last stored commit is computed.
const NEWEST: &str = "newest";

/// Returns the key of the document for `head`. It depends on the rules for secret paths, because lines are not followed
/// into secret files.
fn key(head: &str, snapshot: &Snapshot) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let secrets = snapshot.repo().secrets();
    let policy = secrets
        .digest()
        .map_or_else(String::new, |digest| digest.hex());
    let narrows = secrets.narrows();
    let name = format!("replay {VERSION} {version} {head} {policy} {narrows}");
    Digest::of_bytes(name.as_bytes()).hex()
}

/// Stored document for one commit. Its parts are owned after reading and borrowed for writing.
#[derive(Debug, Serialize, Deserialize)]
struct Document<Id = String, Step = CommitStep> {
    version: u32,
    /// Id of the commit that is checked out.
    head: Id,
    /// Blob ids that git could not read when the document was written. If it can now, the document is ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lacking: Vec<String>,
    /// Changes of the commits up to `head`, oldest first.
    way: Vec<Step>,
    tracks: Vec<KeptTrack>,
}

/// Loaded tracks, and the changes of the commits on the way.
type Known = (BTreeMap<Origin, Track>, Vec<Arc<CommitStep>>);

#[derive(Debug, Serialize, Deserialize)]
struct KeptTrack {
    file: RepoPath,
    commit: String,
    /// Names of the file since its commit.
    names: Vec<RepoPath>,
    steps: u32,
    idle: u32,
    commits: BTreeMap<u32, String>,
    files: Vec<(RepoPath, String)>,
    runs: Vec<Run>,
}

/// Adjacent lines to which the same happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    /// Number of the first line, and below the number of lines.
    first: u32,
    lines: u32,
    /// Number of the file that contains the lines now, and the first line there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<(usize, u32)>,
    edit: Edit,
    left: Leave,
    when: u32,
}

impl Document {
    /// Parses `bytes` as the document of `head`. Also returns the blob ids that git could not read.
    fn read(bytes: &[u8], head: &str) -> Option<(Known, Vec<String>)> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        if document.version != VERSION || document.head != head {
            return None;
        }
        let mut lines = 0;
        let mut tracks = BTreeMap::new();
        for kept in document.tracks {
            let track = kept.track(&mut lines)?;
            tracks.insert((kept.file, kept.commit), track);
        }
        let way = document.way.into_iter().map(Arc::new).collect();
        Some(((tracks, way), document.lacking))
    }
}

impl KeptTrack {
    fn of((file, commit): &Origin, track: &Track) -> Self {
        let files: Vec<(RepoPath, String)> = (track.files.iter())
            .map(|(path, blob)| (path.clone(), blob.clone()))
            .collect();
        let mut runs: Vec<Run> = Vec::new();
        for (number, line) in &track.lines {
            let at = line.at.as_ref().and_then(|(path, at)| {
                let nr = files.iter().position(|(file, _)| file == path)?;
                Some((nr, *at))
            });
            let run = Run {
                first: *number,
                lines: 1,
                at,
                edit: line.edit,
                left: line.left,
                when: line.when,
            };
            match runs.last_mut() {
                Some(last) if last.goes_on_with(&run) => last.lines += 1,
                _ => runs.push(run),
            }
        }
        Self {
            file: file.clone(),
            commit: commit.clone(),
            names: track.names.clone(),
            steps: track.steps,
            idle: track.idle,
            commits: track.commits.clone(),
            files,
            runs,
        }
    }

    /// Returns the track line by line. Returns `None` if all tracks together have more than [`MAX_LINES`] lines.
    fn track(&self, taken: &mut usize) -> Option<Track> {
        let mut lines = BTreeMap::new();
        for run in &self.runs {
            *taken += run.lines as usize;
            if *taken > MAX_LINES {
                return None;
            }
            for on in 0..run.lines {
                let at = match run.at {
                    Some((nr, line)) => {
                        Some((self.files.get(nr)?.0.clone(), line.checked_add(on)?))
                    }
                    None => None,
                };
                let line = Line {
                    at,
                    edit: run.edit,
                    left: run.left,
                    when: run.when,
                };
                lines.insert(run.first.checked_add(on)?, line);
            }
        }
        Some(Track {
            lines,
            files: self.files.iter().cloned().collect(),
            names: self.names.clone(),
            steps: self.steps,
            commits: self.commits.clone(),
            idle: self.idle,
        })
    }
}

impl Run {
    fn goes_on_with(&self, next: &Self) -> bool {
        let follows = match (self.at, next.at) {
            (Some((file, line)), Some((other, there))) => {
                file == other && line + self.lines == there
            }
            (None, None) => true,
            _ => false,
        };
        follows
            && self.first + self.lines == next.first
            && (self.edit, self.left, self.when) == (next.edit, next.left, next.when)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    fn track() -> Track {
        let stands = |file: &str, line: u32| Line {
            at: Some((path(file), line)),
            edit: Edit::None,
            left: Leave::Unseen,
            when: 0,
        };
        let left = Line {
            at: None,
            edit: Edit::Loose,
            left: Leave::Clean,
            when: 3,
        };
        let lines = [
            (4, stands("a", 9)),
            (5, stands("a", 10)),
            (6, left),
            (9, stands("b", 0)),
        ];
        Track {
            lines: lines.into_iter().collect(),
            files: BTreeMap::from([(path("a"), "1".to_owned()), (path("b"), "2".to_owned())]),
            names: vec![path("a"), path("b")],
            steps: 5,
            commits: BTreeMap::from([(3, "c".to_owned())]),
            idle: 0,
        }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let origin = (path("a"), "0".repeat(40));
        let kept = KeptTrack::of(&origin, &track());
        assert_eq!(kept.runs.len(), 3);
        let document = Document {
            version: VERSION,
            head: "h",
            lacking: vec!["a".to_owned()],
            way: Vec::<&CommitStep>::new(),
            tracks: vec![kept],
        };
        let bytes = serde_json::to_vec(&document).unwrap();
        let ((tracks, _), lacking) = Document::read(&bytes, "h").unwrap();
        assert_eq!(lacking, ["a"]);
        assert_eq!(tracks, BTreeMap::from([(origin, track())]));
        assert!(Document::read(&bytes, "other").is_none());
        assert!(Document::read(&bytes[1..], "h").is_none());
    }

    #[test]
    fn what_makes_no_sense_is_not_used() {
        let origin = (path("a"), "0".repeat(40));
        let reads = |change: fn(&mut KeptTrack)| {
            let mut kept = KeptTrack::of(&origin, &track());
            change(&mut kept);
            kept.track(&mut 0).is_some()
        };
        assert!(reads(|_| ()));
        assert!(!reads(|kept| kept.files.clear()));
        assert!(!reads(|kept| kept.runs[0].lines = u32::MAX));
        assert!(!reads(|kept| kept.runs[0].at = Some((0, u32::MAX))));
        assert!(!reads(|kept| kept.runs[0].first = u32::MAX));
    }
}
