//! Keys of rows.
//!
//! The first byte is the kind of row, so rows sort by it first. Do not change any of these numbers
//! without increasing the version of the checkpoint's format.

/// The small part of the state.
pub(crate) const SMALL: u8 = 0;
/// Applied events, each by the hash of its id.
pub(crate) const SEEN: u8 = 1;
/// Short forms of beads. The next number is the kind for the records' lines, as in all tables.
pub(crate) const BEADS: u8 = 2;
/// Short forms of messages.
pub(crate) const MESSAGES: u8 = 4;
/// Short forms of molecules.
pub(crate) const MOLECULES: u8 = 6;
/// Short forms of cooked formulas.
pub(crate) const PLANS: u8 = 8;
/// Pairs of a bead and a bead depending on it.
pub(crate) const WAITERS: u8 = 10;
/// Pairs of a bead and its child.
pub(crate) const CHILDREN: u8 = 11;
/// Open beads in working order.
pub(crate) const OPEN: u8 = 12;
/// Beads by id, with what the index knows about when they can start.
pub(crate) const STARTS: u8 = 13;
/// Closed and deleted beads in working order.
pub(crate) const CLOSED: u8 = 14;

pub(crate) fn of(kind: u8, id: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(id.len() + 1);
    key.push(kind);
    key.extend(id);
    key
}

/// The prefix of all pair keys whose first part is `first`.
pub(crate) fn pairs(kind: u8, first: &str) -> Vec<u8> {
    // The length in front keeps a longer id from having the same prefix.
    let mut key = of(kind, &(first.len() as u32).to_be_bytes());
    key.extend(first.as_bytes());
    key
}

pub(crate) fn pair(kind: u8, first: &str, second: &str) -> Vec<u8> {
    let mut key = pairs(kind, first);
    key.extend(second.as_bytes());
    key
}
