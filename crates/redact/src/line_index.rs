//! Positions and terminators of the lines of a file.

use std::ops::Range;

use windlass_base::{LineEnding, LineSpan};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The start offsets of a text's lines.
#[derive(Debug)]
pub struct LineIndex {
    /// The offset of each line's first byte. A BOM isn't part of the first line.
    starts: Vec<u32>,
    /// Length of the text in bytes.
    end: u32,
    ending: LineEnding,
}

impl LineIndex {
    /// Indexes the lines of `bytes`.
    ///
    /// Offsets are 32-bit, so lines beyond 4 GiB aren't counted. Files above 64 MiB aren't read
    /// anyway.
    pub fn new(bytes: &[u8]) -> Self {
        let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let first = if bytes.starts_with(BOM) { 3 } else { 0 };
        let mut starts = Vec::new();
        if first < end {
            starts.push(first);
        }
        let (mut lf, mut crlf) = (0usize, 0usize);
        for at in memchr::memchr_iter(b'\n', &bytes[..end as usize]) {
            match at.checked_sub(1).map(|before| bytes[before]) {
                Some(b'\r') => crlf += 1,
                _ => lf += 1,
            }
            let next = at as u32 + 1;
            if next < end {
                starts.push(next);
            }
        }
        let ending = match (lf, crlf) {
            (0, 0) => LineEnding::None,
            (_, 0) => LineEnding::Lf,
            (0, _) => LineEnding::CrLf,
            _ => LineEnding::Mixed,
        };
        Self {
            starts,
            end,
            ending,
        }
    }

    /// The line ending used throughout the text, or `Mixed` for both LF and CRLF.
    #[must_use]
    pub fn ending(&self) -> LineEnding {
        self.ending
    }

    /// The number of lines, including a last one without a terminator.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The range of line `number` (1-based) with its terminator. `None` beyond the last line.
    #[must_use]
    pub fn whole(&self, number: u32) -> Option<Range<usize>> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(at)?;
        let end = self.starts.get(at + 1).copied().unwrap_or(self.end);
        Some(start as usize..end as usize)
    }

    /// Like [`whole`](Self::whole), but without the terminator (LF or CRLF).
    #[must_use]
    pub fn line(&self, bytes: &[u8], number: u32) -> Option<Range<usize>> {
        let Range { start, mut end } = self.whole(number)?;
        if bytes[start..end].ends_with(b"\n") {
            end -= 1;
            if bytes[start..end].ends_with(b"\r") {
                end -= 1;
            }
        }
        Some(start..end)
    }

    /// The number (1-based) of the line at `offset`. An offset beyond the end belongs to the last
    /// line.
    #[must_use]
    pub fn number_at(&self, offset: usize) -> u32 {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let line = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns `span` unless it extends beyond the last line.
    #[must_use]
    pub fn checked(&self, span: LineSpan) -> Option<LineSpan> {
        (span.end() <= self.count()).then_some(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<&[u8]> {
        let index = LineIndex::new(bytes);
        (1..=index.count())
            .map(|n| &bytes[index.line(bytes, n).unwrap()])
            .collect()
    }

    #[test]
    fn counts_as_editors_do() {
        let none: [&[u8]; 0] = [];
        assert_eq!(lines(b""), none);
        assert_eq!(lines(BOM), none);
        assert_eq!(lines(b"\n"), [b""]);
        assert_eq!(lines(b"a"), [b"a"]);
        assert_eq!(lines(b"\xEF\xBB\xBFa\nb\n"), [b"a", b"b"]);
        assert_eq!(lines(b"a\r\n\r\r\nb\r"), [&b"a"[..], b"\r", b"b\r"]);
        assert_eq!(lines(b"\xEF\xBB\xBF\nb"), [&b""[..], b"b"]);
    }

    #[test]
    fn tells_line_ends_apart() {
        for (bytes, ending) in [
            (&b"a"[..], LineEnding::None),
            (b"a\nb\n", LineEnding::Lf),
            (b"a\r\nb", LineEnding::CrLf),
            (b"a\r\nb\n", LineEnding::Mixed),
            (b"\n\r", LineEnding::Lf),
        ] {
            assert_eq!(LineIndex::new(bytes).ending(), ending, "{bytes:?}");
        }
    }

    #[test]
    fn finds_the_line_of_an_offset() {
        let index = LineIndex::new(b"\xEF\xBB\xBFab\ncd\n");
        let numbers: Vec<_> = [0, 3, 5, 6, 7, 8, 99].map(|at| index.number_at(at)).into();
        assert_eq!(numbers, [1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(index.checked(LineSpan::new(2, 3).unwrap()), None);
    }

    proptest::proptest! {
        #[test]
        fn lines_cover_every_byte_once(bytes in proptest::collection::vec(
            proptest::sample::select(b"a\r\n\xEF\xBB\xBF".to_vec()), 0..40,
        )) {
            let index = LineIndex::new(&bytes);
            let mut next = if bytes.starts_with(BOM) { 3 } else { 0 };
            for n in 1..=index.count() {
                let whole = index.whole(n).unwrap();
                proptest::prop_assert_eq!(whole.start, next);
                proptest::prop_assert_eq!(index.number_at(whole.start), n);
                next = whole.end;
            }
            proptest::prop_assert_eq!(next, bytes.len());
            proptest::prop_assert!(index.line(&bytes, 0).is_none());
            proptest::prop_assert!(index.line(&bytes, index.count() + 1).is_none());
        }
    }
}
