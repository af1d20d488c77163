//! Storage of tracks between runs.
//!
//! Each checked-out commit has one stored document with the locations of the followed lines in it.
//! If another commit is checked out, the document of its nearest stored ancestor is continued
//! through the commits in between, so that only new commits cost time. The changes of the commits
//! are stored as well, for lines that are followed later. A document has locations and ids, but no
//! contents, and callers verify each location.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest};
use windlass_repo::{CommitStep, Lacking, Snapshot, Steps};

use super::Origin;
use super::sweep::{KnownMoves, Sweep};
use super::track::Track;
use crate::evidence_store::EvidenceStore;
use crate::params;

/// Version of the document and of the rules for following lines.
///
/// Raise it if either of them changes. Otherwise, tracks that were stored under the old rules are
/// continued under the new ones.
const VERSION: u32 = 12;

#[derive(Default)]
pub(super) struct Kept {
    store: OnceLock<Arc<dyn EvidenceStore>>,
    loaded: OnceLock<Loaded>,
}

#[derive(Default)]
pub(super) struct Loaded {
    head: String,
    key: String,
    /// Key under which the id of the commit with the newest document is stored.
    newest_key: String,
    lacking: Arc<Lacking>,
    tracks: BTreeMap<Origin, Track>,
    /// The longest known way: the changes of the commits up to the checked-out one.
    way: Vec<Arc<CommitStep>>,
    /// True if the document of this very commit was found.
    is_stored: bool,
}

impl Kept {
    pub(super) fn use_store(&self, store: Arc<dyn EvidenceStore>) {
        // A store that is already set stays, because a snapshot has only one caller.
        let _ = self.store.set(store);
    }

    /// Returns the stored track of `origin`, continued up to the checked-out commit.
    pub(super) fn get(
        &self,
        snapshot: &Snapshot,
        moves: &KnownMoves,
        origin: &Origin,
    ) -> Option<Track> {
        self.load(snapshot, moves)?.tracks.get(origin).cloned()
    }

    /// Loads the stored document on the first call and continues its tracks.
    pub(super) fn load(&self, snapshot: &Snapshot, moves: &KnownMoves) -> Option<&Loaded> {
        let store = self.store.get()?;
        let load = || load(&**store, snapshot, moves).unwrap_or_default();
        Some(self.loaded.get_or_init(load))
    }

    /// Stores the loaded tracks together with those in `asked`, which end at the checked-out
    /// commit, and the longer of the loaded way and `way`. Nothing is written if all of these
    /// tracks are stored already.
    pub(super) fn save(&self, asked: &BTreeMap<Origin, Track>, way: Option<Steps>) {
        let (Some(store), Some(loaded)) = (self.store.get(), self.loaded.get()) else {
            return;
        };
        let is_known = |(origin, track): (&Origin, &Track)| {
            let known = loaded.tracks.get(origin);
            let has = |line: &u32| known.is_some_and(|known| known.lines.contains_key(line));
            track.lines.keys().all(has)
        };
        // Without a commit, there's no key to store under. And if the document of this commit has
        // all of the tracks, it doesn't need to be written again.
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
        // A way with gaps is useless, so leave out all of it if it's too long.
        let is_kept = changes <= params::MAX_STORED;
        let mut lines = 0;
        let document = Document {
            version: VERSION,
            head: Cow::Borrowed(&loaded.head),
            lacking,
            way: longest
                .iter()
                .filter(|_| is_kept)
                .map(|step| Cow::Borrowed(&**step))
                .collect(),
            tracks: tracks
                .into_iter()
                .filter(|(_, track)| track.idle <= params::MAX_IDLE)
                .take_while(|(_, track)| {
                    lines += track.lines.len();
                    lines <= params::MAX_STORED_LINES
                })
                .map(|(origin, track)| (Cow::Borrowed(origin), track))
                .collect(),
        };
        if let Ok(bytes) = serde_json::to_vec(&document) {
            store.put(&loaded.key, &bytes);
            store.put(&loaded.newest_key, loaded.head.as_bytes());
        }
    }
}

/// Reads the document of the checked-out commit, or else continues that of its nearest stored
/// ancestor.
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
            .first_parent_steps_since(&commit, params::MAX_COMMITS_BACK)
            .ok()??;
        Some((known, steps))
    };
    let nearest = || {
        let before = snapshot
            .history()
            .first_parents(params::MAX_COMMITS_BACK)
            .into_iter()
            .skip(1);
        let mut stored = before.filter_map(|commit| Some((stored(&commit)?, commit)));
        let (known, commit) = stored.next()?;
        Some((known, snapshot.history().steps_since(&commit).ok()?))
    };
    // Usually the newest document belongs to a recent ancestor. If it was stored on another branch,
    // look at our ancestors one by one.
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

/// Takes the place of a commit id in the key of the entry that names the last stored commit.
const NEWEST: &str = "newest";

/// Returns the key of the document for `head`.
///
/// The rules for secret paths are part of it, because lines are not followed into secret files.
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

/// The stored document of one commit. Its parts are borrowed for writing and owned after reading.
#[derive(Debug, Serialize, Deserialize)]
struct Document<'a> {
    version: u32,
    /// Id of the commit to which the tracks lead.
    head: Cow<'a, str>,
    /// Blobs that git could not read at the time, by id. If git can read one of them now, the
    /// document is ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lacking: Vec<String>,
    /// Changes of the commits up to `head`, oldest first.
    way: Vec<Cow<'a, CommitStep>>,
    tracks: Vec<(Cow<'a, Origin>, Cow<'a, Track>)>,
}

/// The tracks and the way of a document.
type Known = (BTreeMap<Origin, Track>, Vec<Arc<CommitStep>>);

impl Document<'_> {
    /// Parses the document of `head`. The blob ids that git could not read are returned as well.
    fn read(bytes: &[u8], head: &str) -> Option<(Known, Vec<String>)> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        if document.version != VERSION || document.head != head {
            return None;
        }
        let owned = |(origin, track): (Cow<'_, Origin>, Cow<'_, Track>)| {
            (origin.into_owned(), track.into_owned())
        };
        let tracks = document.tracks.into_iter().map(owned).collect();
        let way = document
            .way
            .into_iter()
            .map(|step| Arc::new(step.into_owned()));
        Some(((tracks, way.collect()), document.lacking))
    }
}
