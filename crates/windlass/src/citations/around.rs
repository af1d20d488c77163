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

/// The line above `line` (from 0) of a document that is neither blank nor the same as it but for what they cite: the heading, or the words
/// that lead to it. `lines` are those of the document, and `bare` the same without what is cited on them.
pub(super) fn line_above<'d>(lines: &[&'d str], bare: &[String], line: usize) -> Option<&'d str> {
    let own = bare.get(line)?;
    let mut above = lines[..line].iter().zip(&bare[..line]).rev();
    above
        .find(|(text, bare)| !text.trim().is_empty() && *bare != own)
        .map(|(text, _)| *text)
}
