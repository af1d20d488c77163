//! The documents of a memory, sorted.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::document::Document;
use super::stamp::Stamp;
use crate::records::feedback::Feedback;
use crate::records::impression::Impression;
use crate::records::kind::{RecordKind, Status};
use crate::state::memory::Memory;
use crate::state::said_by_impressions::{said_by_impressions, successors_said_once};

/// Maximum number of successors to follow from a superseded record, in case they form a cycle.
const MAX_SUCCESSORS: usize = 64;

/// All documents of a memory, sorted by path.
pub(super) struct Documents<'a> {
    pub(super) memory: &'a Memory,
    pub(super) all: Vec<Document<'a>>,
}

impl<'a> Documents<'a> {
    /// Collects the documents of `memory` and computes their stamps, the digests that later reveal
    /// changes.
    pub(super) fn of(memory: &'a Memory, threads: usize) -> Self {
        let mut impressions = impressions_by_path(memory);
        let successors = successors_said_once(memory);
        let statuses = said_by_impressions(memory);
        // Ignore a status with a successor here, since `successors` has already decided that. A
        // record whose successor would close a cycle stays active this way.
        let status = |path: &RepoPath| {
            let stated = statuses.get(path).filter(|stated| stated.by.is_none());
            stated.map_or(Status::Active, |stated| stated.status)
        };
        let records = memory
            .records
            .values()
            .filter(|record| record.kind.is_recalled() || record.kind == RecordKind::Summary);
        let mut all: Vec<Document<'a>> = records
            .map(|record| {
                let successor = successors.get(&record.path).copied();
                let own = impressions.remove(record.path.as_str());
                Document {
                    path: record.path.as_str(),
                    record: Some(record),
                    impressions: own.unwrap_or_default(),
                    successor: successor.filter(|_| record.kind.is_recalled()),
                    status_by_impressions: status(&record.path),
                    stamp: Stamp::default(),
                }
            })
            .collect();
        let others = impressions
            .into_iter()
            .filter(|(path, _)| is_outside(memory, path));
        all.extend(others.map(|(path, impressions)| Document {
            path,
            record: None,
            impressions,
            successor: None,
            status_by_impressions: Status::Active,
            stamp: Stamp::default(),
        }));
        all.sort_unstable_by(|a, b| a.path.cmp(b.path));
        let stamps = windlass_base::in_parallel(&all, threads, 1_024, |documents| {
            let stamps = documents.iter().map(Document::new_stamp);
            stamps.collect::<Vec<_>>()
        });
        for (document, stamp) in all.iter_mut().zip(stamps.into_iter().flatten()) {
            document.stamp = stamp;
        }
        Self { memory, all }
    }

    /// Returns each superseded document with the active document at the end of its chain of
    /// successors, as pairs of indices.
    pub(super) fn successors(&self) -> Vec<(usize, usize)> {
        let old = (0..self.all.len()).filter(|at| self.all[*at].status() == Status::Superseded);
        let newest = |at: usize| {
            let mut at = at;
            for _ in 0..MAX_SUCCESSORS {
                at = self.next(&self.all[at])?;
                if self.all[at].status() == Status::Active {
                    return Some(at);
                }
            }
            None
        };
        old.filter_map(|at| Some((at, newest(at)?))).collect()
    }

    fn index_of(&self, path: &str) -> Option<usize> {
        self.all
            .binary_search_by(|document| document.path.cmp(path))
            .ok()
    }

    /// Returns the index of the document that directly supersedes `document`.
    fn next(&self, document: &Document<'_>) -> Option<usize> {
        if let Some(newer) = document.successor {
            return self.index_of(newer.as_str());
        }
        let mut impressions = document.impressions.iter();
        let newer = impressions.find_map(|one| one.superseded_by.as_deref())?;
        let newer = RepoPath::parse(&self.memory.impression(newer)?.record_path).ok()?;
        self.index_of(newer.as_str())
    }

    /// Returns the feedback with each id replaced by that of the matching entry, since a record may
    /// have several impressions. Lines with a secret are skipped, because the index stores the
    /// words of the feedback.
    pub(super) fn feedback(&self) -> Vec<Feedback> {
        let entry_of = |name: &str| {
            let path = match self.memory.impression(name) {
                Some(one) => RepoPath::parse(&one.record_path).ok()?,
                None => self.memory.find(name)?.path.clone(),
            };
            let document = &self.all[self.index_of(path.as_str())?];
            Some(document.impressions.first()?.id.clone())
        };
        let secret = self.memory.secret_feedback();
        let mut feedback = self.memory.feedback.clone();
        feedback.retain(|one| !secret.contains(&one.line));
        for one in &mut feedback {
            if let Some(name) = &mut one.matched_id
                && let Some(id) = entry_of(name)
            {
                *name = id;
            }
        }
        feedback
    }
}

fn impressions_by_path(memory: &Memory) -> BTreeMap<&str, Vec<&Impression>> {
    let routed = memory.routed();
    let routed = routed.map(|(path, impressions)| (path.as_str(), impressions));
    routed
        .filter(|(path, _)| !crate::is_private(path))
        .collect()
}

/// Returns true if `path`, the target of an impression, isn't a record and isn't hidden by an
/// ignore file.
fn is_outside(memory: &Memory, path: &str) -> bool {
    let is_inside = path.starts_with("memory/");
    let is_known = |path: &RepoPath| {
        // A file that exists in the folder but wasn't read is excluded by an ignore file.
        let is_there = memory.files.outside.get(path) == Some(&true);
        let is_ignored =
            is_inside && !memory.files.has(path) && is_there && !memory.files.is_closed(path);
        memory.records.contains_key(path) || is_ignored
    };
    !RepoPath::parse(path).is_ok_and(|path| is_known(&path))
}
