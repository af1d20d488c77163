//! The words around citations. They help to tell apart citations of the same lines, or citations on
//! similar lines.

use crate::scanner::Citation;

use crate::cited_document::Document;
use crate::params::MAX_SENTENCE;

/// Texts that end a sentence or a table row, or begin a list item.
const BREAKS: [&str; 14] = [
    ". ", ".\n", ".\r\n", "! ", "? ", "\n\n", "\n\r\n", "|\n", "|\r\n", "\n- ", "\n* ", "\n+ ",
    "\n#", "\n> ",
];

/// Returns the words before `citation` in its sentence or table row, back to the previous citation.
pub(super) fn words_before<'d>(document: &'d Document, citation: &Citation) -> Vec<&'d str> {
    let end = citation.range.start;
    let before = document.citations.iter().map(|one| one.range.end);
    let other = before.filter(|at| *at <= end).max().unwrap_or(0);
    words(&document.text[other.max(start_of_sentence(document, end))..end]).collect()
}

/// Returns the words in the sentence or table row of `citation`, without citations and line breaks.
/// Also returns the number of words in front of the citation.
pub(super) fn sentence<'d>(document: &'d Document, citation: &Citation) -> (Vec<&'d str>, usize) {
    let start = start_of_sentence(document, citation.range.start);
    let (from, text) = (citation.range.end, &document.text);
    let after = &text[from..text.floor_char_boundary(from.saturating_add(MAX_SENTENCE))];
    let ends = BREAKS.iter().filter_map(|one| after.find(one));
    let end = from + ends.min().unwrap_or(after.len());
    let (mut found, mut before, mut done) = (Vec::new(), 0, start);
    let cited = document.citations.iter().map(|one| &one.range);
    let first = document
        .citations
        .partition_point(|one| one.range.start < start);
    for range in cited.skip(first).take_while(|range| range.end <= end) {
        if range.start >= done {
            found.extend(words(&document.text[done..range.start]));
            done = range.end;
            if *range == citation.range {
                before = found.len();
            }
        }
    }
    found.extend(words(&document.text[done..end]));
    (found, before)
}

/// Returns the start of the sentence around the byte offset `at`.
fn start_of_sentence(document: &Document, at: usize) -> usize {
    let first = document
        .text
        .floor_char_boundary(at.saturating_sub(MAX_SENTENCE));
    let text = &document.text[first..at];
    let ends = BREAKS.iter().filter_map(|one| Some(text.rfind(one)? + 1));
    first + ends.max().unwrap_or(0)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Returns the nearest line above `citation` that isn't empty and has no citation, which is its
/// heading or introduction.
pub(super) fn line_above<'d>(document: &'d Document, citation: &Citation) -> Option<&'d str> {
    let end = document.text[..citation.range.start].rfind('\n')?;
    let cites = |line: u32| {
        let citations = &document.citations;
        citations
            .binary_search_by_key(&line, |one| one.line)
            .is_ok()
    };
    let above = document.text[..end].rsplit('\n').map(str::trim_end);
    let mut numbered = (1..citation.line).rev().zip(above);
    let found = numbered.find(|(number, line)| !line.is_empty() && !cites(*number));
    found.map(|(_, line)| line)
}
