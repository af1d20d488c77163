//! Keys of rows. Their first byte is the kind of row, so rows sort by it first.

/// The small part of the state.
pub(crate) const SMALL: u8 = 0;
/// Applied events, by the hash of their id.
pub(crate) const SEEN: u8 = 1;
/// Short forms of beads. Their lines have the next kind, as in all tables.
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
/// Beads by id, with the index's entry about their start.
pub(crate) const STARTS: u8 = 13;

/// Returns the key of the row `id` of a kind.
pub(crate) fn of(kind: u8, id: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(id.len() + 1);
    key.push(kind);
    key.extend(id);
    key
}

/// Returns the common start of all pair keys whose first part is `first`.
pub(crate) fn pairs(kind: u8, first: &str) -> Vec<u8> {
    // With the length in front, no other id can begin like this one.
    let mut key = of(kind, &(first.len() as u32).to_be_bytes());
    key.extend(first.as_bytes());
    key
}

/// Returns the key of a pair of ids.
pub(crate) fn pair(kind: u8, first: &str, second: &str) -> Vec<u8> {
    let mut key = pairs(kind, first);
    key.extend(second.as_bytes());
    key
}
