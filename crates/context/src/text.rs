//! Excerpts: lines of a text, with a mark where lines between them are left out.

use sha2::{Digest as _, Sha256};
use windlass_base::{LineSpan, encode_hex};

use crate::SourceSpan;

/// Stands on a line of its own where lines are left out between two parts of an excerpt.
pub const GAP: &str = "…";

/// `sha256:` and the hash of lines joined by LF, as pointers have it.
#[must_use]
pub fn hash_of_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for (at, line) in lines.into_iter().enumerate() {
        if at > 0 {
            hash.update(b"\n");
        }
        hash.update(line);
    }
    let bytes: [u8; 32] = hash.finalize().into();
    format!("sha256:{}", encode_hex(&bytes))
}

/// A part of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// Where its lines stand in the file; nothing for a text that is of no file.
    pub(crate) first: Option<u32>,
    pub(crate) lines: Vec<&'a str>,
    pub(crate) rank: u32,
}

impl<'a> Part<'a> {
    /// The same with its first `count` lines alone.
    pub(crate) fn first_lines(&self, count: usize) -> Part<'a> {
        Part {
            lines: self.lines.iter().take(count).copied().collect(),
            ..*self
        }
    }
}

/// The parts of `excerpt`, whose lines stand where `spans` say. Where these do not fit the text, it is one part.
pub(crate) fn parts<'a>(excerpt: &'a str, spans: &[SourceSpan]) -> Vec<Part<'a>> {
    let lines: Vec<&str> = excerpt.split('\n').collect();
    let mut parts = Vec::with_capacity(spans.len());
    let mut at = 0;
    for span in spans {
        if at > 0 {
            if lines.get(at) != Some(&GAP) {
                return vec![whole(lines)];
            }
            at += 1;
        }
        let end = at + span.lines.count() as usize;
        let Some(own) = lines.get(at..end) else {
            return vec![whole(lines)];
        };
        parts.push(Part {
            first: Some(span.lines.start()),
            lines: own.to_vec(),
            rank: span.rank,
        });
        at = end;
    }
    if parts.is_empty() || at != lines.len() {
        return vec![whole(lines)];
    }
    parts
}

fn whole(lines: Vec<&str>) -> Part<'_> {
    Part {
        first: None,
        lines,
        rank: 0,
    }
}

/// The excerpt that `parts` make, and where its lines stand. Parts without lines are left out.
pub(crate) fn joined(parts: &[Part<'_>]) -> (Option<String>, Vec<SourceSpan>) {
    let shown: Vec<&Part<'_>> = parts.iter().filter(|part| !part.lines.is_empty()).collect();
    if shown.is_empty() {
        return (None, Vec::new());
    }
    let texts: Vec<String> = shown.iter().map(|part| part.lines.join("\n")).collect();
    let spans = shown.iter().filter_map(|part| {
        let first = part.first?;
        let last = first.saturating_add(u32::try_from(part.lines.len()).ok()?) - 1;
        Some(SourceSpan {
            lines: LineSpan::new(first, last).ok()?,
            source_hash: hash_of_lines(part.lines.iter().copied()),
            rank: part.rank,
        })
    });
    let spans = spans.collect();
    (Some(texts.join(&format!("\n{GAP}\n"))), spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(first: u32, lines: &[&'static str]) -> Part<'static> {
        Part {
            first: Some(first),
            lines: lines.to_vec(),
            rank: first,
        }
    }

    #[test]
    fn an_excerpt_is_taken_apart_as_it_was_joined() {
        // A line of the file may look like the mark.
        let all = [part(3, &["a", GAP, "b"]), part(9, &[""]), part(20, &["c"])];
        let (text, spans) = joined(&all);
        let text = text.unwrap();
        assert_eq!(text, "a\n…\nb\n…\n\n…\nc");
        assert_eq!(parts(&text, &spans), all);
        assert_eq!(spans[0].source_hash, hash_of_lines(["a", GAP, "b"]));
    }

    #[test]
    fn a_text_that_does_not_fit_its_lines_is_one_part() {
        let (text, mut spans) = joined(&[part(3, &["a", "b"]), part(9, &["c"])]);
        let text = text.unwrap();
        spans.pop();
        assert_eq!(parts(&text, &spans).len(), 1);
        assert_eq!(parts("x", &[]).len(), 1);
        assert_eq!(joined(&[part(1, &[])]), (None, Vec::new()));
    }
}
