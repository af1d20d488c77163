//! Reads an entry's text from the files, line by line, just when we show it.
//!
//! A pack only has locations and hashes. Here, we verify each location again before reading it, so
//! text that has changed since the run is never shown as evidence. Long lines are cut to a window,
//! and the rest of them is available on later pages as pieces.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Entry, Evidence, LineSpan, Pointer, Redacted};
use windlass_evidence::judge;
use windlass_repo::{Snapshot, SourceFile};

use crate::TextPolicy;
use crate::runbook::edit_diff::{DiffLine, DiffSign, EditDiff};
use crate::runbook::long_line::{column, may_be_long, rest, window};
use crate::runbook::verified_entry::verified_place;

/// Maximum number of lines to show at once for a piece of evidence.
pub(crate) const MAX_LINES: u32 = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLine {
    /// Line number, counted from 1.
    pub(crate) number: u32,
    /// Column in the line at which the text starts, counted from 1.
    pub(crate) column: usize,
    pub(crate) text: Redacted,
    /// Number of the line's characters that are not in the text.
    pub(crate) chars_cut: usize,
    /// The sign, for a line in a diff of edited evidence. The number of a removed line is the one
    /// in the captured file.
    pub(crate) sign: Option<DiffSign>,
}

impl TextLine {
    /// Converts a line of a diff. If it is too long, we drop the rest, which no later page shows.
    fn of_diff(line: DiffLine) -> Self {
        let DiffLine { sign, number, text } = line;
        let whole = text.as_str();
        let shown = window(whole, 0);
        Self {
            number,
            column: 1,
            chars_cut: whole[shown.end..].chars().count(),
            text: text.piece(shown),
            sign: Some(sign),
        }
    }
}

/// A piece of evidence with the lines around it, or pieces of its long lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<TextLine>,
    /// True if these are pieces of long lines.
    pub(crate) is_rest: bool,
    /// Number of lines before these, which another page has shown.
    pub(crate) skipped: usize,
    /// Number of lines after these, which are too many to show at once.
    pub(crate) beyond: u32,
    pub(crate) before: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    /// True if the lines around come after the lines themselves, as on a page. In a first view,
    /// it is up to the noise budget if we show them at all.
    pub(crate) around_in_turn: bool,
}

impl Block {
    /// Counts the units that we can show or omit. Each line is one, and all lines around them are
    /// one together.
    pub(crate) fn units(&self) -> usize {
        self.lines.len() + usize::from(self.around_in_turn)
    }

    pub(crate) fn around(&self) -> impl Iterator<Item = &TextLine> {
        self.before.iter().chain(&self.after)
    }
}

/// The lines that we may show for a piece of evidence.
pub(crate) enum Shown<'a> {
    Text(FileLines<'a>),
    /// A comparison of edited evidence with its captured text. We cannot show edited text as
    /// evidence, but we can show how it differs.
    Diff(Vec<TextLine>),
}

pub(crate) struct FileLines<'a> {
    source: Arc<SourceFile>,
    span: LineSpan,
    /// Number of lines of `span` that exist in the file.
    count: u32,
    /// Number of lines by which the evidence has moved down, or up if this is negative.
    shift: i64,
    evidence: &'a Evidence,
}

/// The lines that we may show, for each piece of evidence. This is `None` for evidence that cannot
/// be shown.
pub(crate) fn shown<'a>(
    snapshot: &Snapshot,
    entry: &'a Entry,
    policy: TextPolicy,
) -> Vec<Option<Shown<'a>>> {
    match entry {
        Entry::Observation(_) => Vec::new(),
        Entry::Item(item) => item
            .evidence
            .iter()
            .map(|evidence| Shown::of(snapshot, evidence, policy))
            .collect(),
    }
}

/// True if there are lines too long to show at once.
pub(crate) fn has_rest(snapshot: &Snapshot, entry: &Entry, policy: TextPolicy) -> bool {
    shown(snapshot, entry, policy)
        .iter()
        .flatten()
        .any(|shown| shown.rest().next().is_some())
}

impl<'a> Shown<'a> {
    fn of(snapshot: &Snapshot, evidence: &'a Evidence, policy: TextPolicy) -> Option<Self> {
        if let Some(place) = verified_place(evidence, policy) {
            return FileLines::of(snapshot, evidence, place).map(Self::Text);
        }
        let Evidence {
            pointer,
            judgement,
            capture,
            ..
        } = evidence;
        let diff = match policy {
            TextPolicy::InPlace => None,
            TextPolicy::Repaired => EditDiff::of(snapshot, pointer, capture.as_ref(), judgement),
        };
        diff.map(|diff| Self::Diff(diff.lines.into_iter().map(TextLine::of_diff).collect()))
    }

    pub(crate) fn line_count(&self) -> usize {
        match self {
            Self::Text(lines) => lines.count as usize,
            Self::Diff(lines) => lines.len(),
        }
    }

    /// Number of pieces that [`pieces`](Self::pieces) has to show.
    pub(crate) fn rest_count(&self) -> usize {
        self.rest().count()
    }

    pub(crate) fn has_around(&self, context: u32) -> bool {
        match self {
            Self::Text(lines) => lines.has_around(context),
            Self::Diff(_) => false,
        }
    }

    /// Skips the first `skip` lines. The result includes `context` lines around the evidence,
    /// unless `skip` is larger than the number of lines: in that case, an earlier page has already
    /// shown them.
    pub(crate) fn lines(&self, context: u32, skip: usize) -> Block {
        match self {
            Self::Text(lines) => lines.lines(context, skip),
            Self::Diff(lines) => {
                let skipped = skip.min(lines.len());
                let left = &lines[skipped..];
                let shown = left.len().min(MAX_LINES as usize);
                Block {
                    lines: left[..shown].to_vec(),
                    skipped,
                    beyond: u32::try_from(left.len() - shown).unwrap_or(u32::MAX),
                    ..Block::default()
                }
            }
        }
    }

