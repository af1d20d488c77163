use std::cell::Cell;
use std::ops::Range;

/// The scanned bytes, with the number of bytes examined by our hand-written readers. From that, a
/// test shows that the work is linear in the length of the text.
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

    /// Returns the number of examined bytes. A byte examined twice counts twice.
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

    /// Returns the end of the run of bytes from `from` for which `inside` is true, at most `max`
    /// bytes further on.
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

    /// Returns the start of the run of bytes before `to` for which `inside` is true, at most `max`
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

    /// Returns the offset behind at most 64 blanks.
    pub(crate) fn blanks(&self, from: usize) -> usize {
        self.run(from, 64, is_blank)
    }

    /// Returns the offset behind at most 128 blanks and line ends.
    pub(crate) fn white(&self, from: usize) -> usize {
        self.run(from, 128, |b| b.is_ascii_whitespace())
    }

    /// Returns at most `max` bytes from `from` on and counts them as examined.
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
        self.examined.set(self.examined.get() + bytes + 1);
    }
}

pub(crate) fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

pub(crate) fn is_line_end(b: u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

/// Returns the start of the line after the one that ends at `end`.
pub(crate) fn after_line(text: &Text<'_>, end: usize) -> usize {
    end + if text.starts_with(end, b"\r\n") { 2 } else { 1 }
}
