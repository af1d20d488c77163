//! Cuts excerpts out of documents. A long line is reduced to the surroundings of a place.

use std::ops::{Range, RangeInclusive};

use windlass::base::Source;

/// Maximum size of a line to show as a whole, in bytes.
const WHOLE: usize = 400;
/// Number of bytes to show on each side of the start of a place in a long line.
const AROUND: usize = 120;

#[derive(Debug, Default)]
pub(crate) struct Excerpt {
    text: String,
    /// The visible parts of the document, in order, each with its offset in `text`.
    pieces: Vec<(Range<usize>, usize)>,
}

impl Excerpt {
    /// Creates an excerpt of `lines` (1-based). Cuts long lines down to the surroundings of
    /// `spans`.
    pub(crate) fn new(
        source: &Source,
        lines: RangeInclusive<usize>,
        spans: &[Range<usize>],
    ) -> Self {
        let mut excerpt = Self::default();
        for line in lines {
            if !excerpt.pieces.is_empty() {
                excerpt.text.push('\n');
            }
            excerpt.line(source.text(), source.line_range(line), spans);
        }
        excerpt
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Translates a byte range of the document to one in `text`. Omitted bytes map to the nearest
    /// position.
    pub(crate) fn locate(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.offset(span.start);
        start..self.offset(span.end).max(start)
    }

    fn offset(&self, byte: usize) -> usize {
        let before = self
            .pieces
            .partition_point(|(piece, _)| piece.start <= byte);
        let piece = before.checked_sub(1).and_then(|at| self.pieces.get(at));
        piece.map_or(0, |(piece, at)| at + byte.min(piece.end) - piece.start)
    }

    fn line(&mut self, text: &str, line: Range<usize>, spans: &[Range<usize>]) {
        let mut shown = line.start;
        for piece in pieces(text, &line, spans) {
            if piece.start > shown {
                self.text.push('…');
            }
            shown = piece.end;
            self.pieces.push((piece.clone(), self.text.len()));
            self.text.push_str(text.get(piece).unwrap_or(""));
        }
        if shown < line.end {
            self.text.push('…');
        }
    }
}

/// Returns the parts of a line to show, sorted, without overlaps, and never empty.
fn pieces(text: &str, line: &Range<usize>, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    if line.len() <= WHOLE {
        return vec![line.clone()];
    }
    let starts = spans.iter().map(|span| span.start);
    let mut starts: Vec<_> = starts
        .filter(|start| (line.start..=line.end).contains(start))
        .collect();
    // None of the places starts in this line, so show its beginning.
    if starts.is_empty() {
        starts.push(line.start);
    }
    starts.sort_unstable();
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for start in starts {
        let from = text.floor_char_boundary(start.saturating_sub(AROUND).max(line.start));
        let to = text.ceil_char_boundary((start + AROUND).min(line.end));
        match pieces.last_mut() {
            Some(last) if from <= last.end => last.end = to,
            _ => pieces.push(from..to),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, spans: &[Range<usize>]) -> (String, Vec<String>) {
        let source = Source::new("x.yaml", text);
        let last = text.split('\n').count();
        let excerpt = Excerpt::new(&source, 1..=last, spans);
        let located = spans.iter().map(|span| excerpt.locate(span));
        let located = located
            .map(|span| excerpt.text()[span].to_owned())
            .collect();
        (excerpt.text().to_owned(), located)
    }

    #[test]
    fn short_line_is_whole() {
        let text = "a: ü\nbc: d\n";
        let (excerpt, spans) = shown(text, &[3..5, 6..8]);
        assert_eq!(excerpt, text);
        assert_eq!(spans, ["ü", "bc"]);
    }

    #[test]
    fn long_line_is_cut_around_places() {
        let long = "ü€".repeat(100_000);
        let text = format!("{long}[one]{long}[two]{long}\n{long}\nend");
        let one = long.len()..long.len() + 5;
        let two = 2 * long.len() + 5..2 * long.len() + 10;
        let (excerpt, spans) = shown(&text, &[two, one.clone(), one.start..text.len()]);
        assert!(excerpt.len() < 5 * AROUND + WHOLE, "{}", excerpt.len());
        assert_eq!(spans[..2], ["[two]", "[one]"]);
        assert!(spans[2].starts_with("[one]ü€"));
        let lines: Vec<&str> = excerpt.split('\n').collect();
        assert_eq!(lines[0].matches('…').count(), 3);
        assert!(lines[0].starts_with('…') && lines[0].ends_with('…'));
        assert!(lines[1].starts_with("ü€") && lines[1].ends_with('…'));
        assert_eq!(lines[2], "end");
    }

    #[test]
    fn nearby_places_share_a_piece() {
        let text = format!("one two {}", "x".repeat(WHOLE));
        let (excerpt, spans) = shown(&text, &[4..7, 0..3]);
        assert_eq!(spans, ["two", "one"]);
        assert_eq!(excerpt.matches('…').count(), 1);
    }
}
