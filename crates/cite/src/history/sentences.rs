//! The words around citations. They distinguish citations of the same lines, or on similar lines.

use crate::scanner::Citation;

use crate::cited_document::Document;
use crate::params::MAX_SENTENCE;

/// Texts at the end of a sentence or a table row, or at the start of a list item.
const BREAKS: [&str; 14] = [
    ". ", ".\n", ".\r\n", "! ", "? ", "\n\n", "\n\r\n", "|\n", "|\r\n", "\n- ", "\n* ", "\n+ ",
    "\n#", "\n> ",
];

/// The words between the previous citation and `citation`, within its sentence or table row.
pub(super) fn words_before<'d>(document: &'d Document, citation: &Citation) -> Vec<&'d str> {
    let end = citation.range.start;
    let before = document.citations.iter().map(|one| one.range.end);
    let other = before.filter(|at| *at <= end).max().unwrap_or(0);
    words(&document.text[other.max(start_of_sentence(document, end))..end]).collect()
}

/// The words of the sentence or table row around `citation`, and the number of them before it.
/// Other citations and line breaks aren't included.
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

/// Finds the start of the sentence around the byte offset `at`, at most [`MAX_SENTENCE`] bytes
/// back.
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

/// Finds the nearest line above `citation` with text but no citation. For a list of links, this is
/// the heading or the introduction.
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
