//! Records that a user moved, for example with `git mv`, so that existing links and impressions lead to missing files.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use crate::records::kind::RecordKind;
use crate::state::memory::Memory;
use crate::texts::layout::is_private;

/// Map from former to present paths of moved records.
pub(crate) struct Moved<'m> {
    memory: &'m Memory,
    /// Present path for each broken route (the record path in an impression), taken from impressions whose id is also
    /// the id of a record.
    meant: BTreeMap<RepoPath, &'m RepoPath>,
    /// Path of the record with each id, or `None` if several records share the id.
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

    /// Returns the present path of the record that used to be at `path`. The record is identified by the id of an
    /// impression that led to `path`, or else by the file name. Returns `None` if `path` exists or the id is ambiguous.
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

    /// Returns the former paths of the record at `path`, as far as impressions still name them.
    pub(crate) fn from(&self, path: &RepoPath) -> impl Iterator<Item = &RepoPath> {
        let there = self.meant.iter().filter(move |(_, now)| **now == path);
        there.map(|(was, _)| was)
    }

    /// Returns true if `path` has the form of a record path and no file exists there.
    fn is_gone(&self, path: &RepoPath) -> bool {
        RecordKind::of_path(path.as_str()).is_some_and(RecordKind::is_recalled)
            && !is_private(path.as_str())
            && !self.memory.files.has(path)
            && self.memory.files.outside.get(path) != Some(&true)
    }
}
