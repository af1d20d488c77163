//! Capture of a location: a pointer to its lines, and the context that a later proof needs.

pub(crate) mod line_hashes;
mod line_index;
pub(crate) mod noted;
mod others;
pub(crate) mod shift;

use std::sync::Arc;

use windlass_base::{Cancel, Capture, LineHashes, LineSpan, Pointer, RepoPath, counted};
use windlass_repo::{NotInPast, Refusal, Snapshot, SourceFile};

use crate::old_text::OldText;
use crate::symbols::name_around;
use line_hashes::line_hashes;
use others::others;
use shift::{copies, look_alike};

/// A text with more lines is recorded without their hashes, which keeps the notebook small.
const MAX_HASHED_LINES: u32 = 400;

/// Number of lines above and below a text whose hashes are recorded.
const CONTEXT: u32 = 3;

/// A pointer and the context recorded at its capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Pointer with the hash of its lines.
    pub pointer: Pointer,
    /// Context that [`judge()`](crate::judge()) needs for a proof.
    pub capture: Capture,
}

/// Reason why a location cannot be captured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The file cannot be read.
    #[error("`{file}` cannot be captured: {refusal}")]
    Refused {
        /// File that was to be captured.
        file: RepoPath,
        /// Reason why it cannot be read.
        refusal: Refusal,
    },
    /// The commit does not have the file.
    #[error("`{file}` cannot be captured: {why}")]
    NotInCommit {
        /// File that was to be captured.
        file: RepoPath,
        /// Reason why the commit has no such file.
        why: NotInPast,
    },
    /// The file is not text.
    #[error("`{file}` cannot be captured: it is {why}")]
    Binary {
        /// File that was to be captured.
        file: RepoPath,
        /// Kind of the file's contents.
        why: &'static str,
    },
    /// The file does not have these lines.
    #[error("`{file}` has {}, so lines {span} are not in it", counted(*.lines, "line"))]
    OutsideFile {
        /// File that was to be captured.
        file: RepoPath,
        /// Lines that were requested.
        span: LineSpan,
        /// Number of lines in the file.
        lines: u32,
    },
}

/// Captures the lines `span` of `file` in its current state.
///
/// # Errors
/// Returns an error if the file cannot be read, is not text, or does not have these lines.
pub fn capture(
    snapshot: &Snapshot,
    file: &RepoPath,
    span: LineSpan,
) -> Result<Captured, CaptureError> {
    let source = snapshot
        .read(file)
        .map_err(|refusal| CaptureError::Refused {
            file: file.clone(),
            refusal,
        })?;
    let commit = snapshot.head_commit(&Cancel::default());
    let mut captured = capture_in(snapshot, &source, file, span, commit)?;
    let is_committed = OldText::is_committed(snapshot, &captured.pointer, &captured.capture);
    if let Some(others) = others(snapshot, &captured, is_committed) {
        captured.capture.copies_elsewhere = Some(others.copies);
        captured.capture.look_alike_elsewhere = Some(others.look_alike);
    }
    Ok(captured)
}

/// Captures the lines `span` of `file` as of the commit with the full id `commit`.
///
/// Unlike [`capture`], this does not record whether other files contain the text.
///
/// # Errors
/// Returns an error if the commit or the file does not exist, if the file may not be read or is not
/// text, or if it does not have these lines.
pub fn capture_at(
    snapshot: &Snapshot,
    commit: &str,
    file: &RepoPath,
    span: LineSpan,
) -> Result<Captured, CaptureError> {
    let source =
        snapshot
            .history()
            .file(commit, None, file)
            .map_err(|why| CaptureError::NotInCommit {
                file: file.clone(),
                why,
            })?;
    capture_in(snapshot, &source, file, span, Some(commit.to_owned()))
}

fn capture_in(
    snapshot: &Snapshot,
    source: &Arc<SourceFile>,
    file: &RepoPath,
    span: LineSpan,
    commit: Option<String>,
) -> Result<Captured, CaptureError> {
    if let Some(why) = source.why_no_text() {
        let file = file.clone();
        return Err(CaptureError::Binary { file, why });
    }
    let Some(hash) = source.span_hash(span) else {
        return Err(CaptureError::OutsideFile {
            file: file.clone(),
            span,
            lines: source.line_count(),
        });
    };
    let pointer = Pointer {
        file: file.clone(),
        span,
        source_hash: Some(hash),
    };
    let blob = commit
        .as_ref()
        .and_then(|commit| snapshot.history().blob(commit, file));
    Ok(Captured {
        pointer,
        capture: Capture {
            commit,
            blob,
            symbol: name_around(snapshot, file, source, span),
            ..note(source, span)
        },
    })
}

fn note(source: &SourceFile, span: LineSpan) -> Capture {
    let line_hashes = (span.count() <= MAX_HASHED_LINES)
        .then(|| line_hashes(source, span))
        .flatten();
    Capture {
        copies_in_file: copies(source, span),
        line_ending: source.line_ending(),
        line_hashes,
        before: around(
            source,
            span.start().saturating_sub(CONTEXT),
            span.start() - 1,
        ),
        after: around(source, span.end() + 1, span.end().saturating_add(CONTEXT)),
        look_alike: look_alike(source, span),
        copies_elsewhere: None,
        look_alike_elsewhere: None,
        symbol: None,
        zone: Vec::new(),
        commit: None,
        blob: None,
    }
}

/// Returns the short hashes of the lines from `first` to `last`, as far as they exist.
fn around(source: &SourceFile, first: u32, last: u32) -> Option<LineHashes> {
    let span = LineSpan::new(first.max(1), last.min(source.line_count())).ok()?;
    line_hashes(source, span)
}
