//! Bound on reading a list or an expression.

use crate::assign::literal::MAX_LINES;
use crate::scanned_text::Text;

/// Bound on reading a list. It moves on as long as secrets are found, so that text that only looks like the start
/// of a list is not read to its end.
pub(crate) struct Reach {
    end: usize,
    /// Number of secrets found before the current part.
    known: usize,
}

impl Reach {
    /// More than one of its values takes, in bytes, so that none is cut.
    const VALUE: usize = 4 << 10;

    /// Creates the bound for a list that begins at `at`.
    pub(crate) fn from(text: &Text<'_>, at: usize) -> Self {
        let end = text.bytes.len().min(at.saturating_add(MAX_LINES));
        Self { end, known: 0 }
    }

    /// Returns the bound at `at` and extends it if `found` exceeds the number of secrets known before.
    pub(crate) fn end(&mut self, text: &Text<'_>, at: usize, found: usize) -> usize {
        if at.saturating_add(Self::VALUE) > self.end && found > self.known {
            self.known = found;
            self.end = text.bytes.len().min(self.end.saturating_add(MAX_LINES));
        }
        self.end
    }
}
