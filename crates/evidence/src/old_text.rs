//! Old text: a text as it was captured, or as it was committed after its capture. It is read from git and verified by
//! its hash.

use std::sync::Arc;

use windlass_base::{Capture, LineSpan, Pointer, SourceHash};
use windlass_repo::{BlobChange, Snapshot, SourceFile};

use crate::capture::line_hashes::positions;
use crate::capture::shift::copies;
use crate::shared::text_of;
use crate::text::{Part, Range, Text};

/// Captured text, with its whole file at that time.
#[derive(Debug)]
pub(crate) struct OldText {
    pub(crate) text: Arc<Text>,
    /// Lines of the text in that file.
    pub(crate) lines: Range,
    /// Commit that contains the file.
    pub(crate) commit: String,
    /// Blob id of the file. `None` if the capture did not record it.
    pub(crate) blob: Option<String>,
}

/// Committed file that contains the text.
struct Then {
    file: Arc<SourceFile>,
    lines: Range,
    commit: String,
    blob: Option<String>,
}

impl OldText {
    /// Reads the old text that `capture` recorded. Returns the reason if this is not possible.
    pub(crate) fn of(
        snapshot: &Snapshot,
        pointer: &Pointer,
        capture: &Capture,
    ) -> Result<Self, String> {
        let Then {
            file,
            lines,
            commit,
            blob,
        } = Self::found(snapshot, pointer, capture)
            .or_else(|why| Self::committed_next(snapshot, pointer, capture).ok_or(why))?;
        let text =
            text_of(snapshot, &file).ok_or("the old file is binary or too large to compare")?;
        Ok(Self {
            text,
            lines,
            commit,
            blob,
        })
    }

    /// True if the commit of `capture` contains the text.
    pub(crate) fn is_committed(snapshot: &Snapshot, pointer: &Pointer, capture: &Capture) -> bool {
        Self::found(snapshot, pointer, capture).is_ok()
    }

    /// Returns the committed file that contains the captured text, and the lines of the text in it.
    pub(crate) fn committed(
        snapshot: &Snapshot,
        pointer: &Pointer,
        capture: &Capture,
    ) -> Option<(Arc<SourceFile>, LineSpan)> {
        let then = Self::found(snapshot, pointer, capture)
            .ok()
            .or_else(|| Self::committed_next(snapshot, pointer, capture))?;
        Some((then.file, then.lines.span()?))
    }

    fn found(snapshot: &Snapshot, pointer: &Pointer, capture: &Capture) -> Result<Then, String> {
        let Some(commit) = &capture.commit else {
            return Err("no commit was noted when it was captured".to_owned());
        };
        let blob = capture.blob.as_deref();
        let file = snapshot
            .history()
            .file(commit, blob, &pointer.file)
            .map_err(|why| why.to_string())?;
        let lines = Self::place(&file, pointer, capture)
            .ok_or("the commit noted when it was captured does not have its text")?;
        Ok(Then {
            file,
            lines,
            commit: commit.clone(),
            blob: capture.blob.clone(),
        })
    }

    /// Returns the text from the first commit after the capture that changed its file. The text may have been captured
    /// before it was committed.
    fn committed_next(snapshot: &Snapshot, pointer: &Pointer, capture: &Capture) -> Option<Then> {
        let steps = snapshot
            .history()
            .steps_since(capture.commit.as_deref()?)
            .ok()?;
        let (commit, blob) = steps.iter().find_map(|step| {
            let to =
                |change: &BlobChange| Some(change.to.clone()?).filter(|to| to.path == pointer.file);
            Some((
                step.commit.to_string(),
                step.changes.iter().find_map(to)?.blob,
            ))
        })?;
        let file = snapshot.history().file(&commit, None, &pointer.file).ok()?;
        let lines = Self::place(&file, pointer, capture)?;
        Some(Then {
            file,
            lines,
            commit,
            blob: Some(blob.to_string()),
        })
    }

    /// Returns the location of the captured text in the committed file. It differs from the captured location if the
    /// file had uncommitted changes. A copy inside these changes is not the committed text.
    fn place(file: &Arc<SourceFile>, pointer: &Pointer, capture: &Capture) -> Option<Range> {
        let hash = pointer
            .source_hash
            .filter(|hash| matches!(hash, SourceHash::Span(_)))?;
        let is_one_of_them =
            |span| capture.copies_in_file <= 1 || copies(file, span) == capture.copies_in_file;
        if file.has_span_hash(pointer.span, hash) {
            return is_one_of_them(pointer.span).then(|| Range::of(pointer.span));
        }
        let wanted = capture.line_hashes.as_ref()?.as_slice();
        let mut places = positions(file.line_table(), wanted).take(2);
        let (first, second) = (places.next()?, places.next());
        let lines = Range {
            start: first,
            end: first + wanted.len(),
        };
        let is_it = || {
            let span = lines.span()?;
            (file.has_span_hash(span, hash) && is_one_of_them(span)).then_some(lines)
        };
        if second.is_some() { None } else { is_it() }
    }

    /// Returns the text as a part of its file, for alignments.
    pub(crate) fn part(&self) -> Part<'_> {
        Part {
            text: &self.text,
            lines: self.lines,
        }
    }

    /// Returns the keys of the text's lines.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.text.keys()[self.lines.start..self.lines.end]
    }

    /// Converts a weight to percent of the text's weight.
    pub(crate) fn percent(&self, weight: u32) -> u32 {
        let all = u64::from(self.text.weight_of(self.lines));
        let percent = (u64::from(weight) * 100).checked_div(all).unwrap_or(0);
        u32::try_from(percent).unwrap_or(100)
    }
}
