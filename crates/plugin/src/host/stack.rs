//! Stack space for a guest and for the host functions that it calls.

/// Maximum stack size of a guest.
pub(crate) const GUEST_STACK: usize = 512 << 10;
/// Free stack that a call requires: the guest's stack, and that of the host functions it calls.
const ROOM: usize = GUEST_STACK + (1 << 20);
/// Size of the temporary stack for a thread with less free stack.
const OWN_STACK: usize = 4 << 20;

/// Runs `work` with enough stack for a guest, on any thread. A stack overflow would end this process without a report.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ROOM, OWN_STACK, work)
}
