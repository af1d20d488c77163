use windlass_base::{Capture, LineSpan, Pointer, RepoPath, counted};
use windlass_repo::{Refusal, Snapshot, SourceFile};

use crate::line_hashes::line_hashes;
use crate::shift::copies;

/// Spans of more lines are captured without line hashes, to keep a notebook small.
const MAX_HASHED_LINES: u32 = 400;

/// A pointer, and what was noted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The pointer, with the hash of its lines.
    pub pointer: Pointer,
    /// What later proof needs.
    pub capture: Capture,
}

/// Why a place cannot be captured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaptureError {
    /// The file cannot be read.
    #[error("`{file}` cannot be captured: {refusal}")]
    Refused {
        /// The file.
        file: RepoPath,
        /// Why not.
        refusal: Refusal,
    },
    /// It holds no lines of text.
    #[error("`{file}` cannot be captured: it is binary")]
    Binary {
        /// The file.
        file: RepoPath,
    },
    /// It is shorter.
    #[error("`{file}` has {}, so lines {span} are not in it", counted(*.lines, "line"))]
    OutsideFile {
        /// The file.
        file: RepoPath,
        /// The lines asked for.
        span: LineSpan,
        /// How many lines the file has.
        lines: u32,
    },
}

/// Captures lines `span` of `file` as they are now.
///
/// # Errors
/// When the file cannot be read, is binary, or has no such lines.
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
    if source.is_binary() {
        return Err(CaptureError::Binary { file: file.clone() });
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
    Ok(Captured {
        pointer,
        capture: note(&source, span),
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
    }
}
