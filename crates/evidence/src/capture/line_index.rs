//! Index of all lines by their short hashes. It finds texts of which only the hashes are known.

use crate::params;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use windlass_base::{Cancel, LineHashes, RepoPath};
use windlass_repo::{ListQuery, Refusal, Snapshot};

/// The index for one state of the files, built on first use. `None` if there are too many files.
#[derive(Default)]
struct Kept(OnceLock<Option<LineIndex>>);

pub(crate) struct LineIndex {
    files: Vec<RepoPath>,
    /// Pairs of line hash and file number, sorted.
    lines: Vec<(u32, u32)>,
}

impl LineIndex {
    /// Returns the files that contain the rarest of the lines in `wanted`. `None` if there are too
    /// many such files, or if not all files could be indexed.
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
        (files.len() <= params::MAX_FILES_COMPARED).then(|| named.collect())
    }

    /// Returns the files that contain any of the lines in `wanted`, starting with the rarest line
    /// and up to the limit. `None` under the same conditions as [`Self::files_with`].
    pub(crate) fn files_with_any(snapshot: &Snapshot, wanted: &[u32]) -> Option<Vec<RepoPath>> {
        let kept = snapshot.kept::<Kept>();
        let index = kept.0.get_or_init(|| Self::of(snapshot)).as_ref()?;
        let known = wanted.iter().filter(|hash| **hash != LineHashes::LEFT_OUT);
        let mut lines: Vec<&[(u32, u32)]> = known.map(|hash| index.with_line(*hash)).collect();
        lines.sort_by_key(|files| files.len());
        // A copy has all of the lines, so the files with the rarest one include every copy.
        lines
            .first()
            .filter(|files| files.len() <= params::MAX_FILES_COMPARED)?;
        let mut named: BTreeSet<u32> = BTreeSet::new();
        for files in lines {
            if named.len() + files.len() > params::MAX_FILES_COMPARED {
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
        if listing.files.len() > params::MAX_FILES_INDEXED || listing.withheld.too_large > 0 {
            return None;
        }
        let (mut files, mut lines, mut bytes) = (Vec::new(), Vec::new(), 0);
        for path in listing.files {
            let source = match snapshot.read(&path) {
                Ok(source) => source,
                // Lines of secret files are never captured, so this file cannot have the text.
                Err(Refusal::Secret { .. }) => continue,
                Err(_) => return None,
            };
            bytes += source.bytes().len();
            if bytes > params::MAX_BYTES_INDEXED {
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
