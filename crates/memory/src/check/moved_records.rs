//! Finds records that a user has moved, for example with `git mv`.
//!
//! Links and impressions still lead to the old path, where there's no file anymore. Suppose the
//! impression `cache` leads to `memory/decisions/a.md`, which is gone. If a record with the id
//! `cache` exists elsewhere, we know what was meant.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use crate::records::kind::RecordKind;
use crate::state::memory::Memory;
use crate::texts::layout::is_private;

/// Former paths of moved records, mapped to their present ones.
pub(crate) struct Moved<'m> {
    memory: &'m Memory,
    /// The present path for each broken route (the record path in an impression). It comes from
    /// impressions that share their id with a record.
    meant: BTreeMap<RepoPath, &'m RepoPath>,
    /// The path of each record by id, or `None` if several records share the id.
    by_id: BTreeMap<&'m str, Option<&'m RepoPath>>,
}

impl<'m> Moved<'m> {
    pub(crate) fn of(memory: &'m Memory) -> Self {
        let mut by_id: BTreeMap<&str, Option<&RepoPath>> = BTreeMap::new();
        for record in memory.records.values() {
            if let Some(id) = record.id() {
                let known = by_id.entry(id);
                known
                    .and_modify(|path| *path = None)
                    .or_insert(Some(&record.path));
            }
        }
        let mut moved = Self {
            memory,
            meant: BTreeMap::new(),
            by_id,
        };
        for impression in memory.impressions.iter() {
            let Ok(route) = RepoPath::parse(&impression.record_path) else {
                continue;
            };
            if let Some(Some(path)) = moved.by_id.get(impression.id.as_str())
                && moved.is_gone(&route)
            {
                moved.meant.insert(route, path);
            }
        }
        moved
    }

    /// Returns the present path of the record that used to be at `path`. We look for an impression
    /// that led to `path` and use its id, or else go by the file name. Returns `None` if `path`
    /// exists or the id is ambiguous.
    pub(crate) fn to(&self, path: &RepoPath) -> Option<&'m RepoPath> {
        if !self.is_gone(path) {
            return None;
        }
        let by_name = || {
            let (stem, _) = path.file_name().rsplit_once('.')?;
            *self.by_id.get(stem)?
        };
        self.meant.get(path).copied().or_else(by_name)
    }

    /// Returns the former paths of the record at `path` that impressions still name.
    pub(crate) fn from(&self, path: &RepoPath) -> impl Iterator<Item = &RepoPath> {
        let there = self.meant.iter().filter(move |(_, now)| **now == path);
        there.map(|(was, _)| was)
    }

    /// Returns true if `path` looks like a record path but has no file.
    fn is_gone(&self, path: &RepoPath) -> bool {
        RecordKind::of_path(path.as_str()).is_some_and(RecordKind::is_recalled)
            && !is_private(path.as_str())
            && !self.memory.files.has(path)
            && self.memory.files.outside.get(path) != Some(&true)
    }
}
