//! Reads an entry's text from the files at the moment it's shown, line by line.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Entry, Evidence, LineSpan, Pointer, Redacted};
use windlass_evidence::judge;
use windlass_repo::{Snapshot, SourceFile};

use crate::TextPolicy;
use crate::runbook::edit_diff::{DiffLine, DiffSign, EditDiff};
use crate::runbook::long_line::{column, may_be_long, rest, window};
use crate::runbook::verified_entry::verified_place;

/// Maximum number of lines shown at once for a piece of evidence.
pub(crate) const MAX_LINES: u32 = 400;

/// A line of a file, or a piece of a long line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLine {
    /// Line number, from 1.
    pub(crate) number: u32,
    /// First column of the text within the line, from 1.
    pub(crate) column: usize,
    pub(crate) text: Redacted,
    /// Number of the line's characters missing from the text.
    pub(crate) chars_cut: usize,
    /// The line's sign in a diff of edited evidence. A removed line has its number in the captured
    /// file.
    pub(crate) sign: Option<DiffSign>,
}

impl TextLine {
    /// Converts a line of a diff. A long line loses its end.
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

/// The text of a piece of evidence with its surrounding lines, or pieces of its long lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<TextLine>,
    /// True if the lines are pieces of long lines.
    pub(crate) is_rest: bool,
    /// Number of lines before these, shown by another page.
    pub(crate) skipped: usize,
    /// Number of lines after these, beyond the maximum shown at once.
    pub(crate) beyond: u32,
    pub(crate) before: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    /// True if the surrounding lines come after the lines, as on a page. A first view shows them
    /// only as far as the noise budget allows.
    pub(crate) around_in_turn: bool,
}

impl Block {
    /// Returns the number of units to show. Each line is a unit, and so are all surrounding lines
    /// together.
    pub(crate) fn units(&self) -> usize {
        self.lines.len() + usize::from(self.around_in_turn)
    }

    /// Returns the surrounding lines.
    pub(crate) fn around(&self) -> impl Iterator<Item = &TextLine> {
        self.before.iter().chain(&self.after)
    }
}

/// The lines that may be shown for a piece of evidence.
pub(crate) enum Shown<'a> {
    /// Verified lines of a file.
    Text(FileLines<'a>),
    /// Differences between edited evidence and its captured text.
    Diff(Vec<TextLine>),
}

/// Verified lines of a file.
pub(crate) struct FileLines<'a> {
    source: Arc<SourceFile>,
    span: LineSpan,
    /// Number of lines of `span` that exist in the file.
    count: u32,
    /// Number of lines by which the evidence has moved down.
    shift: i64,
    evidence: &'a Evidence,
}

/// Returns the lines that may be shown for each piece of evidence in `entry`.
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

/// Returns true if `entry` has lines too long to be shown at once.
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

    /// Returns the number of lines.
    pub(crate) fn line_count(&self) -> usize {
        match self {
            Self::Text(lines) => lines.count as usize,
            Self::Diff(lines) => lines.len(),
        }
    }

    /// Returns the number of pieces of long lines outside of their windows.
    pub(crate) fn rest_count(&self) -> usize {
        self.rest().count()
    }

    /// Returns true if there are surrounding lines.
    pub(crate) fn has_around(&self, context: u32) -> bool {
        match self {
            Self::Text(lines) => lines.has_around(context),
            Self::Diff(_) => false,
        }
    }

    /// Returns the lines after the first `skip`, with `context` lines around them. If `skip`
    /// exceeds the number of lines, the surrounding lines are skipped as well.
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

    /// Returns the pieces of long lines outside of their windows, after the first `skip` pieces.
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

    /// Returns the pieces of long lines. A diff has none, because its long lines are simply cut.
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
        // The verdict may be about another state of the file, whose text we must not show.
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

    /// Returns as many of the `count` lines from `first` as are shown at once, and the number of
    /// lines left over.
    fn excerpt(&self, first: u32, count: u32) -> (Vec<TextLine>, u32) {
        let shown = count.min(MAX_LINES);
        let lines = (first..first + shown).filter_map(|number| self.line(number));
        (lines.collect(), count - shown)
    }

    fn line(&self, number: u32) -> Option<TextLine> {
        let text = self.source.shown().line(number)?;
        let whole = text.as_str();
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

    /// Returns the part of line `number` that is shown first, given the line's `text`.
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
            // Marks for secret values can make a line longer than it is in the file.
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

/// A piece of a long line.
struct Piece {
    line: u32,
    /// The whole line's text.
    text: Arc<Redacted>,
    /// The piece's byte range.
    range: Range<usize>,
    /// The piece's first column, from 1.
    column: usize,
}
