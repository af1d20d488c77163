use std::ops::Range;

use super::citation::{Citation, Setting};
use super::document_pieces::{Piece, pieces};
use super::line_starts::Lines;
use super::listed_lines::with_listed;
use super::path_token::{Token, tokens, whole_token};
use super::{fenced_block, link_target};
use crate::params::MAX_CITATIONS;

/// Finds the citations in the Markdown document `text`, in order of their position. Only the first
/// ten thousand are returned.
#[must_use]
pub fn scan(text: &str) -> Vec<Citation> {
    // Parsing Markdown is slow, and most documents without citations lack all of these characters.
    if !text.contains(['#', ':', '`', '~']) {
        return Vec::new();
    }
    let lines = Lines::of(text);
    let mut found: Vec<Citation> = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(range) => found.extend(in_words(text, range, Setting::Text, &lines)),
            Piece::Code(range) => match whole_token(text, range.clone()) {
                Some(token) => found.push(plain(text, token, Setting::Code, &lines)),
                None => found.extend(in_words(text, range, Setting::Code, &lines)),
            },
            Piece::Target(range) => found.extend(in_target(text, range, &lines)),
            Piece::Fence(range, code) => {
                found.extend(fenced_block::citation(
                    text,
                    &range,
                    code.as_deref(),
                    &lines,
                ));
            }
        }
    }
    found.sort_by_key(|citation| (citation.range.start, citation.range.end));
    found.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    found.truncate(MAX_CITATIONS);
    found
}

fn in_words<'a>(
    text: &'a str,
    range: Range<usize>,
    setting: Setting,
    lines: &'a Lines,
) -> impl Iterator<Item = Citation> + use<'a> {
    let tokens = tokens(text, range.clone(), false).into_iter();
    let in_code = setting == Setting::Code;
    let tokens = tokens.flat_map(move |token| with_listed(text, token, &range, in_code));
    tokens.map(move |token| plain(text, token, setting, lines))
}

fn plain(text: &str, token: Token, setting: Setting, lines: &Lines) -> Citation {
    Citation {
        line: lines.number_at(token.range.start),
        path: text[token.written.path.clone()].to_owned(),
        range: token.range,
        lines: Some(token.lines),
        setting,
        excerpt: None,
        written: token.written,
    }
}

/// Parses a link target with lines at its end. Returns `None` for an external target, i.e. one with
/// a scheme or a leading `//`.
fn in_target(text: &str, range: Range<usize>, lines: &Lines) -> Option<Citation> {
    let target = &text[range.clone()];
    if target.contains("://") || target.starts_with("//") || target.starts_with("mailto:") {
        return None;
    }
    let token = whole_token(text, range)?;
    let path = link_target::decoded(&text[token.written.path.clone()])?;
    let plain = plain(text, token, Setting::Link, lines);
    Some(Citation { path, ..plain })
}
