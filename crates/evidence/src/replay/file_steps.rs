//! Change of a file, compared once for all tracks.

use std::sync::{Arc, OnceLock};

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, Bounded, Made, Snapshot};

use super::contents::{Contents, Readable, WORKING_TREE};
use crate::line_map::LineMap;
use crate::reshaped::letters_of;
use crate::text::Text;

/// Size of the cache, in lines of compared texts.
const MAX_KEPT_LINES: usize = 2_000_000;

/// A file, and its lines.
pub(crate) type Side = (RepoPath, Arc<Text>);

/// A file before and after a commit. One that was added or deleted has one side only.
#[derive(Debug, Default)]
pub(crate) struct FileStep {
    pub(crate) from: Option<Side>,
    pub(crate) to: Option<Side>,
    /// Line map of a change with both sides.
    map: Option<LineMap>,
    /// The letters and digits of what came in, once somebody asked.
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

    /// The line that `old` became, in order.
    pub(crate) fn carried(&self, old: usize) -> Option<usize> {
        self.map.as_ref()?.to(old)
    }

    /// True if a copy of the line `old` was written beside it.
    pub(crate) fn is_copied(&self, old: usize) -> bool {
        self.map.as_ref().is_some_and(|map| map.is_copied(old))
    }

    /// True if line `new` is of another record than `old` was.
    pub(crate) fn crosses(&self, old: usize, new: usize) -> bool {
        let (Some(map), Some((_, from)), Some((_, to))) = (&self.map, &self.from, &self.to) else {
            return false;
        };
        map.crosses(from, to, old, new)
    }

    /// The letters and digits of the lines that came in.
    pub(crate) fn letters_that_came(&self) -> &[u8] {
        self.came.get_or_init(|| match &self.to {
            Some((_, text)) => letters_of(text, (0..text.len()).filter(|at| self.is_added(*at))),
            None => Vec::new(),
        })
    }

    /// True if the new line `at` was not there before.
    pub(crate) fn is_added(&self, at: usize) -> bool {
        self.map.as_ref().is_none_or(|map| !map.is_carried(at))
    }
}

/// Contents before and after.
type Sides = (Option<BlobAt>, Option<BlobAt>);

/// The changes that were inspected in one state of the files.
type FileSteps = Bounded<Sides, Arc<FileStep>, MAX_KEPT_LINES>;

/// Fate of `from`, as far as both can be compared; where there is no `to`, all of it left.
pub(crate) fn step_between(
    snapshot: &Snapshot,
    from: Option<&BlobAt>,
    to: Option<&BlobAt>,
) -> Arc<FileStep> {
    // Each caller depends on the file, even if another one had it compared before.
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
