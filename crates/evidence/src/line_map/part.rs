//! Parts of two texts that remain to be paired.

use crate::text::Text;

/// Part of each of the two texts that is not paired yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// First line of the part in the old text, and the line after its last.
    pub(super) old: (usize, usize),
    /// First line of the part in the new text, and the line after its last.
    pub(super) new: (usize, usize),
}

impl Part {
    pub(super) fn whole(old: &Text, new: &Text) -> Self {
        Self {
            old: (0, old.len()),
            new: (0, new.len()),
        }
    }

    /// Pairs the lines that are equal at both ends. Returns the part between them.
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
