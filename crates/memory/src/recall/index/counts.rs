//! Occurrences of a term in an entry.

use crate::recall::FIELDS;

/// Number of occurrences by field.
pub(super) type FieldCounts = [u32; FIELDS];

/// Pairs of passage number and count, only for passages with the term. Empty if the body is a
/// single passage.
pub(super) type PassageCounts = Vec<(u32, u32)>;

/// A term with its counts.
pub(super) type TermCounts = (String, FieldCounts, PassageCounts);
