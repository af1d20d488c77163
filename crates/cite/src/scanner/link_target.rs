//! Finds link targets in Markdown, and encodes and decodes the paths in them.

use std::ops::Range;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// Characters with a special meaning in a link target, a table or a URL.
const SPECIAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'(')
    .add(b')')
    .add(b'<')
    .add(b'>')
    .add(b'%')
    .add(b'#')
    .add(b'?')
    .add(b'\\')
    .add(b'&')
    .add(b'"')
    .add(b':')
    .add(b'*')
    .add(b'[')
    .add(b']')
    .add(b'`')
    .add(b'|');

/// Finds the target of the inline link at `range`, without any title. The link's text ends at
/// `text_end`, before `](`.
pub(super) fn target(whole: &str, range: &Range<usize>, text_end: usize) -> Option<Range<usize>> {
    let from = text_end.clamp(range.start, range.end);
    let open = from + whole.get(from..range.end)?.find("](")? + 2;
    target_from(whole, open, range.end)
}

/// Finds the target in a link definition, `[name]: target`.
pub(super) fn defined_target(whole: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let open = range.start + whole.get(range.clone())?.find("]:")? + 2;
    target_from(whole, open, range.end)
}

fn target_from(whole: &str, open: usize, end: usize) -> Option<Range<usize>> {
    let rest = whole.get(open..end)?;
    let start = open + (rest.len() - rest.trim_start().len());
    let rest = &whole[start..end];
    // A target in angle brackets may contain blanks and parentheses.
    if let Some(inner) = rest.strip_prefix('<') {
        let length = inner.find(['>', '\n'])?;
        return Some(start + 1..start + 1 + length);
    }
    // Parentheses within a target have to be balanced, so the first unmatched one ends the link.
    let mut depth = 0_i32;
    let stop = |(_, c): &(usize, char)| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' => {
            depth -= 1;
            depth < 0
        }
        c => c.is_whitespace(),
    };
    let length = rest
        .char_indices()
        .find(stop)
        .map_or(rest.len(), |(at, _)| at);
    (length > 0).then_some(start..start + length)
}

/// Percent-decodes a link target. Returns `None` for a target with Markdown escapes or entities,
/// which aren't supported, and for a result other than UTF-8.
pub(super) fn decoded(text: &str) -> Option<String> {
    if text.contains(['\\', '&']) {
        return None;
    }
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// Percent-encodes the special characters of a link target in `path`. Unlike with `encodeURI`,
/// letters outside of ASCII stay readable.
pub(super) fn encoded(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        let is_readable = !c.is_ascii() && !c.is_whitespace() && !c.is_control();
        match is_readable {
            true => out.push(c),
            false => out.extend(utf8_percent_encode(c.encode_utf8(&mut [0; 4]), SPECIAL)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_target_encoding_round_trips() {
        for path in ["a/b.rs", "a b(1).rs", "é/100%.rs", "a#b?.md", "x<y>.rs"] {
            assert_eq!(decoded(&encoded(path)).as_deref(), Some(path), "{path}");
        }
        assert_eq!(decoded("a\\_b"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
