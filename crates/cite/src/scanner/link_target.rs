//! The target of a link, and how paths are written in it.

use std::ops::Range;

/// Where the target of the link in `range` stands, whose text ends at `text_end`: between `](` and blank, `)` or `"`.
pub(super) fn target(whole: &str, range: &Range<usize>, text_end: usize) -> Option<Range<usize>> {
    let from = text_end.clamp(range.start, range.end);
    let open = from + whole.get(from..range.end)?.find("](")? + 2;
    target_from(whole, open, range.end)
}

/// The same for a definition `[name]: target`.
pub(super) fn defined_target(whole: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let open = range.start + whole.get(range.clone())?.find("]:")? + 2;
    target_from(whole, open, range.end)
}

fn target_from(whole: &str, open: usize, end: usize) -> Option<Range<usize>> {
    let rest = whole.get(open..end)?;
    let start = open + (rest.len() - rest.trim_start().len());
    let rest = &whole[start..end];
    if let Some(inner) = rest.strip_prefix('<') {
        let length = inner.find(['>', '\n'])?;
        return Some(start + 1..start + 1 + length);
    }
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

/// `text` with what is percent-encoded in it decoded; `None` where that is no UTF-8, or something stands in it that
/// means something else to Markdown.
pub(super) fn decoded(text: &str) -> Option<String> {
    if text.contains(['\\', '&']) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = |at: usize| tail.get(at).and_then(|b| char::from(*b).to_digit(16));
        rest = match (*first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                &tail[2..]
            }
            _ => {
                bytes.push(*first);
                tail
            }
        };
    }
    String::from_utf8(bytes).ok()
}

/// `path` as the target of a link: what could end it or mean something else is percent-encoded.
pub(super) fn encoded(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        let means_something = c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                '(' | ')'
                    | '<'
                    | '>'
                    | '%'
                    | '#'
                    | '?'
                    | '\\'
                    | '&'
                    | '"'
                    | ':'
                    | '*'
                    | '['
                    | ']'
                    | '`'
                    | '|'
            );
        if means_something {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_being_written_as_targets() {
        for path in ["a/b.rs", "a b(1).rs", "é/100%.rs", "a#b?.md", "x<y>.rs"] {
            assert_eq!(decoded(&encoded(path)).as_deref(), Some(path), "{path}");
        }
        assert_eq!(decoded("a\\_b"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
