//! The text of an entry, line by line, taken from the files at the moment it is shown.

use windlass_base::{Entry, Evidence, LineSpan, Pointer, Redacted};
use windlass_evidence::judge;
use windlass_repo::{ExcerptLimits, Snapshot};

use crate::TextPolicy;
use crate::verify::verified_place;

/// The most lines of one piece of evidence that are shown at once.
pub(crate) const MAX_LINES: u32 = 400;
/// The most characters of one line that are ever shown.
const MAX_LINE_CHARS: usize = 400;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLine {
    /// From 1.
    pub(crate) number: u32,
    pub(crate) text: Redacted,
}

/// The text of one piece of evidence, and of what stands around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) lines: Vec<TextLine>,
    /// How many lines of the evidence come before them, shown on another page.
    pub(crate) skipped: usize,
    /// How many lines of the evidence are not even candidates.
    pub(crate) beyond: u32,
    pub(crate) before: Vec<TextLine>,
    pub(crate) after: Vec<TextLine>,
}

/// One block for each piece of evidence of `entry`, without the first lines of each that `skip` says; empty
/// where nothing may be shown.
pub(crate) fn blocks(
    snapshot: &Snapshot,
    entry: &Entry,
    policy: TextPolicy,
    skip: impl Fn(usize) -> usize,
) -> Vec<Block> {
    match entry {
        Entry::Observation(_) => Vec::new(),
        Entry::Item(item) => item
            .evidence
            .iter()
            .enumerate()
            .map(|(at, evidence)| block(snapshot, evidence, item.context, policy, skip(at)))
            .collect(),
    }
}

/// How many lines each piece of evidence of `entry` has that may be shown.
pub(crate) fn line_counts(snapshot: &Snapshot, entry: &Entry, policy: TextPolicy) -> Vec<usize> {
    let blocks = blocks(snapshot, entry, policy, |_| usize::MAX);
    blocks.iter().map(|block| block.skipped).collect()
}

fn block(
    snapshot: &Snapshot,
    evidence: &Evidence,
    context: u32,
    policy: TextPolicy,
    skip: usize,
) -> Block {
    let Some(place) = verified_place(evidence, policy) else {
        return Block::default();
    };
    let Pointer { file, span, .. } = place;
    // Whoever judged it may have seen another state of the file.
    if !judge(snapshot, place, None).is_fresh() {
        return Block::default();
    }
    let Ok(source) = snapshot.read(file) else {
        return Block::default();
    };
    let lines = |first: u32, last: u32| {
        let Ok(span) = LineSpan::new(first, last.min(source.line_count())) else {
            return (Vec::new(), 0);
        };
        let limits = ExcerptLimits {
            max_lines: MAX_LINES,
            max_chars: usize::MAX,
            max_line_chars: MAX_LINE_CHARS,
        };
        let excerpt = source.excerpt(span, limits);
        let shown = (span.count() - excerpt.lines_cut) as usize;
        let lines = excerpt.text.lines().take(shown).zip(first..);
        (
            lines
                .map(|(text, number)| TextLine { number, text })
                .collect(),
            excerpt.lines_cut,
        )
    };
    let all = span
        .end()
        .min(source.line_count())
        .saturating_sub(span.start())
        + 1;
    let skipped = u32::try_from(skip).unwrap_or(u32::MAX).min(all);
    let (own, beyond) = if skipped == all {
        (Vec::new(), 0)
    } else {
        lines(span.start() + skipped, span.end())
    };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    if context > 0 && beyond == 0 && skipped == 0 {
        before = lines(
            span.start().saturating_sub(context).max(1),
            span.start() - 1,
        )
        .0;
        after = lines(span.end() + 1, span.end().saturating_add(context)).0;
    }
    Block {
        lines: own,
        skipped: skipped as usize,
        beyond,
        before,
        after,
    }
}
