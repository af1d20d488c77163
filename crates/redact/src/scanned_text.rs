//! A text with the functions by which hand-written readers move through it.

use std::cell::Cell;
use std::ops::Range;

/// A text being scanned.
///
/// It counts the bytes that hand-written readers examine, so that a test can show that their work
/// grows no faster than the text.
pub(crate) struct Text<'a> {
    pub(crate) bytes: &'a [u8],
    examined: Cell<usize>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            examined: Cell::new(0),
        }
    }

    /// Number of examined bytes. A byte examined twice counts twice.
    #[cfg(test)]
    pub(crate) fn examined(&self) -> usize {
        self.examined.get()
    }

    pub(crate) fn get(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    pub(crate) fn starts_with(&self, at: usize, what: &[u8]) -> bool {
        self.bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(what))
    }

    /// Finds the end of the run of bytes from `from` for which `inside` is true, up to `max` bytes
    /// further on.
    pub(crate) fn run(&self, from: usize, max: usize, inside: impl Fn(u8) -> bool) -> usize {
        let from = from.min(self.bytes.len());
        let length = self.bytes[from..]
            .iter()
            .take(max)
            .take_while(|b| inside(**b))
            .count();
        self.note(length);
        from + length
    }

    /// Finds the start of the run of bytes before `to` for which `inside` is true, up to `max`
    /// bytes back.
    pub(crate) fn run_back(&self, to: usize, max: usize, inside: impl Fn(u8) -> bool) -> usize {
        let length = self.bytes[..to]
            .iter()
            .rev()
            .take(max)
            .take_while(|b| inside(**b))
            .count();
        self.note(length);
        to - length
    }

    /// Skips up to 64 blanks from `from` on.
    pub(crate) fn blanks(&self, from: usize) -> usize {
        self.run(from, 64, is_blank)
    }

    /// Like [`blanks`](Self::blanks), but skips up to 128 blanks and line ends.
    pub(crate) fn white(&self, from: usize) -> usize {
        self.run(from, 128, |b| b.is_ascii_whitespace())
    }

    /// Returns up to `max` bytes from `from` on. In contrast to [`slice`](Self::slice), they count
    /// as examined.
    pub(crate) fn window(&self, from: usize, max: usize) -> &'a [u8] {
        let from = from.min(self.bytes.len());
        let window = &self.bytes[from..self.bytes.len().min(from.saturating_add(max))];
        self.note(window.len());
        window
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &'a [u8] {
        &self.bytes[range]
    }

    fn note(&self, bytes: usize) {
        // An empty run counts as well, since there may be very many of them.
        self.examined.set(self.examined.get() + bytes + 1);
    }
}

pub(crate) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

pub(crate) fn is_line_end(b: u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

/// Skips the line end at `end`.
pub(crate) fn after_line(text: &Text<'_>, end: usize) -> usize {
    end + if text.starts_with(end, b"\r\n") { 2 } else { 1 }
}
