//! Changes of a commit to single files, compared once for all tracks.

use std::sync::{Arc, OnceLock};

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, Bounded, Made, Snapshot};

use super::contents::{Contents, Readable, WORKING_TREE};
use crate::line_map::LineMap;
use crate::other_forms::letters_of;
use crate::params::MAX_CACHED_LINES;
use crate::text::Text;

/// Path and contents of a file on one side of a change.
pub(crate) type Side = (RepoPath, Arc<Text>);

/// A file before and after a commit. An added or deleted file has only one side.
#[derive(Debug, Default)]
pub(crate) struct FileStep {
    pub(crate) from: Option<Side>,
    pub(crate) to: Option<Side>,
    /// Line map between the two sides, if there are two.
    map: Option<LineMap>,
    /// Letters and digits of the added lines, collected on first use.
    came: OnceLock<Vec<u8>>,
}

impl FileStep {
    fn new(from: Option<Side>, to: Option<Side>) -> Self {
        let map = match (&from, &to) {
            (Some((_, old)), Some((_, new))) => Some(LineMap::between(old, new)),
            _ => None,
        };
        Self {
            from,
            to,
            map,
            came: OnceLock::new(),
        }
    }

    /// Returns the new line that the line map pairs with `old`.
    pub(crate) fn carried(&self, old: usize) -> Option<usize> {
        self.map.as_ref()?.to(old)
    }

    /// Returns true if the commit inserted a copy of line `old` next to it.
    pub(crate) fn is_copied(&self, old: usize) -> bool {
        self.map.as_ref().is_some_and(|map| map.is_copied(old))
    }

    /// Returns the letters and digits of all added lines, one after the other.
    pub(crate) fn letters_that_came(&self) -> &[u8] {
        self.came.get_or_init(|| match &self.to {
            Some((_, text)) => letters_of(text, (0..text.len()).filter(|at| self.is_added(*at))),
            None => Vec::new(),
        })
    }

    pub(crate) fn is_added(&self, at: usize) -> bool {
        self.map.as_ref().is_none_or(|map| !map.is_carried(at))
    }
}

/// The two sides of a change, by path and blob.
type Sides = (Option<BlobAt>, Option<BlobAt>);

/// Cache of comparisons, for one state of the files.
type FileSteps = Bounded<Sides, Arc<FileStep>, MAX_CACHED_LINES>;

/// Compares `from` with `to`.
///
/// A side that is missing or has no lines to compare is empty, and all lines of the other side then
/// count as added or removed.
pub(crate) fn step_between(
    snapshot: &Snapshot,
    from: Option<&BlobAt>,
    to: Option<&BlobAt>,
) -> Arc<FileStep> {
    // Even if the comparison is cached, we read the files for every caller, because a verdict
    // depends on the files that were read for it.
    for at in from
        .iter()
        .chain(&to)
        .filter(|at| &*at.blob == WORKING_TREE)
    {
        let _ = snapshot.read(&at.path);
    }
    let sides = (from.cloned(), to.cloned());
    snapshot.kept::<FileSteps>().get_or_make(&sides, || {
        let contents = snapshot.kept::<Contents>();
        let mut size = 1;
        let mut side = |at: Option<&BlobAt>| match contents.read(snapshot, at?) {
            Readable::Text(text) => {
                size += text.size();
                Some((at?.path.clone(), text))
            }
            Readable::Binary(_) | Readable::No => None,
        };
        let step = FileStep::new(side(from), side(to));
        Made::Sized(Arc::new(step), size)
    })
}
