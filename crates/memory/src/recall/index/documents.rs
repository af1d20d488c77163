//! Collects the documents to index: the memory's records, and other files that impressions refer
//! to.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::document::Document;
use crate::records::feedback::Feedback;
use crate::records::impression::Impression;
use crate::records::kind::{RecordKind, Status};
use crate::state::memory::Memory;
use crate::state::said_by_impressions::{said_by_impressions, successors_said_once};

/// Maximum length of a chain of successors. The limit guards against cycles.
const MAX_SUCCESSORS: usize = 64;

/// All documents of a memory, sorted by path.
pub(super) struct Documents<'a> {
    pub(super) memory: &'a Memory,
    pub(super) all: Vec<Document<'a>>,
}

impl<'a> Documents<'a> {
    pub(super) fn of(memory: &'a Memory) -> Self {
        let mut impressions = impressions_by_path(memory);
        let successors = successors_said_once(memory);
        let statuses = said_by_impressions(memory);
        // `successors` has already dealt with statuses that name a successor, so ignore them here.
        // A record therefore stays active if its successor would close a cycle.
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
                }
            })
            .collect();
        // We've removed the impressions of records from the map. The rest belong to files without a
        // record.
        let others = impressions
            .into_iter()
            .filter(|(path, _)| is_outside(memory, path));
        all.extend(others.map(|(path, impressions)| Document {
            path,
            record: None,
            impressions,
            successor: None,
            status_by_impressions: Status::Active,
        }));
        all.sort_unstable_by(|a, b| a.path.cmp(b.path));
        Self { memory, all }
    }

    /// Pairs each superseded document with the active one at the end of its chain, by index. For
    /// example, if B supersedes A and C supersedes B, both A and B are paired with C. Chains
    /// without an active end are left out.
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

    fn next(&self, document: &Document<'_>) -> Option<usize> {
        if let Some(newer) = document.successor {
            return self.index_of(newer.as_str());
        }
        // The record names no successor, but one of its impressions may.
        let mut impressions = document.impressions.iter();
        let newer = impressions.find_map(|one| one.superseded_by.as_deref())?;
        let newer = RepoPath::parse(&self.memory.impression(newer)?.record_path).ok()?;
        self.index_of(newer.as_str())
    }

    /// The feedback to learn from, with the IDs of entries in place of those of impressions.
    pub(super) fn feedback(&self) -> Vec<Feedback> {
        // Each impression of a record has its own ID, but the entry only has that of the first one.
        // Feedback on any of them must count for the entry.
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
        // The index stores the words of the feedback, and must not contain secrets.
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

/// True if an impression's target is outside the memory and not hidden by an ignore file.
fn is_outside(memory: &Memory, path: &str) -> bool {
    let is_inside = path.starts_with("memory/");
    let is_known = |path: &RepoPath| {
        // An existing file in the folder would be among `files`, unless an ignore file excludes it.
        let is_there = memory.files.outside.get(path) == Some(&true);
        let is_ignored =
            is_inside && !memory.files.has(path) && is_there && !memory.files.is_closed(path);
        memory.records.contains_key(path) || is_ignored
    };
    !RepoPath::parse(path).is_ok_and(|path| is_known(&path))
}
