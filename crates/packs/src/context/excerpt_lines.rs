//! Excerpts: some lines of a text, with a mark where lines are left out.
//!
//! An excerpt is stored as plain text, because that is what readers see. To split it again, we need
//! the line numbers of its parts, which are in the origin.

use sha2::{Digest as _, Sha256};
use windlass_base::{LineSpan, encode_hex};

use crate::context::SourceSpan;

/// The line that stands for lines left out between two parts. If a part directly follows another
/// one, there is no such line.
pub const GAP: &str = "…";

/// Computes `sha256:` and the hash of the lines, joined by LF. Since pointers use the same hash,
/// the two can be compared.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// Number of the first line. This is `None` if the text is not from a file.
    pub(crate) first: Option<u32>,
    pub(crate) lines: Vec<&'a str>,
    pub(crate) rank: u32,
    /// True if the text is not from a file and this continues the previous part. It can only be
    /// shown if all of that part is shown.
    pub(crate) goes_on: bool,
}

impl<'a> Part<'a> {
    /// The part with only its first `count` lines.
    pub(crate) fn first_lines(&self, count: usize) -> Part<'a> {
        Part {
            lines: self.lines.iter().take(count).copied().collect(),
            ..*self
        }
    }
}

/// Splits an excerpt into parts, using the line numbers of `spans`.
///
/// If the two do not match, we cannot tell marks from text, so everything becomes one part.
pub(crate) fn parts<'a>(excerpt: &'a str, spans: &[SourceSpan]) -> Vec<Part<'a>> {
    let lines: Vec<&str> = excerpt.split('\n').collect();
    let mut parts = Vec::with_capacity(spans.len());
    let mut at = 0;
    for span in spans {
        if at > 0
            && !parts
                .last()
                .is_some_and(|last| is_next(last, Some(span.lines.start())))
        {
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
            goes_on: false,
        });
        at = end;
    }
    if parts.is_empty() || at != lines.len() {
        return vec![whole(lines)];
    }
    parts
}

/// True if a part that starts at line `first` directly follows `part`.
fn is_next(part: &Part<'_>, first: Option<u32>) -> bool {
    let count = u32::try_from(part.lines.len()).ok();
    let next = part
        .first
        .zip(count)
        .and_then(|(start, count)| start.checked_add(count));
    next.is_some() && next == first
}

/// Puts an excerpt together from the texts of all `spans`. Returns `None` if there are not any.
#[must_use]
pub fn excerpt_of(spans: &[SourceSpan], texts: &[String]) -> Option<String> {
    let parts: Vec<Part<'_>> = spans
        .iter()
        .zip(texts)
        .map(|(span, text)| Part {
            first: Some(span.lines.start()),
            lines: text.split('\n').collect(),
            rank: span.rank,
            goes_on: false,
        })
        .collect();
    joined(&parts).0
}

fn whole(lines: Vec<&str>) -> Part<'_> {
    Part {
        first: None,
        lines,
        rank: 0,
        goes_on: false,
    }
}

/// Splits a text that is not from a file after its first `count` lines.
pub(crate) fn head_and_rest(text: &str, count: usize) -> Vec<Part<'_>> {
    let mut head: Vec<&str> = text.split('\n').collect();
    let rest = head.split_off(count.min(head.len()));
    let rest = (!rest.is_empty()).then(|| Part {
        goes_on: true,
        ..whole(rest)
    });
    std::iter::once(whole(head)).chain(rest).collect()
}

/// Puts parts together, so this is the inverse of [`parts`]. Parts without lines are skipped.
pub(crate) fn joined(parts: &[Part<'_>]) -> (Option<String>, Vec<SourceSpan>) {
    let shown: Vec<&Part<'_>> = parts.iter().filter(|part| !part.lines.is_empty()).collect();
    if shown.is_empty() {
        return (None, Vec::new());
    }
    let mut text = String::new();
    let mut before: Option<&Part<'_>> = None;
    for part in &shown {
        if let Some(before) = before {
            text.push('\n');
            if !part.goes_on && !is_next(before, part.first) {
                text.push_str(GAP);
                text.push('\n');
            }
        }
        text.push_str(&part.lines.join("\n"));
        before = Some(part);
    }
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
    (Some(text), spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(first: u32, lines: &[&'static str]) -> Part<'static> {
        Part {
            first: Some(first),
            lines: lines.to_vec(),
            rank: first,
            goes_on: false,
        }
    }

    #[test]
    fn excerpt_splits_as_joined() {
        // A line of the file may look exactly like the mark.
        let all = [part(3, &["a", GAP, "b"]), part(9, &[""]), part(20, &["c"])];
        let (text, spans) = joined(&all);
        let text = text.unwrap();
        assert_eq!(text, "a\n…\nb\n…\n\n…\nc");
        assert_eq!(parts(&text, &spans), all);
        assert_eq!(spans[0].source_hash, hash_of_lines(["a", GAP, "b"]));
    }

    #[test]
    fn adjacent_parts_have_no_gap_mark() {
        let all = [part(3, &["a", "b"]), part(5, &["c"]), part(9, &["d"])];
        let (text, spans) = joined(&all);
        let text = text.unwrap();
        assert_eq!(text, "a\nb\nc\n…\nd");
        assert_eq!(parts(&text, &spans), all);
        assert_eq!(
            joined(&[all[0].first_lines(1), part(5, &["c"])]).0.unwrap(),
            "a\n…\nc"
        );
        let texts = ["a\nb", "c", "d"].map(str::to_owned);
        assert_eq!(excerpt_of(&spans, &texts), Some(text));
    }

    #[test]
    fn fileless_text_rejoins_whole() {
        for text in ["a\nb\nc", "a", "", "a\n\n…\nd"] {
            let parts = head_and_rest(text, 2);
            assert_eq!(joined(&parts), (Some(text.to_owned()), Vec::new()));
            assert!(parts[0].lines.len() <= 2 && !parts[0].goes_on);
        }
        let parts = head_and_rest("a\nb\nc", 2);
        assert_eq!(joined(&parts[..1]).0.unwrap(), "a\nb");
    }

    #[test]
    fn mismatched_text_is_one_part() {
        let (text, mut spans) = joined(&[part(3, &["a", "b"]), part(9, &["c"])]);
        let text = text.unwrap();
        spans.pop();
        assert_eq!(parts(&text, &spans).len(), 1);
        assert_eq!(parts("x", &[]).len(), 1);
        assert_eq!(joined(&[part(1, &[])]), (None, Vec::new()));
    }
}
