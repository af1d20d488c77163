//! Stamps: short digests that reveal changes to a document.

/// Length of a stamp in bytes.
pub(super) const STAMP: usize = 16;

/// The first bytes of a digest over everything in a document's entry. All zero if changes don't
/// matter.
pub(super) type Stamp = [u8; STAMP];
