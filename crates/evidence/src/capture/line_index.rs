//! Index of lines by their short hashes. It finds texts of which only the hashes are known.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use windlass_base::{Cancel, LineHashes, RepoPath};
use windlass_repo::{ListQuery, Refusal, Snapshot};

/// Maximum number of files to index. Without a text to search for, each file has to be read.
const MAX_FILES: usize = 4_000;

/// Maximum total size of the files to index, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// Maximum number of files to return for a line.
const MAX_NAMED: usize = 40;

/// Cached index. It is built once per state of the files.
#[derive(Default)]
struct Kept(OnceLock<Option<LineIndex>>);

/// Index from lines to the text files of a repository that contain them.
pub(crate) struct LineIndex {
    files: Vec<RepoPath>,
    /// Pairs of line hash and file number, sorted.
    lines: Vec<(u32, u32)>,
}

impl LineIndex {
    /// Returns the files that contain the rarest of the lines `wanted`. Returns `None` if there are too many such
    /// files, or if not all files were inspected.
    pub(crate) fn files_with(snapshot: &Snapshot, wanted: &[u32]) -> Option<Vec<RepoPath>> {
        let kept = snapshot.kept::<Kept>();
        let index = kept.0.get_or_init(|| Self::of(snapshot)).as_ref()?;
        let known = wanted.iter().filter(|hash| **hash != LineHashes::LEFT_OUT);
        let files = known
            .map(|hash| index.with_line(*hash))
            .min_by_key(|files| files.len())?;
        let named = files
            .iter()
            .map(|(_, nr)| index.files[*nr as usize].clone());
        (files.len() <= MAX_NAMED).then(|| named.collect())
    }

    /// Returns the files that contain any of the rarest of the lines `wanted`. Returns `None` under the same conditions
    /// as [`Self::files_with`].
    pub(crate) fn files_with_any(snapshot: &Snapshot, wanted: &[u32]) -> Option<Vec<RepoPath>> {
        let kept = snapshot.kept::<Kept>();
        let index = kept.0.get_or_init(|| Self::of(snapshot)).as_ref()?;
        let known = wanted.iter().filter(|hash| **hash != LineHashes::LEFT_OUT);
        let mut lines: Vec<&[(u32, u32)]> = known.map(|hash| index.with_line(*hash)).collect();
        lines.sort_by_key(|files| files.len());
        // A copy contains all of the lines, so the files with the rarest line include every copy.
        lines.first().filter(|files| files.len() <= MAX_NAMED)?;
        let mut named: BTreeSet<u32> = BTreeSet::new();
        for files in lines {
            if named.len() + files.len() > MAX_NAMED {
                break;
            }
            named.extend(files.iter().map(|(_, nr)| *nr));
        }
        let named = named.into_iter();
        Some(named.map(|nr| index.files[nr as usize].clone()).collect())
    }

    fn with_line(&self, hash: u32) -> &[(u32, u32)] {
        let first = self.lines.partition_point(|(known, _)| *known < hash);
        let same = &self.lines[first..];
        &same[..same.partition_point(|(known, _)| *known == hash)]
    }

    fn of(snapshot: &Snapshot) -> Option<Self> {
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let listing = snapshot.list(&query, &Cancel::default()).ok()?;
        if listing.files.len() > MAX_FILES || listing.withheld.too_large > 0 {
            return None;
        }
        let (mut files, mut lines, mut bytes) = (Vec::new(), Vec::new(), 0);
        for path in listing.files {
            let source = match snapshot.read(&path) {
                Ok(source) => source,
                // Lines of secret files are never captured, so such a file cannot contain the text.
                Err(Refusal::Secret { .. }) => continue,
                Err(_) => return None,
            };
            bytes += source.bytes().len();
            if bytes > MAX_BYTES {
                return None;
            }
            if source.why_no_text().is_some() {
                continue;
            }
            let nr = u32::try_from(files.len()).ok()?;
            let own: BTreeSet<u32> = source.line_table().hashes().iter().copied().collect();
            lines.extend(own.into_iter().map(|hash| (hash, nr)));
            files.push(path);
        }
        lines.sort_unstable();
        Some(Self { files, lines })
    }
}
