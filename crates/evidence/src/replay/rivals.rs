//! Renamed files that git may have paired by chance.

use crate::params;
use std::collections::BTreeMap;
use windlass_base::is_on;

use windlass_repo::{BlobAt, BlobChange, CommitStep, Snapshot};

use super::contents::WORKING_TREE;

/// The renamed, added and deleted files of a commit, by contents.
///
/// If several of them have the same contents, it is arbitrary which old name git pairs with which
/// new one, and the pairs must not be used.
pub(super) struct Rivals<'c> {
    commit: &'c CommitStep,
    /// Number of deleted files, and of other files, that had these contents before the commit.
    before: BTreeMap<&'c str, [usize; 2]>,
    /// Number of files that have these contents after the commit.
    after: BTreeMap<&'c str, usize>,
}

impl<'c> Rivals<'c> {
    pub(super) fn of(commit: &'c CommitStep) -> Self {
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        let others = commit.changes.iter().filter(|one| !keeps_its_name(one));
        for change in others {
            if let Some(from) = &change.from {
                let counts: &mut [usize; 2] = before.entry(&*from.blob).or_default();
                counts[usize::from(change.to.is_some())] += 1;
            }
            if let Some(to) = &change.to {
                *after.entry(&*to.blob).or_default() += 1;
            }
        }
        Self {
            commit,
            before,
            after,
        }
    }

    /// Returns true if `change` is one of several that git may have mixed up.
    pub(super) fn has(&self, snapshot: &Snapshot, change: &BlobChange) -> bool {
        let Some(from) = change.from.as_ref().filter(|_| !keeps_its_name(change)) else {
            return false;
        };
        if !is_on("evidence.rival_renames") {
            return false;
        }
        if self.commit.commit.is_empty() {
            return self.has_in_working_tree(snapshot, change);
        }
        let [deleted, others] = self.before.get(&*from.blob).copied().unwrap_or_default();
        match &change.to {
            // If all files with these contents were deleted, it does not matter which one is which.
            None => others > 0,
            Some(to) => {
                // Another file had or has the same contents, and git could have paired that one as
                // well.
                deleted + others > 1 || self.after.get(&*to.blob).is_some_and(|all| *all > 1)
            }
        }
    }

    /// Implements [`Self::has`] for uncommitted changes, whose contents have no id and have to be
    /// compared.
    fn has_in_working_tree(&self, snapshot: &Snapshot, change: &BlobChange) -> bool {
        // Too many files to read, so assume the worst.
        if self.commit.changes.len() > params::MAX_COMMIT_FILES {
            return true;
        }
        let same = |one: &Option<BlobAt>, other: &Option<BlobAt>| {
            let pair = one.as_ref().zip(other.as_ref());
            pair.is_some_and(|(one, other)| has_same_contents(snapshot, one, other))
        };
        let is_rival = |other: &BlobChange| {
            let any_came = change.to.is_some() || other.to.is_some();
            other != change
                && !keeps_its_name(other)
                && ((any_came && same(&other.from, &change.from)) || same(&other.to, &change.to))
        };
        self.commit.changes.iter().any(is_rival)
    }
}

fn keeps_its_name(change: &BlobChange) -> bool {
    let ends = [&change.from, &change.to].map(|at| at.as_ref().map(|at| &at.path));
    ends[0] == ends[1]
}

fn has_same_contents(snapshot: &Snapshot, one: &BlobAt, other: &BlobAt) -> bool {
    if &*one.blob != WORKING_TREE || &*other.blob != WORKING_TREE {
        return one.blob == other.blob;
    }
    let read = |at: &BlobAt| snapshot.read(&at.path).ok();
    let pair = read(one).zip(read(other));
    pair.is_some_and(|(one, other)| one.content_hash() == other.content_hash())
}
