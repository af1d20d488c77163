//! What stands around a citation: by that it is told from others of the same lines, or on lines that are alike.

use crate::scanner::Citation;

use crate::cited_document::Document;
use crate::params::MAX_SENTENCE;

/// What ends a sentence, a row of a table, or what stands before an item of a list.
const BREAKS: [&str; 14] = [
    ". ", ".\n", ".\r\n", "! ", "? ", "\n\n", "\n\r\n", "|\n", "|\r\n", "\n- ", "\n* ", "\n+ ",
    "\n#", "\n> ",
];

/// The words of the sentence, or of the row of a table, before `citation`, back to the citation before it.
pub(super) fn words_before<'d>(document: &'d Document, citation: &Citation) -> Vec<&'d str> {
    let end = citation.range.start;
    let before = document.citations.iter().map(|one| one.range.end);
    let other = before.filter(|at| *at <= end).max().unwrap_or(0);
    words(&document.text[other.max(start_of_sentence(document, end))..end]).collect()
}

/// The words of the sentence, or of the row of a table, that `citation` stands in, without what is cited there, however its lines are
/// broken; and how many of them stand before it.
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

/// Where the sentence begins that the byte `at` stands in.
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

/// The nearest line above `citation` that says something and cites nothing: the heading, or the words that lead to it.
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
