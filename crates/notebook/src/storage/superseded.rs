//! Stores former revisions of a notebook, each in its own file.
//!
//! Before a write, the notebook's file is copied to the folder `history` beside it. Old revisions
//! are deleted over time, but never the newest one, since it is needed to undo the last write.

use std::time::{Duration, SystemTime};

use serde::Serialize;
use windlass_store::{FolderFile, RootedPath, StoreError, files_in, remove_file};

use crate::{HistoryLimits, Written};

/// Number of newest revisions that are kept regardless of their age. Someone who edits the notebook
/// once a year can still go back.
const KEPT_AT_ANY_AGE: usize = 10;

/// Minimum age of temporary files before we remove them. A younger one may belong to a running
/// process, which is about to rename it.
const UNFINISHED: Duration = Duration::from_hours(24);

/// A revision, as listed in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The number, counted from 1.
    pub revision: u64,
    /// True for the notebook itself, and false for a stored revision.
    pub current: bool,
    /// Metadata of the write that created the revision. This is `None` for files without it, e.g.
    /// damaged ones.
    pub written: Option<Written>,
    /// The file's size in bytes.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) place: RootedPath,
    pub(crate) bytes: u64,
    modified: Option<SystemTime>,
}

#[derive(Debug, Clone)]
pub(crate) struct History {
    folder: RootedPath,
}

impl History {
    pub(crate) fn of(notebook: &RootedPath) -> Self {
        Self {
            folder: notebook.with_file_name("history"),
        }
    }

    /// Lists all stored revisions, oldest first. Other files in the folder are ignored.
    pub(crate) fn snapshots(&self) -> Result<Vec<Snapshot>, StoreError> {
        let files = files_in(&self.folder, |name| revision_of(name).is_some())?;
        let snapshot = |file: FolderFile| {
            Some(Snapshot {
                revision: revision_of(&file.name)?,
                place: file.place,
                bytes: file.bytes,
                modified: file.modified,
            })
        };
        let mut snapshots: Vec<Snapshot> = files.into_iter().filter_map(snapshot).collect();
        snapshots.sort_by_key(|snapshot| snapshot.revision);
        Ok(snapshots)
    }

    /// The file for `revision`, which need not exist.
    pub(crate) fn place(&self, revision: u64) -> RootedPath {
        // Ten digits are enough for any revision, so files sort by revision even in `ls`.
        self.folder.join(format!("{revision:010}.json"))
    }

    /// Deletes the revisions beyond `limits`, and returns the deleted ones. If a deletion fails, we
    /// do not report it: the next call will try again.
    pub(crate) fn prune(
        snapshots: &[Snapshot],
        limits: HistoryLimits,
        now: Option<SystemTime>,
    ) -> Vec<Snapshot> {
        let superfluous = superfluous(snapshots, limits, now);
        let removed = superfluous.filter(|snapshot| remove_file(&snapshot.place).is_ok());
        removed.cloned().collect()
    }

    /// Deletes temporary files that interrupted writes have left, both in the history's folder and
    /// beside the notebook.
    pub(crate) fn tidy(&self, now: Option<SystemTime>) {
        let beside = self.folder.parent();
        for folder in beside.iter().chain([&self.folder]) {
            let files = files_in(folder, |name| name.starts_with(".tmp-"));
            for file in files.unwrap_or_default() {
                if is_older(file.modified, now, UNFINISHED) {
                    let _ = remove_file(&file.place);
                }
            }
        }
    }
}

fn revision_of(name: &str) -> Option<u64> {
    name.strip_suffix(".json")?.parse().ok()
}

/// The revisions beyond `limits`, newest first. `snapshots` must be sorted, oldest first. The
/// newest revision is never among them, whatever the limits are.
pub(crate) fn superfluous(
    snapshots: &[Snapshot],
    limits: HistoryLimits,
    now: Option<SystemTime>,
) -> impl Iterator<Item = &Snapshot> {
    let mut bytes = 0_u64;
    let newest_first = snapshots.iter().rev().enumerate();
    newest_first.filter_map(move |(at, snapshot)| {
        bytes = bytes.saturating_add(snapshot.bytes);
        let too_old = at >= KEPT_AT_ANY_AGE && is_older(snapshot.modified, now, limits.max_age);
        let too_many = at >= limits.max_count || bytes > limits.max_bytes;
        (at > 0 && (too_old || too_many)).then_some(snapshot)
    })
}

/// True if `then` is more than `age` before `now`. If `then` is after `now`, one of the clocks is
/// wrong, so we do not consider the file old.
fn is_older(then: Option<SystemTime>, now: Option<SystemTime>, age: Duration) -> bool {
    let passed = now
        .zip(then)
        .and_then(|(now, then)| now.duration_since(then).ok());
    passed.is_some_and(|passed| passed > age)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    /// Stored revisions 1 to `count`, created once a day with ten bytes each. Also returns the day
    /// after the last one.
    fn daily(count: u64) -> (Vec<Snapshot>, SystemTime) {
        let day = |at: u64| SystemTime::UNIX_EPOCH + DAY * u32::try_from(at).unwrap();
        let snapshots = (1..=count).map(|at| Snapshot {
            revision: at,
            place: RootedPath::new(""),
            bytes: 10,
            modified: Some(day(at)),
        });
        (snapshots.collect(), day(count + 1))
    }

    fn removed(count: u64, limits: HistoryLimits, now: Option<SystemTime>) -> Vec<u64> {
        let (snapshots, _) = daily(count);
        let mut removed: Vec<u64> = superfluous(&snapshots, limits, now)
            .map(|snapshot| snapshot.revision)
            .collect();
        removed.sort_unstable();
        removed
    }

    #[test]
    fn history_each_limit_selects_oldest() {
        let all = HistoryLimits::default();
        let (_, now) = daily(14);
        let by_count = HistoryLimits {
            max_count: 12,
            ..all
        };
        let by_bytes = HistoryLimits {
            max_bytes: 125,
            ..all
        };
        let by_age = HistoryLimits {
            max_age: DAY * 12,
            ..all
        };
        assert_eq!(removed(14, all, Some(now)), [0; 0]);
        assert_eq!(removed(14, by_count, Some(now)), [1, 2]);
        assert_eq!(removed(14, by_bytes, Some(now)), [1, 2]);
        assert_eq!(removed(14, by_age, Some(now)), [1, 2]);
    }

    #[test]
    fn history_any_clock_keeps_newest() {
        let young = HistoryLimits {
            max_age: Duration::ZERO,
            ..HistoryLimits::default()
        };
        let far = SystemTime::UNIX_EPOCH + DAY * 100_000;
        // Ten revisions are kept at any age.
        assert_eq!(removed(14, young, Some(far)), [1, 2, 3, 4]);
        for now in [None, Some(SystemTime::UNIX_EPOCH)] {
            assert_eq!(removed(14, young, now), [0; 0]);
        }
        let none = HistoryLimits {
            max_count: 0,
            max_bytes: 0,
            ..young
        };
        // Even if nothing may be kept, the newest one is.
        assert_eq!(removed(3, none, None), [1, 2]);
        assert_eq!(removed(0, none, None), [0; 0]);
    }
}
