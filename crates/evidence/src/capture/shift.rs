//! Search for a text that moved within its own file, by its hashes alone.
//!
//! Only one case is decided here: the text was unique in the file at capture and is unique in it
//! now. The second condition alone proves nothing, because the original may have been deleted and a
//! copy left.

use std::collections::BTreeMap;

use windlass_base::{Capture, LineSpan, SourceHash};
use windlass_repo::SourceFile;

use crate::capture::line_hashes::{own_hashes, positions};
use crate::params;

/// Counts how often the text of `span` occurs in `source`, including itself, up to
/// [`params::MAX_COPIES_COUNTED`].
///
/// All secret values count as equal, as they do in hashes.
pub(crate) fn copies(source: &SourceFile, span: LineSpan) -> u32 {
    let table = source.line_table();
    let Some(own) = own_hashes(table, span) else {
        return 0;
    };
    // Two lines may have the same short hash by chance, so compare their contents.
    let is_copy = |at: &usize| {
        span_at(*at, own.len()).is_some_and(|there| {
            (there.start()..=there.end())
                .zip(span.start()..)
                .all(|(there, own)| source.hashed_line(there) == source.hashed_line(own))
        })
    };
    let same = positions(table, own)
        .filter(is_copy)
        .take(params::MAX_COPIES_COUNTED);
    u32::try_from(same.count()).unwrap_or(u32::MAX)
}

/// Returns the largest share of the lines in `span`, in percent, that another location in `source`
/// has as well. `None` if the span is too long.
pub(crate) fn look_alike(source: &SourceFile, span: LineSpan) -> Option<u8> {
    const MAX_LINES: u32 = 400;
    if span.count() > MAX_LINES {
        return None;
    }
    let own = own_hashes(source.line_table(), span)?;
    u8::try_from(together(own, i64::from(span.start()) - 1, source, true)).ok()
}

/// Returns the largest share of the lines `own`, in percent, that one location in the file `other`
/// has.
pub(crate) fn look_alike_in(own: &[u32], other: &SourceFile) -> u8 {
    u8::try_from(together(own, 0, other, false)).unwrap_or(100)
}

/// Returns the largest share of the lines `own`, in percent, that `source` has at equal distances.
/// The lines begin at line `start` (from 0), and with `elsewhere` their own location does not
/// count.
fn together(own: &[u32], start: i64, source: &SourceFile, elsewhere: bool) -> usize {
    let table = source.line_table();
    let mut shifts: BTreeMap<i64, usize> = BTreeMap::new();
    for (at, hash) in (start..).zip(own) {
        let places = table.lines_with(*hash);
        // Lines that occur this often, such as `}`, don't identify a location.
        if places.len() <= params::MAX_EQUAL_LINES {
            let others = places.iter().map(|line| i64::from(*line) - at);
            let others = others.filter(|shift| !elsewhere || *shift != 0);
            others.for_each(|shift| *shifts.entry(shift).or_default() += 1);
        }
    }
    let most = shifts.into_values().max().unwrap_or(0);
    most * 100 / own.len().max(1)
}

/// Returns the location of the captured text if it was unique at capture and is unique now.
pub(crate) fn find_unique(
    source: &SourceFile,
    hash: SourceHash,
    capture: &Capture,
) -> Option<LineSpan> {
    if capture.copies_in_file != 1 {
        return None;
    }
    let wanted = capture.line_hashes.as_ref()?.as_slice();
    let mut found = None;
    let mut hashed = 0;
    for at in positions(source.line_table(), wanted) {
        hashed += wanted.len();
        if hashed > params::MAX_PROVEN_LINES {
            return None;
        }
        let span = span_at(at, wanted.len())?;
        if source.has_span_hash(span, hash) && found.replace(span).is_some() {
            return None;
        }
    }
    found
}

/// Returns the first `max` locations of the unchanged text. Without line hashes in the capture,
/// none is found.
pub(crate) fn places_now(
    source: &SourceFile,
    hash: SourceHash,
    capture: &Capture,
    max: usize,
) -> Vec<LineSpan> {
    let Some(wanted) = &capture.line_hashes else {
        return Vec::new();
    };
    let wanted = wanted.as_slice();
    // A trivial text has too many locations to hash them all.
    let looked_at = params::MAX_PROVEN_LINES / wanted.len().max(1);
    positions(source.line_table(), wanted)
        .take(looked_at)
        .filter_map(|at| span_at(at, wanted.len()))
        .filter(|span| source.has_span_hash(*span, hash))
        .take(max)
        .collect()
}

fn span_at(offset: usize, lines: usize) -> Option<LineSpan> {
    let start = u32::try_from(offset).ok()?.checked_add(1)?;
    let end = start.checked_add(u32::try_from(lines).ok()?.checked_sub(1)?)?;
    LineSpan::new(start, end).ok()
}
