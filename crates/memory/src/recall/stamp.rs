//! What tells whether something that can be recalled is still the same.

/// How many bytes of a digest tell records apart.
pub(super) const STAMP: usize = 16;

/// What tells that a record and its cues are still the same. All zero where that does not matter.
pub(super) type Stamp = [u8; STAMP];