    /// The pieces of long lines outside of their windows, after skipping the first `skip`.
    pub(crate) fn pieces(&self, skip: usize) -> Block {
        let mut left = self.rest().skip(skip);
        let lines = left.by_ref().take(MAX_LINES as usize);
        let lines = lines.map(|piece| TextLine {
            number: piece.line,
            column: piece.column,
            text: piece.text.piece(piece.range),
            chars_cut: 0,
            sign: None,
        });
        Block {
            lines: lines.collect(),
            is_rest: true,
            skipped: skip,
            beyond: u32::try_from(left.count()).unwrap_or(u32::MAX),
            ..Block::default()
        }
    }

    /// The pieces that are not in any window. A diff does not have any, since its long lines are
    /// just cut.
    fn rest(&self) -> impl Iterator<Item = Piece> {
        let lines = match self {
            Self::Text(lines) => Some(lines),
            Self::Diff(_) => None,
        };
        lines.into_iter().flat_map(FileLines::rest)
    }
}

impl<'a> FileLines<'a> {
    fn of(snapshot: &Snapshot, evidence: &'a Evidence, place: &Pointer) -> Option<Self> {
        // The verdict may be about another state of the file, e.g. from before a checkout. Judge it
        // again, as we must never show text that isn't verified.
        if !judge(snapshot, place, None).is_fresh() {
            return None;
        }
        let Pointer { file, span, .. } = place;
        let source = snapshot.read(file).ok()?;
        let last = span.end().min(source.line_count());
        Some(Self {
            count: if source.is_binary() {
                0
            } else {
                (last + 1).saturating_sub(span.start())
            },
            shift: i64::from(span.start()) - i64::from(evidence.pointer.span.start()),
            span: *span,
            source,
            evidence,
        })
    }

    fn has_around(&self, context: u32) -> bool {
        let is_whole = self.span.start() == 1 && self.span.end() >= self.source.line_count();
        context > 0 && self.count > 0 && !is_whole
    }

    fn lines(&self, context: u32, skip: usize) -> Block {
        let skipped = u32::try_from(skip).unwrap_or(u32::MAX).min(self.count);
        let (first, last) = (self.span.start(), self.span.end());
        let (lines, beyond) = self.excerpt(first + skipped, self.count - skipped);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if self.has_around(context) && beyond == 0 && skip <= self.count as usize {
            let context = context.min(MAX_LINES);
            let start = first.saturating_sub(context).max(1);
            before = self.excerpt(start, first - start).0;
            let end = last.saturating_add(context).min(self.source.line_count());
            after = self.excerpt(last + 1, end.saturating_sub(last)).0;
        }
        Block {
            lines,
            skipped: skipped as usize,
            beyond,
            before,
            after,
            ..Block::default()
        }
    }

    /// Takes as many lines, starting with `first`, as we can show at once. Also returns how many
    /// are left.
    fn excerpt(&self, first: u32, count: u32) -> (Vec<TextLine>, u32) {
        let shown = count.min(MAX_LINES);
        let lines = (first..first + shown).filter_map(|number| self.line(number));
        (lines.collect(), count - shown)
    }

    fn line(&self, number: u32) -> Option<TextLine> {
        let text = self.source.shown().line(number)?;
        let whole = text.as_str();
        // A quick check by bytes, so that we don't count the characters of every line.
        if !may_be_long(whole.len()) {
            return Some(TextLine {
                number,
                column: 1,
                text,
                chars_cut: 0,
                sign: None,
            });
        }
        let window = self.window(number, whole);
        let shown = |part: Range<usize>| whole[part].chars().count();
        Some(TextLine {
            number,
            column: column(whole, window.start),
            chars_cut: shown(0..whole.len()) - shown(window.clone()),
            text: text.piece(window),
            sign: None,
        })
    }

    /// The part of the line that we show first. If the step marked a spot in the line, the part
    /// contains that spot.
    fn window(&self, number: u32, text: &str) -> Range<usize> {
        let of_line = |line: u32| i64::from(line) + self.shift == i64::from(number);
        let mut spots = self.evidence.spots.iter();
        let spot = spots.find(|spot| of_line(spot.line));
        let before = spot.map_or(0, |spot| {
            self.source.shown().len_before(number, spot.column)
        });
        window(text, before)
    }

    fn rest(&self) -> impl Iterator<Item = Piece> {
        let start = self.span.start();
        let long = (start..start + self.count).filter(|line| {
            let bytes = self.source.line(*line).map_or(0, <[u8]>::len);
            // Secret values are replaced with marks, which can make a line longer than it is in the
            // file.
            may_be_long(bytes) || self.source.shown().is_secret_line(*line)
        });
        let texts = long.filter_map(|line| Some((line, self.source.shown().line(line)?)));
        texts.flat_map(|(line, text)| {
            let window = self.window(line, text.as_str());
            let pieces = rest(text.as_str(), &window).into_iter();
            let text = Arc::new(text);
            pieces.map(move |(range, column)| Piece {
                line,
                text: Arc::clone(&text),
                range,
                column,
            })
        })
    }
}

struct Piece {
    line: u32,
    text: Arc<Redacted>,
    /// The range of the piece in `text`, in bytes.
    range: Range<usize>,
    /// The first column of the piece, counted from 1.
    column: usize,
}
