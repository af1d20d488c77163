//! The text of an entry, line by line, taken from the files at the moment it is shown.

use std::ops::Range;
use std::sync::Arc;

use windlass_base::{Entry, Evidence, LineSpan, Pointer, Redacted};
use windlass_evidence::judge;
use windlass_repo::{Snapshot, SourceFile};

use crate::TextPolicy;
use crate::runbook::long_line::{column, may_be_long, rest, window};
use crate::runbook::verified_entry::verified_place;

/// The most lines of one piece of evidence that are shown at once.
pub(crate) const MAX_LINES: u32 = 400;

/// A line of a file, or a piece of one that is long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLine {
    /// From 1.
    pub(crate) number: u32,
    /// The character of the line that the text begins with, from 1.
    pub(crate) column: usize,
    pub(crate) text: Redacted,
    /// How many characters of the line the text leaves out.
    pub(crate) chars_cut: usize,
}

/// The text of one piece of evidence, and of what stands around it; or pieces of its long lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<TextLine>,
    /// Whether the lines are pieces of long lines.
    pub(crate) is_rest: bool,
    /// How many of them come before, shown on another page.
    pub(crate) skipped: usize,
    /// How many of them are not even candidates.
    pub(crate) beyond: u32,
    pub(crate) before: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
    /// Whether what stands around them is shown in its turn, after the lines: on a page. A first view shows it as far
    /// as the noise budget allows.
    pub(crate) around_in_turn: bool,
}

impl Block {
    /// How many things it has to show in their turn: lines, and what stands around them as one.
    pub(crate) fn units(&self) -> usize {
        self.lines.len() + usize::from(self.around_in_turn)
    }

    /// What stands around its lines.
    pub(crate) fn around(&self) -> impl Iterator<Item = &TextLine> {
        self.before.iter().chain(&self.after)
    }
}

/// Lines of a file that may be shown as evidence.
pub(crate) struct Shown<'a> {
    source: Arc<SourceFile>,
    span: LineSpan,
    /// How many lines of the span the file has.
    count: u32,
    /// How far the evidence moved.
    shift: i64,
    evidence: &'a Evidence,
}

/// For each piece of evidence of `entry` the lines that may be shown, if there are any.
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

/// Whether `entry` has lines that are too long to be shown at once.
pub(crate) fn has_rest(snapshot: &Snapshot, entry: &Entry, policy: TextPolicy) -> bool {
    shown(snapshot, entry, policy)
        .iter()
        .flatten()
        .any(|shown| shown.rest().next().is_some())
}

impl<'a> Shown<'a> {
    fn of(snapshot: &Snapshot, evidence: &'a Evidence, policy: TextPolicy) -> Option<Self> {
        let place = verified_place(evidence, policy)?;
        // Whoever judged it may have seen another state of the file.
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

    /// How many lines there are.
    pub(crate) fn line_count(&self) -> usize {
        self.count as usize
    }

    /// How many pieces there are beside the lines.
    pub(crate) fn rest_count(&self) -> usize {
        self.rest().count()
    }

    /// Whether something stands around them that helps to read them.
    pub(crate) fn has_around(&self, context: u32) -> bool {
        let is_whole = self.span.start() == 1 && self.span.end() >= self.source.line_count();
        context > 0 && self.count > 0 && !is_whole
    }

    /// The lines after the first `skip`, and `context` lines around them; `skip` may count those as well, as one.
    pub(crate) fn lines(&self, context: u32, skip: usize) -> Block {
        let skipped = u32::try_from(skip).unwrap_or(u32::MAX).min(self.count);
        let (first, last) = (self.span.start(), self.span.end());
        let (lines, beyond) = self.excerpt(first + skipped, self.count - skipped);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if self.has_around(context) && beyond == 0 && skip <= self.line_count() {
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

    /// `count` lines from `first`, as far as they are shown at once, and how many are not.
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
            });
        }
        let window = self.window(number, whole);
        let shown = |part: Range<usize>| whole[part].chars().count();
        Some(TextLine {
            number,
            column: column(whole, window.start),
            chars_cut: shown(0..whole.len()) - shown(window.clone()),
            text: text.piece(window),
        })
    }

    /// What is shown first of line `number`, which is `text`.
    fn window(&self, number: u32, text: &str) -> Range<usize> {
        let of_line = |line: u32| i64::from(line) + self.shift == i64::from(number);
        let mut spots = self.evidence.spots.iter();
        let spot = spots.find(|spot| of_line(spot.line));
        let before = spot.map_or(0, |spot| {
            self.source.shown().len_before(number, spot.column)
        });
        window(text, before)
    }

    /// The pieces of its long lines that are not shown with the lines, after the first `skip`.
    pub(crate) fn pieces(&self, skip: usize) -> Block {
        let mut left = self.rest().skip(skip);
        let lines = left.by_ref().take(MAX_LINES as usize);
        let lines = lines.map(|piece| TextLine {
            number: piece.line,
            column: piece.column,
            text: piece.text.piece(piece.range),
            chars_cut: 0,
        });
        Block {
            lines: lines.collect(),
            is_rest: true,
            skipped: skip,
            beyond: u32::try_from(left.count()).unwrap_or(u32::MAX),
            ..Block::default()
        }
    }

    fn rest(&self) -> impl Iterator<Item = Piece> {
        let start = self.span.start();
        let long = (start..start + self.count).filter(|line| {
            let bytes = self.source.line(*line).map_or(0, <[u8]>::len);
            // The marks for secret values may make a line longer.
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
    /// The whole line.
    text: Arc<Redacted>,
    /// The bytes of it that the piece has.
    range: Range<usize>,
    /// The character that it begins with, from 1.
    column: usize,
}
