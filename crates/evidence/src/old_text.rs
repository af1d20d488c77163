//! Captured texts, read from git and verified by their hash.
//!
//! Usually the commit of the capture has the text. If the text was captured before it was
//! committed, the next commit that changed its file may have it.

use std::sync::Arc;

use windlass_base::{Capture, LineSpan, Pointer, SourceHash};
use windlass_repo::{BlobChange, Snapshot, SourceFile};

use crate::alignment::Alignment;
use crate::capture::line_hashes::positions;
use crate::capture::shift::copies;
use crate::shared::text_of;
use crate::text::{Part, Range, Text};

/// A captured text in the committed file that contains it.
#[derive(Debug)]
pub(crate) struct OldText {
    pub(crate) text: Arc<Text>,
    pub(crate) lines: Range,
    pub(crate) commit: String,
    pub(crate) blob: Option<String>,
}

/// Returns the committed file that contains the captured text of `pointer`, and the lines of the
/// text in it.
///
/// Returns `None` if git does not have the text, for example because it was never committed.
#[must_use]
pub fn captured_text(
    snapshot: &Snapshot,
    pointer: &Pointer,
    capture: &Capture,
) -> Option<(Arc<SourceFile>, LineSpan)> {
    let then = OldText::found_or_next(snapshot, pointer, capture).ok()?;
    Some((then.file, then.lines.span()?))
}

/// An [`OldText`] whose file has not been prepared for comparison.
struct Then {
    file: Arc<SourceFile>,
    lines: Range,
    commit: String,
    blob: Option<String>,
}

impl OldText {
    /// Reads the captured text from git.
    ///
    /// # Errors
    /// Returns the reason if git does not have the text or its file cannot be compared.
    pub(crate) fn of(
        snapshot: &Snapshot,
        pointer: &Pointer,
        capture: &Capture,
    ) -> Result<Self, String> {
        let then = Self::found_or_next(snapshot, pointer, capture)?;
        let text = text_of(snapshot, &then.file);
        Ok(Self {
            text: text.ok_or("the old file is binary or too large to compare")?,
            lines: then.lines,
            commit: then.commit,
            blob: then.blob,
        })
    }

    fn found_or_next(
        snapshot: &Snapshot,
        pointer: &Pointer,
        capture: &Capture,
    ) -> Result<Then, String> {
        let found = Self::found(snapshot, pointer, capture);
        found.or_else(|why| Self::committed_next(snapshot, pointer, capture).ok_or(why))
    }

    /// Returns true if the commit of `capture` has the text, rather than only the working tree.
    pub(crate) fn is_committed(snapshot: &Snapshot, pointer: &Pointer, capture: &Capture) -> bool {
        Self::found(snapshot, pointer, capture).is_ok()
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

    /// Reads the text from the first commit after the capture that changed its file.
    ///
    /// If the text was captured before it was committed, this is usually the commit that has it.
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

    /// Returns the lines of the captured text in the committed file.
    ///
    /// They differ from the captured lines if the file had uncommitted changes above them.
    fn place(file: &Arc<SourceFile>, pointer: &Pointer, capture: &Capture) -> Option<Range> {
        let hash = pointer
            .source_hash
            .filter(|hash| matches!(hash, SourceHash::Span(_)))?;
        // If the working tree had more copies of the text than the committed file, the captured one
        // may not have been committed.
        let is_one_of_them =
            |span| capture.copies_in_file <= 1 || copies(file, span) == capture.copies_in_file;
        if file.has_span_hash(pointer.span, hash) {
            return is_one_of_them(pointer.span).then(|| Range::of(pointer.span));
        }
        // The text is further up or down, so look for it by its hashes. We couldn't choose between
        // two matches.
        let wanted = capture.line_hashes.as_ref()?.as_slice();
        let mut places = positions(file.line_table(), wanted).take(2);
        let (first, second) = (places.next()?, places.next());
        let lines = Range::new(first, first + wanted.len());
        let is_it = || {
            let span = lines.span()?;
            (file.has_span_hash(span, hash) && is_one_of_them(span)).then_some(lines)
        };
        if second.is_some() { None } else { is_it() }
    }

    pub(crate) fn part(&self) -> Part<'_> {
        Part::new(&self.text, self.lines)
    }

    /// Returns how much of the lines `place` of `text` comes from the old text, in percent.
    pub(crate) fn explains(&self, text: &Text, place: Range) -> u32 {
        let there = Part::new(text, place);
        Alignment::of(self.part(), there, |_| true).share_of_other(there)
    }

    pub(crate) fn keys(&self) -> &[u64] {
        &self.text.keys()[self.lines.start..self.lines.end]
    }

    /// Converts a weight to percent of the weight of the text.
    pub(crate) fn percent(&self, weight: u32) -> u32 {
        let all = u64::from(self.text.weight_of(self.lines));
        let percent = (u64::from(weight) * 100).checked_div(all).unwrap_or(0);
        u32::try_from(percent).unwrap_or(100)
    }
}
