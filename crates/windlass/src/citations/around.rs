//! What stands around a citation: by that it is told from others of the same lines, or on lines that are alike.

use windlass_cite::Citation;

use super::Document;

/// The words of the sentence, or of the row of a table, before `citation`, back to the citation before it.
pub(super) fn words_before<'d>(document: &'d Document, citation: &Citation) -> Vec<&'d str> {
    let end = citation.range.start;
    let before = document.citations.iter().map(|one| one.range.end);
    let other = before.filter(|at| *at <= end).max().unwrap_or(0);
    let text = &document.text[other..end];
    let breaks = [". ", ".\n", "! ", "? ", "\n\n", "\n\r\n", "|\n", "|\r\n"];
    let ends = breaks.iter().filter_map(|one| Some(text.rfind(one)? + 1));
    let text = &text[ends.max().unwrap_or(0)..];
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
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
