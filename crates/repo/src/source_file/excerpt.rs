//! Excerpts: the lines of a file as users see them, cut to a size.

use windlass_base::{LineSpan, Redacted};

use super::shown_text::ShownText;

/// Size limits of an excerpt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExcerptLimits {
    /// Maximum number of lines. Further lines are omitted.
    pub max_lines: u32,
    /// Maximum size of all lines with the LFs between them, in Unicode scalar values.
    pub max_chars: usize,
    /// Maximum length of a line, in Unicode scalar values. Longer lines are cut and end with `…`.
    pub max_line_chars: usize,
}

impl ExcerptLimits {
    /// No limits at all.
    pub const NONE: Self = Self {
        max_lines: u32::MAX,
        max_chars: usize::MAX,
        max_line_chars: usize::MAX,
    };
}

/// Lines of a file for display, with counts of everything that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines, joined by LF.
    pub text: Redacted,
    /// Number of lines left out at the end.
    pub lines_cut: u32,
    /// Number of secret values that were replaced. A value that extends over several lines counts
    /// once for each.
    pub redactions: u32,
    /// True if invalid UTF-8 was replaced with `U+FFFD`.
    pub lossy: bool,
    /// Number of lines that were cut.
    pub long_lines_cut: u32,
}

impl ShownText<'_> {
    /// Returns the lines in `span`, up to `limits`. Lines beyond the end of the file are skipped,
    /// and the excerpt of a binary file is empty.
    #[must_use]
    pub fn excerpt(self, span: LineSpan, limits: ExcerptLimits) -> Excerpt {
        let file = self.0;
        let lines = file.lines();
        let last = span.end().min(lines.count());
        let count = (last + 1).saturating_sub(span.start());
        let mut kept_lines: Vec<Redacted> = Vec::new();
        let mut chars = 0;
        let mut result = Excerpt {
            text: Redacted::default(),
            lines_cut: count,
            redactions: 0,
            lossy: false,
            long_lines_cut: 0,
        };
        if file.is_binary() {
            return result;
        }
        for shown in 0..count.min(limits.max_lines) {
            let Some(range) = lines.line(file.bytes(), span.start() + shown) else {
                break;
            };
            let line = self.parts(&range);
            let Some(room) = limits.max_chars.checked_sub(chars + usize::from(shown > 0)) else {
                break;
            };
            let (kept, length, cut) = shorten(line.as_str(), limits.max_line_chars);
            // The excerpt should end with a whole line. If already the first line is too long, cut
            // that one, since the excerpt would be empty otherwise.
            let (kept, length, cut) = if length <= room {
                (kept, length, cut)
            } else if shown == 0 && room > 0 {
                shorten(line.as_str(), room)
            } else {
                break;
            };
            kept_lines.push(match cut {
                true => line.cut(kept.len()),
                false => line.redacted(),
            });
            result.long_lines_cut += u32::from(cut);
            chars += usize::from(shown > 0) + length;
            result.lines_cut -= 1;
            result.redactions += line.redactions;
            result.lossy |= line.lossy;
        }
        result.text = Redacted::join(kept_lines.iter()).unwrap_or_default();
        result
    }
}

/// Cuts `text` down to `max` characters, including a final `…`. Returns the part before the `…`,
/// the number of characters with it, and true if the text was cut.
fn shorten(text: &str, max: usize) -> (&str, usize, bool) {
    // A text never has more characters than bytes, so this one fits.
    let length = if text.len() <= max {
        text.chars().count()
    } else {
        let Some((end, _)) = text.char_indices().nth(max) else {
            return (text, text.chars().count(), false);
        };
        if max == 0 {
            return ("", 1, true);
        }
        let end = text[..end]
            .char_indices()
            .next_back()
            .map_or(0, |(at, _)| at);
        return (&text[..end], max, true);
    };
    (text, length, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceFile;

    fn cut(
        text: &str,
        span: (u32, u32),
        max_lines: u32,
        max_chars: usize,
        max_line: usize,
    ) -> Excerpt {
        SourceFile::from_bytes(text.as_bytes().to_vec())
            .shown()
            .excerpt(
                LineSpan::new(span.0, span.1).unwrap(),
                ExcerptLimits {
                    max_lines,
                    max_chars,
                    max_line_chars: max_line,
                },
            )
    }

    #[test]
    fn excerpt_is_cut_at_line_ends() {
        let text = "one\r\ntwo\nthrée\nfour\n";
        let all = cut(text, (1, 9), 9, 99, 99);
        assert_eq!(all.text.as_str(), "one\ntwo\nthrée\nfour");
        assert_eq!((all.lines_cut, all.long_lines_cut), (0, 0));

        assert_eq!(cut(text, (2, 4), 2, 99, 99).text.as_str(), "two\nthrée");
        let by_chars = cut(text, (1, 4), 9, 13, 99);
        assert_eq!(by_chars.text.as_str(), "one\ntwo\nthrée");
        assert_eq!(by_chars.lines_cut, 1);
        assert_eq!(cut(text, (1, 4), 9, 12, 99).text.as_str(), "one\ntwo");
        assert_eq!(cut(text, (7, 9), 9, 99, 99).text.as_str(), "");
    }

    #[test]
    fn excerpt_long_line_is_shortened() {
        let long = cut("ééééé\nb\n", (1, 2), 9, 99, 3);
        assert_eq!(long.text.as_str(), "éé…\nb");
        assert_eq!((long.lines_cut, long.long_lines_cut), (0, 1));

        let first = cut("abcdef\nb\n", (1, 2), 9, 4, 99);
        assert_eq!(first.text.as_str(), "abc…");
        assert_eq!((first.lines_cut, first.long_lines_cut), (1, 1));
        assert_eq!(cut("abc", (1, 1), 9, 3, 3).text.as_str(), "abc");
        assert_eq!(cut("abc", (1, 1), 9, 0, 3).lines_cut, 1);
    }

    #[test]
    fn excerpt_binary_is_empty() {
        let file = |bytes: &[u8]| SourceFile::from_bytes(bytes.to_vec());
        let span = LineSpan::new(1, 2).unwrap();
        let latin = file(b"caf\xe9\n")
            .shown()
            .excerpt(span, ExcerptLimits::NONE);
        assert_eq!(latin.text.as_str(), "caf\u{fffd}");
        assert!(latin.lossy);
        let binary = file(b"a\0b\nc\n")
            .shown()
            .excerpt(span, ExcerptLimits::NONE);
        assert_eq!((binary.text.as_str(), binary.lines_cut), ("", 2));
        let mut late = vec![b'\n'; 9000];
        late.extend(b"g\0h\0p\0_\0");
        let late = file(&late)
            .shown()
            .excerpt(LineSpan::new(9000, 9001).unwrap(), ExcerptLimits::NONE);
        assert_eq!((late.text.as_str(), late.lines_cut), ("", 2));
    }

    proptest::proptest! {
        #[test]
        fn excerpt_limits_always_hold(
            text in "[aé\n]{0,60}", start in 1u32..9, more in 0u32..9,
            max_lines in 0u32..9, max_chars in 0usize..30, max_line_chars in 1usize..9,
        ) {
            let result = cut(&text, (start, start + more), max_lines, max_chars, max_line_chars);
            let shown = result.text.as_str();
            proptest::prop_assert!(shown.chars().count() <= max_chars);
            proptest::prop_assert!(shown.lines().count() <= max_lines as usize);
            proptest::prop_assert!(shown.lines().all(|line| line.chars().count() <= max_line_chars));
        }
    }
}
