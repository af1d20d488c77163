//! What a pack saw of the files: what was not as its commit had it, and what changed since then.

use std::collections::BTreeMap;

use windlass_base::{RepoPath, encode_hex, in_parallel};
use windlass_packs::context::{ContextPack, Since, SourceKind};
use windlass_repo::{ChangeStatus, Changes, FileChange, GitAnswer, GitQuery, Refusal, Snapshot};

use super::ChangesTaken;
use crate::compose::bookkeeping::is_bookkeeping;
use crate::compose::nameable::is_nameable;
use crate::compose::picked_lines::whole_text;

/// The most files whose states are noted; where more differ from the commit, nobody will know what changed since.
const MOST: usize = 1_000;
/// What a file is that is not there.
const GONE: &str = "gone";
/// What one is that may not be read.
const UNREAD: &str = "unread";
/// What is said of a file that changed since it was something that no commit has.
const NOT_KEPT: &str = "what it said then was not committed, and is not kept";
/// What is said of one that was not there.
const WAS_GONE: &str = "it was not there then";
/// What is said of one that may not be read.
const NOT_READ: &str = "nobody may read it, so that it is not known whether it changed since";

/// A file that changed, and what there is to know of it: nothing where it differs from what the commit has.
pub(super) struct Told {
    pub(super) change: FileChange,
    pub(super) note: Option<String>,
}

impl Told {
    pub(super) fn from_commit(change: FileChange) -> Self {
        Self { change, note: None }
    }
}

/// What a pack saw of files.
pub(super) struct Then {
    /// What each was, by its path.
    states: BTreeMap<RepoPath, String>,
    /// Whether all others were as its commit has them.
    is_whole: bool,
}

impl Then {
    /// What `pack` says of it; one that does not say what was not committed has the hashes of what it shows.
    pub(super) fn of(pack: &ContextPack) -> Self {
        let provenance = pack.provenance.as_ref();
        let known = provenance.filter(|it| it.commit.is_some());
        let known = known.and_then(|it| it.uncommitted.as_ref());
        let state = |(path, state): (&String, &String)| {
            let path = RepoPath::parse(path).ok()?;
            Some((path, state.clone()))
        };
        if let Some(known) = known {
            return Self {
                states: known.iter().filter_map(state).collect(),
                is_whole: true,
            };
        }
        let sources = provenance.iter().flat_map(|it| &it.items);
        let sources = sources.map(|origin| &origin.source);
        let of_files = sources.filter(|it| !it.outside && it.kind != SourceKind::Pack);
        let states = of_files.filter_map(|it| state((it.path.as_ref()?, it.hash.as_ref()?)));
        Self {
            states: states.collect(),
            is_whole: false,
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }
}

impl ChangesTaken<'_, '_> {
    /// What the files are that differ from the commit that is checked out, of which `changes` are those that differ from `since`; nothing
    /// where git does not say, or they are too many.
    pub(super) fn not_committed(
        &self,
        since: &Since,
        changes: &Changes,
    ) -> Option<BTreeMap<String, String>> {
        let head = self.ground.snapshot.head_commit(&self.ground.cancel)?;
        if since.commit.as_ref().is_none_or(|commit| *commit == head) {
            return self.states_of(&changes.files);
        }
        let query = GitQuery::Changes { since: head };
        let answer = self
            .ground
            .snapshot
            .ask_git(&query, &self.ground.cancel)
            .ok()?;
        match &*answer {
            GitAnswer::Changes(changes) => self.states_of(&changes.files),
            _ => None,
        }
    }

    fn states_of(&self, files: &[FileChange]) -> Option<BTreeMap<String, String>> {
        if files.len() > MOST {
            return None;
        }
        let was_elsewhere = |change: &&FileChange| change.status == ChangeStatus::Renamed;
        let from = files.iter().filter(was_elsewhere);
        let from = from.filter_map(|change| change.from.clone());
        let paths = files.iter().map(|change| change.path.clone()).chain(from);
        let paths: Vec<RepoPath> = paths
            .filter(|path| !is_bookkeeping(path) && is_nameable(path))
            .collect();
        let (threads, snapshot) = (self.ground.threads(), &self.ground.snapshot);
        let states = in_parallel(&paths, threads, 8, |some| {
            let state = |path: &RepoPath| (path.to_string(), state_of(snapshot, path));
            some.iter().map(state).collect::<Vec<_>>()
        });
        Some(states.into_iter().flatten().collect())
    }

    /// What changed since a pack saw the files as `then` says, of what differs from its commit, which is `base`, and of what it saw.
    pub(super) fn since_then(
        &self,
        differing: Vec<FileChange>,
        then: Then,
        base: &str,
    ) -> Vec<Told> {
        let mut seen = then.states;
        seen.retain(|path, _| self.ground.is_told(path));
        let mut told = Vec::new();
        for mut change in differing {
            let Some(state) = seen.remove(&change.path) else {
                // What it was called before was not as the commit has it, and is told by itself.
                if change
                    .from
                    .as_ref()
                    .is_some_and(|from| seen.contains_key(from))
                {
                    change.status = ChangeStatus::Added;
                    change.from = None;
                }
                told.push(Told::from_commit(change));
                continue;
            };
            let now = state_of(&self.ground.snapshot, &change.path);
            if state == UNREAD {
                let note = Some(NOT_READ.to_owned());
                told.push(Told { change, note });
            } else if state != now && self.has(base, &change, &state) {
                told.push(Told::from_commit(change));
            } else if state != now {
                let note = if state == GONE { WAS_GONE } else { NOT_KEPT };
                told.push(other(change.path, (&state, &now), note));
            }
        }
        // These are as the commit has them.
        for (path, state) in seen {
            let now = state_of(&self.ground.snapshot, &path);
            if state != now && state != UNREAD {
                let short = base.get(..12).unwrap_or(base);
                let note = format!("it is as commit {short} has it again");
                told.push(other(path, (&state, &now), &note));
            }
        }
        told.sort_by(|one, other| one.change.path.cmp(&other.change.path));
        told
    }

    /// Whether the commit has the file as it was then.
    fn has(&self, base: &str, change: &FileChange, state: &str) -> bool {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let file = self.ground.snapshot.history().file(base, None, before);
        file.is_ok_and(|file| whole_text(&file).1 == state)
    }
}

/// A file that was something else than it is now, neither of which is compared with the commit.
fn other(path: RepoPath, (then, now): (&str, &str), note: &str) -> Told {
    let status = match (then, now) {
        (GONE, _) => ChangeStatus::Untracked,
        (_, GONE) => ChangeStatus::Deleted,
        _ => ChangeStatus::Modified,
    };
    Told {
        change: FileChange {
            path,
            status,
            from: None,
        },
        note: Some(note.to_owned()),
    }
}

/// What a file is now.
fn state_of(snapshot: &Snapshot, path: &RepoPath) -> String {
    match snapshot.read(path) {
        Ok(file) if file.is_binary() => format!("sha256:{}", encode_hex(&file.sha256())),
        Ok(file) => whole_text(&file).1,
        Err(Refusal::Missing) => GONE.to_owned(),
        Err(_) => UNREAD.to_owned(),
    }
}
