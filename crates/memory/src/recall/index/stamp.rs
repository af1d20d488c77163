//! Stamps that detect changes of a document.

/// Length of a stamp in bytes.
pub(super) const STAMP: usize = 16;

/// Beginning of a digest of everything that the entry of a document is made of. All zero if changes do not matter.
pub(super) type Stamp = [u8; STAMP];
