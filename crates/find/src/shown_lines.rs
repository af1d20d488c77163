//! Reads the lines of a place, redacted.

use windlass_base::{LineSpan, Pointer, Redacted, RepoPath};
use windlass_repo::Snapshot;

pub(crate) fn shown(
    snapshot: &Snapshot,
    path: &RepoPath,
    span: LineSpan,
) -> Option<(Redacted, Pointer)> {
    let source = snapshot.read(path).ok()?;
    Some((text(snapshot, path, span)?, source.pointer(path, span)))
}

pub(crate) fn text(snapshot: &Snapshot, path: &RepoPath, span: LineSpan) -> Option<Redacted> {
    let source = snapshot.read(path).ok()?;
    let lines: Vec<Redacted> = (span.start()..=span.end())
        .filter_map(|line| source.shown().line(line))
        .collect();
    Redacted::join(lines.iter())
}
