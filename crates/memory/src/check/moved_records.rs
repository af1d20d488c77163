//! Records that lie elsewhere than is said somewhere: moved by hand, as by `git mv`.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use crate::records::kind::RecordKind;
use crate::state::memory::Memory;
use crate::texts::layout::is_private;

/// Where records lie that were moved.
pub(crate) struct Moved<'m> {
    memory: &'m Memory,
    /// The records that the impressions of a path mean by their ids.
    meant: BTreeMap<RepoPath, &'m RepoPath>,
    /// The only record of each id.
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

    /// Where the record lies that was at `path`: the one of the id by which an impression led there, or after which the file was
    /// called. Nothing where something is at `path`, and where two records have that id.
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

    /// Where the record at `path` was, as far as impressions say.
    pub(crate) fn from(&self, path: &RepoPath) -> impl Iterator<Item = &RepoPath> {
        let there = self.meant.iter().filter(move |(_, now)| **now == path);
        there.map(|(was, _)| was)
    }

    /// Whether a record may have been at `path`, and nothing is.
    fn is_gone(&self, path: &RepoPath) -> bool {
        RecordKind::of_path(path.as_str()).is_some_and(RecordKind::is_recalled)
            && !is_private(path.as_str())
            && !self.memory.files.has(path)
            && self.memory.files.outside.get(path) != Some(&true)
    }
}
