//! The states of files that an earlier pack has recorded, and what has changed since.

use std::collections::BTreeMap;

use windlass_base::{RepoPath, encode_hex, in_parallel};
use windlass_packs::context::{ContextPack, Since, SourceKind};
use windlass_repo::{ChangeStatus, Changes, FileChange, GitAnswer, GitQuery, Refusal, Snapshot};

use super::ChangesTaken;
use crate::compose::bookkeeping::is_bookkeeping;
use crate::compose::nameable::is_nameable;
use crate::compose::picked_lines::whole_text;

/// If there are more uncommitted files than this, the pack doesn't record them. Changes since that
/// pack will be unsure.
const MOST: usize = 1_000;
/// The recorded state of a file that didn't exist.
const GONE: &str = "gone";
/// The recorded state of a file that we must not read.
const UNREAD: &str = "unread";
/// Note for a file whose earlier contents aren't in any commit.
const NOT_KEPT: &str = "its earlier text was not committed";
/// Note for a file that's new since the pack.
const WAS_GONE: &str = "the file did not exist then";
/// Note for a file with the state [`UNREAD`].
const NOT_READ: &str = "it may not be read, so that it is not known whether it changed since";

/// A changed file. If its diff against the commit isn't what has changed since the pack, there's a
/// `note`.
pub(super) struct Told {
    pub(super) change: FileChange,
    pub(super) note: Option<String>,
}

impl Told {
    pub(super) fn from_commit(change: FileChange) -> Self {
        Self { change, note: None }
    }
}

pub(super) struct Then {
    states: BTreeMap<RepoPath, String>,
    /// True if all files without a state were as committed. Otherwise, we don't know about them.
    is_whole: bool,
}

impl Then {
    /// Takes the states from a pack. If the pack doesn't have them (because it's from another tool,
    /// or because there were too many), we only know the hashes of the files that it shows.
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
    /// Returns the state of each file that differs from the commit that's checked out. Returns
    /// `None` if git fails, or if there are more than [`MOST`] files.
    ///
    /// `changes` are the changes since `since`. If that's the same commit, we don't have to ask git
    /// again.
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

    /// Narrows down `differing`, the files that differ from the pack's commit `base`, to those that
    /// have changed since the pack. Files that were reverted don't differ from `base`, so this adds
    /// them.
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
                // The file was renamed from one that was uncommitted, too. That one is reported on
                // its own.
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
        // The files that are left don't differ from the commit now. If they did before, they've
        // been reverted.
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

    /// True if the file was as committed when the pack was built. In that case, its diff against
    /// the commit is what has changed since.
    fn has(&self, base: &str, change: &FileChange, state: &str) -> bool {
        let before = change.from.as_ref().unwrap_or(&change.path);
        let file = self.ground.snapshot.history().file(base, None, before);
        file.is_ok_and(|file| whole_text(&file).1 == state)
    }
}

/// A change between two states, neither of which is in the commit.
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

/// The state of a file: a hash, [`GONE`] or [`UNREAD`].
fn state_of(snapshot: &Snapshot, path: &RepoPath) -> String {
    match snapshot.read(path) {
        Ok(file) if file.is_binary() => format!("sha256:{}", encode_hex(&file.sha256())),
        Ok(file) => whole_text(&file).1,
        Err(Refusal::Missing) => GONE.to_owned(),
        Err(_) => UNREAD.to_owned(),
    }
}
