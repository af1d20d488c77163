//! Parts of two texts to compare.

use crate::text::Text;

/// Part of both texts that is not compared yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// First line of the old text, and the line after the last.
    pub(super) old: (usize, usize),
    /// The same for the new text.
    pub(super) new: (usize, usize),
}

impl Part {
    pub(super) fn whole(old: &Text, new: &Text) -> Self {
        Self {
            old: (0, old.len()),
            new: (0, new.len()),
        }
    }

    /// Pairs the lines that are equal at both ends, and returns the part between.
    pub(super) fn trimmed(self, old: &[u64], new: &[u64], to: &mut [u32]) -> Self {
        let Self {
            old: (mut a, mut a_end),
            new: (mut b, mut b_end),
        } = self;
        while a < a_end && b < b_end && old[a] == new[b] {
            to[a] = b as u32;
            (a, b) = (a + 1, b + 1);
        }
        while a < a_end && b < b_end && old[a_end - 1] == new[b_end - 1] {
            (a_end, b_end) = (a_end - 1, b_end - 1);
            to[a_end] = b_end as u32;
        }
        Self {
            old: (a, a_end),
            new: (b, b_end),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.old.0 >= self.old.1 || self.new.0 >= self.new.1
    }
}
