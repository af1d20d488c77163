//! Other files that contain a text, or part of it, when it is captured.

use std::sync::atomic::{AtomicUsize, Ordering};

use windlass_base::{LineHashes, RepoPath};
use windlass_repo::Snapshot;

use crate::capture::Captured;
use crate::capture::line_index::LineIndex;
use crate::capture::shift::{look_alike_in, places_now};
use crate::params;
use crate::shared::text_of;
use crate::sought::{files_with, rarest_lines};
use crate::text::Range;

/// Number of captures in one state of the files.
#[derive(Default)]
struct Count(AtomicUsize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Others {
    /// Number of files that contain the exact text.
    pub(crate) copies: u32,
    /// Largest share of the text that one of them contains, in percent of its lines.
    pub(crate) look_alike: u8,
}

/// Determines how much of the text of `captured` other files contain.
///
/// Returns `None` if not all files could be inspected. If no commit has the text (`is_committed` is
/// false), no file with it may be missed, so the index is used from the first capture.
pub(crate) fn others(
    snapshot: &Snapshot,
    captured: &Captured,
    is_committed: bool,
) -> Option<Others> {
    let Captured { pointer, capture } = captured;
    let (hash, wanted) = (pointer.source_hash?, capture.line_hashes.as_ref()?);
    let nr = snapshot.kept::<Count>().0.fetch_add(1, Ordering::Relaxed);
    let files = match is_committed && nr < params::MIN_CAPTURES_INDEXED {
        true => searched(snapshot, captured)?,
        false => LineIndex::files_with_any(snapshot, wanted.as_slice())
            .or_else(|| searched(snapshot, captured).filter(|_| is_committed))?,
    };
    let own: Vec<u32> = wanted.as_slice().to_vec();
    let known = own.iter().any(|hash| *hash != LineHashes::LEFT_OUT);
    let mut found = Others {
        copies: 0,
        look_alike: 0,
    };
    for path in files.iter().filter(|path| **path != pointer.file) {
        // A file that may not be read is no source of captured texts, so we skip it.
        let Ok(source) = snapshot.read(path) else {
            continue;
        };
        let is_copy = !places_now(&source, hash, capture, 1).is_empty();
        found.copies += u32::from(is_copy);
        let alike = match is_copy {
            true => 100,
            false if known => look_alike_in(&own, &source),
            false => 0,
        };
        found.look_alike = found.look_alike.max(alike);
    }
    Some(found)
}

/// Returns the files that contain one of the rarest lines of the text, unless there are too many.
fn searched(snapshot: &Snapshot, captured: &Captured) -> Option<Vec<RepoPath>> {
    let source = snapshot.read(&captured.pointer.file).ok()?;
    let text = text_of(snapshot, &source)?;
    let lines = rarest_lines(&text, Range::of(captured.pointer.span));
    if lines.is_empty() {
        return None;
    }
    let found = files_with(snapshot, &lines, &[]);
    (found.complete && found.files.len() <= params::MAX_FILES_COMPARED).then_some(found.files)
}
