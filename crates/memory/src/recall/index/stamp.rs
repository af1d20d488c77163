//! Stamps, short digests that show whether a document changed.

/// Length of a stamp in bytes.
pub(super) const STAMP: usize = 16;

/// Start of the digest of everything that the entry of a document contains. All zero if changes do not matter.
pub(super) type Stamp = [u8; STAMP];
