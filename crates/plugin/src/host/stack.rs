//! Stack space for a guest and the host functions that it calls.

/// Maximum stack size of a guest.
pub(crate) const GUEST_STACK: usize = 512 << 10;
/// Required free stack: the guest's, and that of the host functions below it.
const ROOM: usize = GUEST_STACK + (1 << 20);
/// Size of the temporary stack for a thread with less.
const OWN_STACK: usize = 4 << 20;

/// Runs `work` with enough stack for a guest on any thread: a stack overflow could not be reported.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ROOM, OWN_STACK, work)
}
