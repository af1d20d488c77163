//! Finding a shifted span again in its own file.
//!
//! Only one case is decided here: the text was unique in the file when it was captured and is unique in it
//! now. Uniqueness now alone proves nothing: the original may have been deleted and its copy left.

use windlass_base::{LineSpan, SourceHash};
use windlass_repo::SourceFile;

use crate::Capture;
use crate::line_hashes::{LineHashes, all_lines};

/// How often the text of `span` stands in `source`, itself included.
pub(crate) fn copies(source: &SourceFile, span: LineSpan) -> u32 {
    let lines = all_lines(source);
    let (first, last) = (span.start() as usize - 1, span.end() as usize);
    let Some(own) = lines.get(first..last) else {
        return 0;
    };
    let text = source.span_hash(span);
    let same = lines.windows(own.len()).enumerate().filter(|(at, window)| {
        *window == own && span_at(*at, own.len()).and_then(|span| source.span_hash(span)) == text
    });
    u32::try_from(same.count()).unwrap_or(u32::MAX)
}

/// Where the captured text stands now, if it was unique then and is unique now.
pub(crate) fn find_unique(
    source: &SourceFile,
    hash: SourceHash,
    capture: &Capture,
) -> Option<LineSpan> {
    if capture.copies_in_file != 1 {
        return None;
    }
    let wanted: &LineHashes = capture.line_hashes.as_ref()?;
    let lines = all_lines(source);
    let mut places = wanted
        .positions(&lines)
        .filter_map(|at| span_at(at, wanted.len()));
    let mut found = places
        .by_ref()
        .filter(|span| source.span_hash(*span) == Some(hash));
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

fn span_at(offset: usize, lines: usize) -> Option<LineSpan> {
    let start = u32::try_from(offset).ok()?.checked_add(1)?;
    let end = start.checked_add(u32::try_from(lines).ok()?.checked_sub(1)?)?;
    LineSpan::new(start, end).ok()
}
