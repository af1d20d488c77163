//! Finds records that have been moved, e.g. with `git mv`, without updating the links to them.
//!
//! We can often tell the new path by the ID. Suppose that the impression `cache` leads to
//! `memory/decisions/a.md`, which doesn't exist anymore. If there's a record with the ID `cache`
//! elsewhere, that must be the one.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use crate::records::kind::RecordKind;
use crate::state::memory::Memory;
use crate::texts::layout::is_private;

pub(crate) struct Moved<'m> {
    memory: &'m Memory,
    /// For routes without a file, the path of the record that has the ID of the impression.
    meant: BTreeMap<RepoPath, &'m RepoPath>,
    /// Paths of records by ID, or `None` if several records share the ID.
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

    /// Returns the present path of the record that used to be at `path`, or `None` if `path` exists
    /// or the ID is ambiguous.
    ///
    /// Without an impression, we don't know the ID, but files are named after the ID by default. So
    /// we try the file name.
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

    /// The former paths of the record at `path` that are still in use by impressions.
    pub(crate) fn from(&self, path: &RepoPath) -> impl Iterator<Item = &RepoPath> {
        let there = self.meant.iter().filter(move |(_, now)| **now == path);
        there.map(|(was, _)| was)
    }

    /// True if `path` is the path of a record, but there's no file.
    fn is_gone(&self, path: &RepoPath) -> bool {
        RecordKind::of_path(path.as_str()).is_some_and(RecordKind::is_recalled)
            && !is_private(path.as_str())
            && !self.memory.files.has(path)
            && self.memory.files.outside.get(path) != Some(&true)
    }
}
