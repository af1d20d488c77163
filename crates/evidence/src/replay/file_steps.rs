//! Changes of single files in a commit. They are compared once for all tracks.

use std::sync::{Arc, OnceLock};

use windlass_base::{RepoPath, is_on};
use windlass_repo::{BlobAt, Bounded, Made, Snapshot};

use super::contents::{Contents, Readable, WORKING_TREE};
use crate::line_map::LineMap;
use crate::reshaped::letters_of;
use crate::text::Text;

/// Maximum size of the cache, in lines of compared texts.
const MAX_KEPT_LINES: usize = 2_000_000;

/// Path and text of a file on one side of a change.
pub(crate) type Side = (RepoPath, Arc<Text>);

/// File before and after a commit. An added or deleted file has only one side.
#[derive(Debug, Default)]
pub(crate) struct FileStep {
    pub(crate) from: Option<Side>,
    pub(crate) to: Option<Side>,
    /// Line map between the two sides. `None` if there is only one.
    map: Option<LineMap>,
    /// Letters and digits of the added lines. They are computed on first use.
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

    /// True if the commit inserted a copy of line `old` next to it.
    pub(crate) fn is_copied(&self, old: usize) -> bool {
        self.map.as_ref().is_some_and(|map| map.is_copied(old))
    }

    /// True if line `new` is in another record than line `old` was.
    pub(crate) fn crosses(&self, old: usize, new: usize) -> bool {
        let (Some(map), Some((_, from)), Some((_, to))) = (&self.map, &self.from, &self.to) else {
            return false;
        };
        is_on("evidence.crosses") && map.crosses(from, to, old, new)
    }

    /// Returns the letters and digits of the added lines.
    pub(crate) fn letters_that_came(&self) -> &[u8] {
        self.came.get_or_init(|| match &self.to {
            Some((_, text)) => letters_of(text, (0..text.len()).filter(|at| self.is_added(*at))),
            None => Vec::new(),
        })
    }

    /// True if line `at` on the new side was added.
    pub(crate) fn is_added(&self, at: usize) -> bool {
        self.map.as_ref().is_none_or(|map| !map.is_carried(at))
    }
}

/// Contents before and after a change.
type Sides = (Option<BlobAt>, Option<BlobAt>);

/// Cached comparisons. One cache per state of the files.
type FileSteps = Bounded<Sides, Arc<FileStep>, MAX_KEPT_LINES>;

/// Compares `from` with `to`, if they have lines. Without `to`, all lines of `from` count as removed.
pub(crate) fn step_between(
    snapshot: &Snapshot,
    from: Option<&BlobAt>,
    to: Option<&BlobAt>,
) -> Arc<FileStep> {
    // The files are read for every caller, even if the comparison is cached, because a verdict records the files that
    // it depends on.
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
