use windlass_base::{LineSpan, Pointer, RepoPath, Source};
use windlass_packs::harmless_line;
use windlass_repo::SourceFile;

use crate::{Query, best_window, matched_by_line};

/// Maximum number of lines shown of a file outside the memory.
pub(super) const MOST_LINES: u32 = 60;

/// Reads the lines of `span` and redacts secrets.
pub(super) fn lines_at(source: &SourceFile, span: LineSpan) -> impl Iterator<Item = String> {
    let lines = (span.start()..=span.end()).map_while(|line| source.shown().line(line));
    lines.map(|line| line.as_str().to_owned())
}

/// Picks the best-matching part of `span` if it is longer than [`MOST_LINES`].
pub(super) fn worth_showing(source: &SourceFile, span: LineSpan, query: &Query) -> LineSpan {
    if span.count() <= MOST_LINES {
        return span;
    }
    let lines: Vec<String> = lines_at(source, span).collect();
    let matched = matched_by_line(lines.iter().map(String::as_str), query);
    let best = best_window(&matched, MOST_LINES as usize);
    let number = |at: usize| span.start() + u32::try_from(at).unwrap_or(0);
    LineSpan::new(number(best.start), number(best.end.max(1) - 1)).unwrap_or(span)
}

pub(super) fn span_of(source: &Source, range: &std::ops::Range<usize>) -> Option<LineSpan> {
    let first = source.position(range.start).line;
    let last = source
        .position(range.end.saturating_sub(1).max(range.start))
        .line;
    LineSpan::new(u32::try_from(first).ok()?, u32::try_from(last).ok()?).ok()
}

pub(super) fn pointer(path: &RepoPath, source: &SourceFile, span: LineSpan) -> Option<Pointer> {
    let pointer = source.pointer(path, span);
    pointer.source_hash.is_some().then_some(pointer)
}

pub(super) fn place(pointer: &Pointer) -> String {
    harmless_line(&pointer.to_string())
}
