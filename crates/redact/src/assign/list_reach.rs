//! Limits how far we read a list or an expression.

use crate::assign::literal::MAX_LINES;
use crate::scanned_text::Text;

/// The limit for reading a list. It moves on as long as we find secrets. A text that only looks
/// like the start of a list isn't read to its end.
pub(crate) struct Reach {
    end: usize,
    /// Number of secrets found before the current part.
    known: usize,
}

impl Reach {
    /// More bytes than any of its values take, so that we never cut one.
    const VALUE: usize = 4 << 10;

    /// Creates the limit for a list that begins at `at`.
    pub(crate) fn from(text: &Text<'_>, at: usize) -> Self {
        let end = text.bytes.len().min(at.saturating_add(MAX_LINES));
        Self { end, known: 0 }
    }

    /// Returns the limit at `at`. Moves it on if `found` exceeds the number of secrets known
    /// before.
    pub(crate) fn end(&mut self, text: &Text<'_>, at: usize, found: usize) -> usize {
        if at.saturating_add(Self::VALUE) > self.end && found > self.known {
            self.known = found;
            self.end = text.bytes.len().min(self.end.saturating_add(MAX_LINES));
        }
        self.end
    }
}
