//! How far a list or an expression is followed.

use crate::assign::literal::MAX_LINES;
use crate::scanned_text::Text;

/// How far a list is read: on for as long as there are secrets in it. What only looks like the beginning of one is not followed to
/// the end of the text.
pub(crate) struct Reach {
    end: usize,
    /// How many secrets were found before this part of it.
    known: usize,
}

impl Reach {
    /// More than one of its values takes, in bytes, so that none is cut.
    const VALUE: usize = 4 << 10;

    /// That of a list that begins at `at`.
    pub(crate) fn from(text: &Text<'_>, at: usize) -> Self {
        let end = text.bytes.len().min(at.saturating_add(MAX_LINES));
        Self { end, known: 0 }
    }

    /// Where it ends, seen from `at`, with so many secrets `found` before.
    pub(crate) fn end(&mut self, text: &Text<'_>, at: usize, found: usize) -> usize {
        if at.saturating_add(Self::VALUE) > self.end && found > self.known {
            self.known = found;
            self.end = text.bytes.len().min(self.end.saturating_add(MAX_LINES));
        }
        self.end
    }
}
